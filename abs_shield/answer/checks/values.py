"""How each figure of an answer stands: found in its record, derived, absent or contradicted."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from itertools import islice, pairwise

from abs_shield.answer.checks.cues import is_reckoned, wording
from abs_shield.answer.checks.derivation import Reckoned
from abs_shield.answer.checks.equations import wrong
from abs_shield.answer.checks.exemptions import Excused
from abs_shield.answer.checks.records import Bound
from abs_shield.answer.checks.short_ids import ShortIds
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.answer.evidence.values import EvidenceValue
from abs_shield.answer.types import MissingValue, Span, Spelling
from abs_shield.text.leaves import pointer
from abs_shield.text.values.figure import ID, MONEY, SUMS, Day, Figure, Minute, Value, same
from abs_shield.text.values.reader import figures, settled
from abs_shield.text.values.units import together

_MOST_PLACES = 8
"""Places of one value that are asked what is said there."""
MOST_FIGURES = 500
"""
Figures of one answer that are checked in full: a long table has as many, and each takes some .3 ms.

Those behind them are looked up, which is cheap, and as many of the absent ones are reckoned with.
"""


class How(Enum):
    """How a figure stands."""

    IDLE = "needs no evidence, and nobody looks for it"
    FREE = "needs no evidence"
    FOUND = "found"
    DERIVED = "derived"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Standing:
    """
    How one figure of an answer stands.

    Attributes:
        how: In which way.
        span: Where it was found; None where it was not, or in the arguments of a call.
        miss: It, where it is absent.
        told: What the evidence has instead, in one line; empty where nobody can tell.
        spelling: How the evidence writes it, where it writes it otherwise.
    """

    how: How
    span: Span | None = None
    miss: MissingValue | None = None
    told: str = ""
    spelling: Spelling | None = None


class Standings:
    """
    The figures of one answer against its evidence.

    Args:
        answer: The answer.
        evidence: What it may stand on.
        question: What was asked; its figures need no other evidence.
    """

    def __init__(self, answer: str, evidence: Evidence, question: str | None) -> None:
        self._answer = answer
        self._evidence = evidence
        self._known: ValueIndex = evidence.derived(ValueIndex)
        self._all = settled(figures(answer))
        self._figures = self._all[:MOST_FIGURES]
        self._starts = [one.start for one in self._all]
        self._room = MOST_FIGURES
        self._places: defaultdict[tuple[Value, ...], list[int]] = defaultdict(list)
        for one in self._all:
            self._places[one.values].append(one.start)
        self._made: dict[tuple[Value, ...], bool] = {}
        self._wrong = {one.start for some in wrong(answer, self._figures) for one in some}
        self._stands = _stands(self._figures, self._known)
        self._join()
        self._bound = Bound(answer, self._figures, evidence)
        self._excused = Excused(answer, question, self._known, self._bound.scope)
        both = zip(self._figures, self._stands, strict=True)
        found = [one for one, stands in both if stands or self._excused.asked(one)]
        self._reckoned = Reckoned(found, self._figures, self._known, says=wording(answer))

    def _join(self) -> None:
        """Look for two figures that say one length, where that stands in one unit."""
        for n, (one, other) in enumerate(pairwise(self._figures)):
            if not (self._stands[n] and self._stands[n + 1]):
                whole = together(self._answer, one, other)
                stands = [*self._known.find(whole)] if whole else []
                if stands:
                    self._stands[n] = self._stands[n + 1] = stands

    def within(self, start: int, end: int) -> Iterator[Standing]:
        """Give how each figure that begins between two places stands, in order."""
        for n in range(bisect_left(self._starts, start), len(self._all)):
            if self._starts[n] >= end:
                return
            if n < MOST_FIGURES:
                yield self._one(self._figures[n], self._stands[n])
            else:
                yield self._behind(self._all[n])

    def _one(self, figure: Figure, stands: list[EvidenceValue]) -> Standing:
        soft = figure.soft and not (figure.kind == ID and not stands and self._is_short(figure))
        if soft or self._excused(figure):
            spelling = self._spelling(figure, stands[0], stands) if stands else None
            return Standing(How.FREE if stands or not figure.soft else How.IDLE, spelling=spelling)
        records = self._bound.records(figure)
        stands = self._bound.fitting(figure, stands, records)
        stand = self._bound.own(figure, stands, records)
        if stand is None and (self._follows(figure) or (not stands and self._is_broken(figure))):
            return Standing(How.DERIVED)
        inside = [] if stand is not None else self._bound.alike(figure, records)
        if stand is None and not inside:
            stand = next(iter(stands), None)
        if stand is not None or self._is_vouched(figure):
            span = None if stand is None else self._span(stand)
            return Standing(How.FOUND, span, spelling=self._spelling(figure, stand, stands))
        reckoned = figure.kind == MONEY and self._is_reckoned(figure)
        against = "" if reckoned else self._bound.against(figure, stands, inside)
        return Standing(How.ABSENT, miss=_miss(figure), told=against)

    def _behind(self, figure: Figure) -> Standing:
        """How a figure behind those that are checked in full stands, whichever record is meant."""
        if figure.soft:
            return Standing(How.IDLE)
        stand = next(iter(self._known.find(figure)), None)
        if stand is not None:
            return Standing(How.FOUND, self._span(stand))
        if self._room > 0:
            self._room -= 1
            if self._excused(figure) or self._is_vouched(figure):
                return Standing(How.FREE)
            # a sum of figures that are not checked in full cannot be reckoned again
            if self._is_reckoned(figure) or self._follows(figure) or self._is_broken(figure):
                return Standing(How.DERIVED)
        return Standing(How.ABSENT, miss=_miss(figure))

    def _spelling(
        self, figure: Figure, stand: EvidenceValue | None, stands: Sequence[EvidenceValue]
    ) -> Spelling | None:
        """How the evidence writes a figure; None where it writes it so somewhere."""
        written = figure.text.casefold()
        if stand is None or any(one.figure.text.casefold() == written for one in stands):
            return None
        if not _says_as_much(figure, stand.figure):
            return None
        text, end = stand.figure.text, figure.end
        if figure.kind in SUMS and not same(figure, stand.figure):  # it is in another unit
            text = f"{text} {stand.figure.unit}".strip()
            behind = self._answer[end : end + len(figure.unit) + 1]
            end += len(behind) if behind.casefold().endswith(figure.unit.casefold()) else 0
        return Spelling(text, figure.start, end)

    def _is_short(self, figure: Figure) -> bool:
        """Whether it is a short id, and the evidence has others of its form."""
        shorts: ShortIds = self._evidence.derived(ShortIds)
        start, end = self._bound.scope.sentence(figure.start)
        return shorts.has_like(figure, self._answer[start:end], figure.start - start)

    def _is_vouched(self, figure: Figure) -> bool:
        """Whether forgotten text had it, or an allowlist admits it."""
        return self._evidence.vouches is not None and self._evidence.vouches(figure.text)

    def _follows(self, figure: Figure) -> bool:
        """Whether a figure is said to be reckoned, and can be; none of a sum that is wrong."""
        if figure.start in self._wrong:
            return False
        if figure.kind == MONEY and not self._is_reckoned(figure):
            return False
        return self._reckoned.gives(figure, line=self._bound.scope.around(figure.start))

    def _is_reckoned(self, figure: Figure) -> bool:
        """Whether a sentence that has this value says that it is reckoned."""
        made = self._made.get(figure.values)
        if made is None:
            places = islice(self._places[figure.values], _MOST_PLACES)
            spans = (self._bound.scope.sentence(at) for at in places)
            made = any(is_reckoned(self._answer, *span) for span in spans)
            self._made[figure.values] = made
        return made

    def _is_broken(self, figure: Figure) -> bool:
        """Whether it stands with blanks within, as wrapped text has it."""
        day = figure.value
        if isinstance(day, Day):
            return None not in day and self._known.broken("{}-{:02}-{:02}".format(*day))
        return figure.kind == ID and self._known.broken(figure.text)

    def _span(self, stand: EvidenceValue) -> Span | None:
        """The stretch of evidence in which a figure stands; None for an argument of a call."""
        if stand.piece < 0 or stand.given:
            return None
        piece = self._evidence.pieces[stand.piece]
        if not piece.lines:
            start, end = stand.figure.start, stand.figure.end
            return Span(piece.id, start, end, piece.text[start:end])
        where = pointer(stand.steps)
        line = self._evidence.derived(_lines)[stand.piece].get(where)
        if line is None:
            return None
        start, end = line
        return Span(piece.id, start, end, piece.text[start:end], where)


def _miss(figure: Figure) -> MissingValue:
    return MissingValue(figure.kind, figure.text, figure.start, figure.end)


def _says_as_much(figure: Figure, stands: Figure) -> bool:
    """Whether two figures that are the same say it as exactly: no year for a day of it."""
    one, other = figure.value, stands.value
    sums = {figure.kind, stands.kind} <= SUMS
    if not (sums or figure.kind == stands.kind) or (figure.unit == "%") != (stands.unit == "%"):
        return False
    if isinstance(one, Minute) and isinstance(other, Minute):
        return one.minutes == other.minutes
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        return abs(one) == abs(other) or not same(figure, stands)
    return one == other


def has_unchecked_figures(answer: str) -> bool:
    """
    Return whether *answer* has more figures than the 500 that are checked in full.

    >>> has_unchecked_figures("$1 " * 501), has_unchecked_figures("$1 " * 500)
    (True, False)
    """
    return len(answer) > MOST_FIGURES and len(figures(answer)) > MOST_FIGURES


def _lines(evidence: Evidence) -> list[dict[str, tuple[int, int]]]:
    """Of each piece the lines by their pointer."""
    return [{where: (start, end) for start, end, where in piece.lines} for piece in evidence]


def _stands(said: Sequence[Figure], known: ValueIndex) -> list[list[EvidenceValue]]:
    """Where each figure stands; what an answer says again is looked for once."""
    held: dict[Figure, list[EvidenceValue]] = {}
    found = []
    for one in said:
        bare = replace(one, start=0, end=0)
        if bare not in held:
            held[bare] = [*known.find(one)]
        found.append(held[bare])
    return found
