"""A short hash of a text: equal texts have equal ones, and nobody finds two that share one."""

from __future__ import annotations


def digest(text: str, *, size: int) -> bytes:
    """
    Give *size* bytes of the text's BLAKE2b hash; a half character counts as what it is.

    >>> digest("a", size=4).hex()
    'ca234c55'
    """
    from hashlib import blake2b  # it loads OpenSSL: 6 ms that a start does not need

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()
