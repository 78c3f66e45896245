"""One spelling for each entity of a run, whose calls may spell it in several."""

from __future__ import annotations

from itertools import islice

from abs_shield.text.forms import is_negative
from abs_shield.text.normal import normal
from abs_shield.text.tight import Tight, names_the_same

_LONGEST = 256
_MOST = 1_000
"""Entities whose spelling is kept; of an older one, only an equal text is the same."""
_MOST_ALIKE = 8
"""Entities of the same letters: ``1-23`` and ``12-3``."""


class Spellings:
    """
    The first spelling of every entity, as `names_the_same` compares them.

    Args:
        above: Spellings that hold as well, and to which nothing is added from here.

    >>> known = Spellings()
    >>> known.learn("usr_abc"), known.first("USR-ABC "), known.first("usr_abd")
    ('usr_abc', 'usr_abc', 'usr_abd')
    >>> known.learn("77001"), known.first("0077001"), known.first("0077001", number=True)
    ('77001', '0077001', '77001')
    """

    __slots__ = ("_above", "_known")

    def __init__(self, above: Spellings | None = None) -> None:
        self._above = above
        self._known: dict[str, list[tuple[bytes, str]]] = {}

    def first(self, text: str, *, number: bool = False) -> str:
        """
        Return the first spelling of the entity that *text* names; its own where it is new.

        Args:
            text: An identifier.
            number: Whether it is a number, so that leading zeros mean nothing.
        """
        bare, letters, codes = _read(text, number=number)
        return self._find(letters, codes) or bare

    def learn(self, text: str, *, number: bool = False) -> str:
        """As `first`; a new spelling is kept."""
        bare, letters, codes = _read(text, number=number)
        known = self._find(letters, codes)
        if known is None and letters:
            alike = self._known.setdefault(letters, [])
            if len(alike) < _MOST_ALIKE:
                alike.append((codes, bare))
            if len(self._known) > _MOST:
                for old in list(islice(self._known, _MOST // 2)):
                    del self._known[old]
        return known or bare

    def _find(self, letters: str, codes: bytes) -> str | None:
        for kept, spelling in self._known.get(letters, ()):
            if names_the_same(letters, codes, kept):
                return spelling
        return None if self._above is None else self._above._find(letters, codes)


def is_same_entity(one: str, other: str, *, number: bool = False) -> bool:
    """
    Return whether two identifiers name one entity.

    >>> is_same_entity("usr_abc", " USR-ABC"), is_same_entity("12-3456", "1-23456")
    (True, False)
    """
    known = Spellings()
    return known.learn(one, number=number) == known.learn(other, number=number)


def _read(text: str, *, number: bool) -> tuple[str, str, bytes]:
    """The text in normal form, its letters and digits, and what stands between them."""
    bare = normal(text[:_LONGEST]).strip()
    if number and bare.isdigit():
        bare = bare.lstrip("0") or "0"
    if is_negative(bare):
        return bare, "", b""
    tight = Tight.of(bare)
    return bare, tight.letters, tight.codes[1:-1]
