"""The records of the evidence: what stands in each, and near it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from abs_shield.answer.evidence.records import Steps, foreign, shared
from abs_shield.answer.evidence.values import EvidenceValue, Place
from abs_shield.text.normal import normal, words

_MOST_INSIDE = 400
"""Figures of one record that are looked at, and of each that holds it."""
_LONGEST = 4_000
"""Characters of one record's text that are read."""

Key = tuple[int, Steps]


class Records:
    """Which figures and which texts belong to which record; filled as the evidence is read."""

    def __init__(self) -> None:
        self._stands: dict[Key, list[EvidenceValue]] = defaultdict(list)
        self._texts: dict[Key, list[str]] = defaultdict(list)
        self._sizes: dict[Key, int] = defaultdict(int)
        self._plain: dict[Key, str] = {}
        self._inside: dict[Key, list[EvidenceValue]] = {}

    def add(self, stand: EvidenceValue) -> None:
        """Take in a figure of a result."""
        for steps in _holders(stand.steps):
            held = self._stands[stand.piece, steps]
            if len(held) < _MOST_INSIDE:
                held.append(stand)

    def write(self, piece: int, steps: Steps, text: str) -> None:
        """Take in a text of a result."""
        key = piece, next(_holders(steps))
        if self._sizes[key] < _LONGEST:
            self._texts[key].append(text[:_LONGEST])
            self._sizes[key] += len(text)

    def inside(self, place: Place) -> list[EvidenceValue]:
        """Give what stands in the record of a key, or beside it in no other; the nearest first."""
        record = place.piece, next(_holders(place.steps))
        found = self._inside.get(record)
        if found is None:
            near = [stand for stand in self._around(place) if not foreign(place.steps, stand.steps)]
            near.sort(key=lambda stand: -shared(place.steps, stand.steps))
            found = self._inside[record] = list(dict.fromkeys(near))
        return found

    def _around(self, place: Place) -> Iterator[EvidenceValue]:
        for steps in _holders(place.steps):
            yield from islice(self._stands.get((place.piece, steps), ()), _MOST_INSIDE)

    def speaks_of(self, stand: EvidenceValue, name: str) -> bool:
        """Whether the record of a figure has a name somewhere in its text."""
        key = stand.piece, next(_holders(stand.steps))
        plain = self._plain.get(key)
        if plain is None:
            plain = " ".join(words(normal("\n".join(self._texts.get(key, ())))))
            self._plain[key] = plain
        return name in plain


def _holders(steps: Steps) -> Iterator[Steps]:
    """The ways to the records that hold a value, the smallest first; the whole result is last."""
    for n in range(len(steps), 0, -1):
        if type(steps[n - 1]) is not str:
            yield steps[:n]
    yield ()
