"""Ids and telephone numbers of some evidence, for other spellings and parts of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from itertools import islice

from abs_shield.text.phones import Phone, is_same_phone, phones_of

_MOST_KEYS = 20_000
"""Maximum number of ids that are compared."""
_MOST_ALIKE = 40
"""Telephone numbers with one national number, of different countries."""


class IdTexts:
    """
    The ids and telephone numbers of some evidence.

    Args:
        keys: The ids, in comparable form.
        texts: The texts that may be telephone numbers.
    """

    def __init__(self, keys: Iterable[str], texts: Iterable[str]) -> None:
        self._keys = dict.fromkeys(keys)
        self._phones: dict[str, list[frozenset[Phone]]] = defaultdict(list)
        for readings in map(phones_of, islice(dict.fromkeys(texts), _MOST_KEYS)):
            for one in readings:
                self._phones[one.national].append(readings)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def has_end(self, digits: str) -> bool:
        """Return whether an id or a long number ends with some digits."""
        return any(key.endswith(digits) for key in islice(self._keys, _MOST_KEYS))

    def has_start(self, start: str, lengths: Set[int]) -> bool:
        """Return whether an id of one of some lengths begins with a text."""
        keys = islice(self._keys, _MOST_KEYS)
        return any(len(key) in lengths and key.startswith(start) for key in keys)

    def has_phone(self, text: str) -> bool:
        """Return whether one is a telephone number, in any spelling."""
        readings = phones_of(text)
        return any(
            is_same_phone(readings, other)
            for one in readings
            for other in self._phones.get(one.national, ())[:_MOST_ALIKE]
        )
