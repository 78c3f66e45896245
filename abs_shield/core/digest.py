"""A short cryptographic hash of a text."""

from __future__ import annotations

import json
import os
from typing import Any

_MOST = 250_000
"""Items and members that are hashed: more than arguments that are judged have."""


def digest(text: str, *, size: int) -> bytes:
    """
    Return *size* bytes of the text's BLAKE2b hash; a half character counts as what it is.

    >>> digest("a", size=4).hex()
    'ca234c55'
    """
    from hashlib import blake2b  # it loads OpenSSL: 6 ms that a start does not need

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


def digest_of(name: str, arguments: Any) -> bytes:
    """
    Hash a call's name and arguments as canonical JSON; what has none equals nothing.

    Neither does what is larger than what is judged: parts that it shares would be written again
    wherever they stand, twice as many at each level.
    """
    try:
        if not _is_bounded(arguments):
            return os.urandom(16)
        text = json.dumps([name, arguments], sort_keys=True, separators=(",", ":"), default=repr)
    except Exception:  # what is nested too deeply, and objects of the caller's that break
        return os.urandom(16)
    # 128 bits: no two different calls meet by chance.
    return digest(text, size=16)


def _is_bounded(value: Any) -> bool:
    """Return whether a value has few enough items and members, nested ones included."""
    left, count = [value], 0
    while left:
        item = left.pop()
        # Not recursive: it has to be total on what is nested too deeply. `dict.values`, as a
        # subclass may override its own.
        if isinstance(item, (dict, list, tuple)):
            count += len(item)
            if count > _MOST:
                return False
            left += dict.values(item) if isinstance(item, dict) else item
    return True
