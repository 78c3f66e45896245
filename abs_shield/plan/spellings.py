"""One spelling for each entity of a run; calls may spell it differently."""

from __future__ import annotations

from itertools import islice

from abs_shield.text.normal_form import normal
from abs_shield.text.separatorless import SeparatorlessText
from abs_shield.text.spelling_equivalence import is_same_spelling
from abs_shield.text.spelling_variants import is_negative

_MAX_LENGTH = 256  # identifiers are shorter; the rest of a longer text is not compared
_MAX_ENTITIES = 1_000
"""Entities with a stored spelling; an older entity only matches an equal text."""
_MAX_SPELLINGS = 8
"""Different entities with the same letters and digits: ``1-23`` and ``12-3``."""


class EntitySpellings:
    """
    The first spelling of every entity of a run, compared with `is_same_spelling`.

    Args:
        parent: Spellings of the parent run, which are looked up but not changed.

    >>> spellings = EntitySpellings()
    >>> spellings.add("usr_abc"), spellings.first("USR-ABC "), spellings.first("usr_abd")
    ('usr_abc', 'usr_abc', 'usr_abd')
    >>> spellings.add("77001"), spellings.first("0077001"), spellings.first("0077001", number=True)
    ('77001', '0077001', '77001')
    """

    __slots__ = ("_by_letters", "_parent")

    def __init__(self, parent: EntitySpellings | None = None) -> None:
        self._parent = parent
        self._by_letters: dict[str, list[tuple[bytes, str]]] = {}

    def first(self, text: str, *, number: bool = False) -> str:
        """
        Return the first spelling of the entity that *text* names; *text* normalised if it is new.

        Args:
            text: An identifier.
            number: Whether it is a number, so that leading zeros do not count.
        """
        bare, letters, codes = _normalise(text, number=number)
        return self._find(letters, codes) or bare

    def add(self, text: str, *, number: bool = False) -> str:
        """Return the same as `first`, and store the spelling of a new entity."""
        bare, letters, codes = _normalise(text, number=number)
        existing = self._find(letters, codes)
        if existing is None and letters:
            spellings = self._by_letters.setdefault(letters, [])
            if len(spellings) < _MAX_SPELLINGS:
                spellings.append((codes, bare))
            if len(self._by_letters) > _MAX_ENTITIES:
                # Half of them, as removing one at a time would slow down each new spelling.
                for oldest in list(islice(self._by_letters, _MAX_ENTITIES // 2)):
                    del self._by_letters[oldest]
        return existing or bare

    def _find(self, letters: str, codes: bytes) -> str | None:
        for codes_of_spelling, spelling in self._by_letters.get(letters, ()):
            if is_same_spelling(letters, codes, codes_of_spelling):
                return spelling
        return None if self._parent is None else self._parent._find(letters, codes)


def is_same_entity(one: str, other: str, *, number: bool = False) -> bool:
    """
    Return whether two identifiers name one entity.

    >>> is_same_entity("usr_abc", " USR-ABC"), is_same_entity("12-3456", "1-23456")
    (True, False)
    """
    spellings = EntitySpellings()
    return spellings.add(one, number=number) == spellings.add(other, number=number)


def _normalise(text: str, *, number: bool) -> tuple[str, str, bytes]:
    """Return the text in normal form, its letters and digits, and its separators."""
    bare = normal(text[:_MAX_LENGTH]).strip()
    # Only for numeric parameters, as `007` may be a code.
    if number and bare.isdigit():
        bare = bare.lstrip("0") or "0"
    # Without signs, `-5` and `5` would have the same spelling.
    if is_negative(bare):
        return bare, "", b""
    tight = SeparatorlessText.of(bare)
    return bare, tight.letters, tight.codes[1:-1]
