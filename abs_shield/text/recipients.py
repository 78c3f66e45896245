"""Recipients of a message: their domains and their number."""

from __future__ import annotations

import re
import unicodedata

_DOMAIN = re.compile(r"(\S?)@([^\s@<>,;:\"'()\[\]\\|]*)")
_APART = re.compile(r"[,;\n]+")


def domains(text: str) -> list[str]:
    """
    Return the domain of every address in *text*; a handle such as ``@ann`` has none.

    >>> domains("Ann Li <ann@Example.org>, bob@x.com"), domains("@ann, bob")
    (['example.org', 'x.com'], [])
    """
    # a full-width sign is an `@` for mail servers, too
    plain = unicodedata.normalize("NFKC", text).casefold()
    addresses = _DOMAIN.findall(plain)
    return [domain.rstrip(".") for local, domain in addresses if local or "." in domain]


def people(text: str) -> int:
    """
    Return the number of recipients in *text*.

    >>> people('"Li, Ann" <ann@x.org>, bob@x.org'), people("ann; bob"), people(" ")
    (2, 2, 0)
    """
    parts = sum(1 for part in _APART.split(text) if part.strip())
    return text.count("@") or parts
