"""Whether a figure stands in the record that an answer speaks of, and what else does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from abs_shield.answer.checks.conflicts import other_value
from abs_shield.answer.checks.fields import is_event, is_stamp, label, others
from abs_shield.answer.checks.scope import Scope
from abs_shield.answer.evidence.records import foreign
from abs_shield.answer.evidence.types import Evidence, Source
from abs_shield.answer.evidence.value_index import MOST_PLACES, ValueIndex
from abs_shield.answer.evidence.values import EvidenceValue, Place, names_money
from abs_shield.text.names import name_words
from abs_shield.text.normal import normal, words
from abs_shield.text.show import shown
from abs_shield.text.values.figure import DATE, MONEY, TIME, Figure, same

MOMENTS = frozenset({DATE, TIME})
_IN_RECORDS = MOMENTS | {MONEY}
"""Kinds that are looked for in a record."""
_MOST_RECORDS = 24
_LONGEST_DAY = 16
"""Characters before a time that may be its day, or what sets it off from its field."""
_NO_FIELD = frozenset("id time date at est utc gmt local number of the is to in on and a".split())


class Bound:
    """
    The figures of one answer, each against the records that are named around it.

    Args:
        answer: The answer.
        figures: Its figures, in order.
        evidence: What they may stand on.
    """

    def __init__(self, answer: str, figures: list[Figure], evidence: Evidence) -> None:
        self._answer = answer
        self._evidence = evidence
        self._known: ValueIndex = evidence.derived(ValueIndex)
        self.scope = Scope(answer, figures, self._known)
        self._made: dict[tuple[str, tuple[Place, ...]], tuple[frozenset[str], bool]] = {}

    def records(self, figure: Figure) -> tuple[Place, ...]:
        """Give where the keys stand whose records are meant; none for a kind that is in none."""
        if figure.kind not in _IN_RECORDS:
            return ()
        return tuple(islice(dict.fromkeys(self.scope.records(figure)), _MOST_RECORDS))

    def fitting(
        self, figure: Figure, stands: list[EvidenceValue], records: Sequence[Place]
    ) -> list[EvidenceValue]:
        """Give *stands* without those of a moment under another field of the record than meant."""
        if figure.kind not in MOMENTS or not stands or not records:
            return stands
        bare, rest = self._fields(figure, records)
        stamps = frozenset(filter(is_stamp, bare)) if rest else frozenset()
        wrong = others(bare, label(self._answer, figure.start)) if len(bare) > 1 else frozenset()
        if stamps and is_event(self._answer, *self.scope.sentence(figure.start)):
            wrong |= stamps
        return [one for one in stands if one.field not in wrong or not self._is_bare(one)]

    def _fields(self, figure: Figure, records: Sequence[Place]) -> tuple[frozenset[str], bool]:
        """The fields of records that are a moment, and whether one of that kind is no stamp."""
        key = figure.kind, tuple(records)
        made = self._made.get(key)
        if made is None:
            alike = self.alike(figure, records)
            bare = frozenset(stand.field for stand in alike if self._is_bare(stand))
            made = bare, any(not (one.field in bare and is_stamp(one.field)) for one in alike)
            self._made[key] = made
        return made

    def _is_bare(self, stand: EvidenceValue) -> bool:
        """Whether a moment of a result is all that its field says, not part of running text."""
        if stand.source is not Source.TOOL_RESULT or stand.piece < 0 or not stand.field:
            return False
        piece = self._known.pieces[stand.piece]
        start = 0 if piece.lines else piece.text.rfind("\n", 0, stand.figure.start) + 1
        return stand.figure.start - start <= _LONGEST_DAY + (0 if piece.lines else len(stand.field))

    def own(
        self, figure: Figure, stands: Sequence[EvidenceValue], records: Sequence[Place]
    ) -> EvidenceValue | None:
        """
        Return the first of *stands* that is in one of the records, or outside of all records.

        Of money any will do: an answer names the amounts of several records side by side.
        """
        if figure.kind == MONEY or not records or len(stands) >= MOST_PLACES:
            return next(iter(stands), None)
        return next((stand for stand in stands if self._is_own(stand, records)), None)

    def _is_own(self, stand: EvidenceValue, records: Sequence[Place]) -> bool:
        if stand.source is not Source.TOOL_RESULT or stand.piece < 0 or self._known.alone(stand):
            return True
        return any(
            (place.piece == stand.piece and not foreign(place.steps, stand.steps))
            or (place.name and self._known.records.speaks_of(stand, place.name))
            for place in records
        )

    def alike(self, figure: Figure, records: Iterable[Place]) -> list[EvidenceValue]:
        """Give what the records have of that kind, what is nearest to a key first."""
        inside = (stand for place in records for stand in self._known.records.inside(place))
        return [stand for stand in inside if not stand.given and _alike(figure, stand)]

    def against(
        self, figure: Figure, stands: Sequence[EvidenceValue], inside: Sequence[EvidenceValue]
    ) -> str:
        """
        Tell in one line what the evidence has instead; empty where nobody can tell.

        Args:
            figure: What is missed.
            stands: Where it stands nevertheless: in other records.
            inside: What the records have of that kind.
        """
        if stands and inside:
            has = _told(inside[0])
            return f"{shown(figure.text)} stands for another record; here it has {has}"
        sentence = self._answer[slice(*self.scope.sentence(figure.start))]
        said = set(words(normal(sentence)))
        named = [stand for stand in inside if _names(stand.field, said)]
        if named and not any(same(figure, stand.figure) for stand in named):
            return f"{shown(figure.text)} is said where the evidence has {_told(named[0])}"
        other = other_value(sentence, figure, self._evidence)
        if other is not None:
            return f"{shown(figure.text)} is said where the evidence has {shown(other[1].text)}"
        return ""


def _alike(figure: Figure, stand: EvidenceValue) -> bool:
    """Whether what stands there is of the figure's kind: an amount under the name of one."""
    if figure.kind != MONEY:
        return figure.kind == stand.figure.kind
    if stand.figure.kind == MONEY:
        return True
    return stand.money and names_money(stand.field)


def _names(name: str, said: set[str]) -> bool:
    """Whether a sentence speaks of the field of that name."""
    fields = {word for word in name_words(name) if word not in _NO_FIELD}
    return any(word[:5] == other[:5] for word in fields for other in said if len(other) > 2)


def _told(stand: EvidenceValue) -> str:
    """A value of the evidence with its field."""
    under = f" under `{stand.field[:60]}`" if stand.field else ""
    return f"{shown(stand.figure.text)}{under}"
