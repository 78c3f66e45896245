"""Values and texts of each record of the evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from abs_shield.answer.evidence.evidence_value import EvidenceValue, KeyPlace
from abs_shield.answer.evidence.record_paths import (
    Steps,
    common_length,
    enclosing,
    is_foreign,
    record_of,
)
from abs_shield.text.normal_form import normal, words

_MOST_INSIDE = 400
"""Values read of one record, and of each record that contains it."""
_LONGEST_RECORD = 4_000
"""Characters of a record's text that are read."""
_WHOLE: tuple[Steps, ...] = ((),)
"""The path of a result that is one record."""


class RecordValues:
    """The values and texts of records, by their passage and path; it grows as they are read."""

    def __init__(self) -> None:
        self._members: dict[tuple[int, Steps], list[EvidenceValue]] = defaultdict(list)
        self._around: dict[tuple[int, Steps], list[EvidenceValue]] = {}
        self._texts: dict[tuple[int, Steps], list[str]] = defaultdict(list)
        self._sizes: dict[tuple[int, Steps], int] = defaultdict(int)
        self._plain: dict[tuple[int, Steps], str] = {}

    def add(self, one: EvidenceValue) -> None:
        """Add a value to its record, and to each record that contains it."""
        for steps in enclosing(one.steps) if one.steps else _WHOLE:
            members = self._members[one.piece, steps]
            # bounded for each enclosing record, so that deep nesting costs linear time
            if len(members) < _MOST_INSIDE:
                members.append(one)

    def add_text(self, piece: int, steps: Steps, text: str) -> None:
        """Add a text to its record."""
        key = piece, record_of(steps)
        # a row of a megabyte would be normalised for each value
        if self._sizes[key] < _LONGEST_RECORD:
            self._texts[key].append(text[:_LONGEST_RECORD])
            self._sizes[key] += len(text)

    def inside(self, piece: int, steps: Steps) -> Sequence[EvidenceValue]:
        """Return the values of the record at a path, and of the records in it."""
        return self._members.get((piece, record_of(steps)), ())

    def members(self, place: KeyPlace) -> list[EvidenceValue]:
        """
        Return the values of a key's record, then values around it that belong to no other record.
        """
        record = place.piece, record_of(place.steps)
        members = self._around.get(record)
        if members is None:
            around = (
                one
                for steps in enclosing(place.steps)
                for one in self._members.get((place.piece, steps), ())
                if not is_foreign(place.steps, one.steps)
            )
            members = sorted(
                dict.fromkeys(around), key=lambda one: -common_length(place.steps, one.steps)
            )
            self._around[record] = members
        return members

    def mentions_name(self, one: EvidenceValue, name: str) -> bool:
        """Return whether the text of a value's record contains a name."""
        return name in self.text(one.piece, one.steps)

    def text(self, piece: int, steps: Steps) -> str:
        """Return the words of a record's text, in normal form."""
        key = piece, record_of(steps)
        plain = self._plain.get(key)
        if plain is None:
            plain = " ".join(words(normal("\n".join(self._texts.get(key, ())))))
            self._plain[key] = plain
        return plain
