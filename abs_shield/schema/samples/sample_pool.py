"""Numbers and texts with which rules compare values, to sample values near them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from typing import Any, Self

from abs_shield.schema.samples.pattern_samples import matching_texts

_MOST = 200  # values of a pool: each one is tried in every place of the schema
_MOST_MATCHED = 48  # texts: four of each of a dozen patterns
_SIGNS_OF_A_PATTERN = frozenset("[\\^$*+|{(")
_LARGEST = 10**18  # with its neighbours still within 64 bits
_LONGEST = 200  # characters; longer texts in rules are descriptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """
    Values to sample besides a schema's own boundaries.

    Attributes:
        numbers: Each is tried with its neighbours, as a number, a length and a number of days.
        texts: Each is tried alone, and with characters before and behind it.
        matched: Texts that match those of *texts* that look like regular expressions.
    """

    numbers: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()
    matched: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Iterable[Any]) -> Self:
        """Create a pool of the numbers and texts among *values*, at most 200 of each."""
        numbers: dict[float, None] = {}
        texts: dict[str, None] = {}
        for value in values:
            if isinstance(value, str) and len(value) <= _LONGEST:
                texts.setdefault(value)
            elif _is_number(value) and abs(value) <= _LARGEST:
                numbers.setdefault(value)
        some = tuple(texts)[:_MOST]
        return cls(numbers=tuple(numbers)[:_MOST], texts=some, matched=tuple(_match(some)))

    def names(self, most: int) -> list[str]:
        """Return the first *most* texts that may be names of members."""
        # names of members are short; a longer text of the pool is a value
        return [text for text in self.texts if text and "\n" not in text and len(text) <= 64][:most]

    def lengths(self, most: int) -> list[int]:
        """Return the integers from 0 to *most* near the pool's numbers."""
        near = (int(n) + step for n in self.numbers if abs(n) <= most + 1 for step in (-1, 0, 1))
        return list(dict.fromkeys(n for n in near if 0 <= n <= most))


def _match(texts: Iterable[str]) -> Iterator[str]:
    patterns = [text for text in texts if not _SIGNS_OF_A_PATTERN.isdisjoint(text)]
    matches = (match for pattern in patterns for match in matching_texts(pattern) if match)
    return islice(dict.fromkeys(matches), _MOST_MATCHED)


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
