"""Whether a claim's figures, citations and deeds stand in the evidence: no model, no opinion."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from abs_shield.answer.bound import Bound
from abs_shield.answer.citations import Citation, citations
from abs_shield.answer.claim import Claim, Miss, Scored, Span, Unavailable
from abs_shield.answer.cues import (
    is_ending,
    is_example,
    is_multiplied,
    is_reckoned,
    is_shared,
    items_of,
)
from abs_shield.answer.days import weekdays
from abs_shield.answer.deeds import Backing, ids_of, said_done
from abs_shield.answer.derived import Reckoned
from abs_shield.answer.evidence import Evidence, Source
from abs_shield.answer.figure import ID, MONEY, Day, Figure, same
from abs_shield.answer.figures import figures, settled
from abs_shield.answer.known import Known
from abs_shield.answer.opposed import Sentences, negated
from abs_shield.answer.stand import Stand
from abs_shield.text.leaves import pointer
from abs_shield.text.show import shown

FOUND, DERIVED, ABSENT, CONTRADICTED = 1.0, 0.9, 0.55, 0.25
"""P(grounded) by the worst of a claim's figures."""
_MOST_SPANS = 3
_LEAST_END = 3


def hard(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> tuple[Scored | Unavailable, ...]:
    """
    Check what can be checked without an opinion: figures, citations and deeds.

    A figure is found, derived from figures of the same reply and the newest result, or absent;
    a date, time or amount is looked for in the record that the claim, or what stands around it,
    names. What stands there for another record, and another value for the same field, is a
    contradiction; so are a source that nobody retrieved and a deed that no call stands behind.

    Args:
        claims: The claims of one answer, in order.
        evidence: What they may stand on.
        question: What was asked; its figures need no other evidence.
        answer: The whole answer, so that headings count that are no claims; without it what is
            around a claim is the other claims.

    Returns:
        One for each claim: 1.0 where all is found, .9 where something is derived, .55 where
        something is absent, .25 where it is contradicted; `Unavailable` where there is nothing
        to check, or where a miss proves nothing.
    """
    text = _whole(claims) if answer is None else answer
    check = _Check(text, evidence, question)
    return tuple(check.claim(claim) for claim in claims)


def _whole(claims: Sequence[Claim]) -> str:
    """The answer as far as its claims tell, each on a line of its own."""
    pieces, at = [], 0
    for claim in sorted(claims, key=lambda one: one.start):
        if claim.start >= at:
            pieces += ["\n" * (claim.start - at), claim.text]
            at = claim.start + len(claim.text)
    return "".join(pieces)


@dataclass(slots=True)
class _Seen:
    """What was noticed of one claim so far."""

    checked: bool = False
    score: float = FOUND
    spans: list[Span] = field(default_factory=list)
    misses: list[Miss] = field(default_factory=list)
    told: str = ""

    def worst(self, score: float, told: str = "") -> None:
        self.checked = True
        self.score = min(self.score, score)
        self.told = self.told or told


class _Check:
    """One answer against its evidence."""

    def __init__(self, answer: str, evidence: Evidence, question: str | None) -> None:
        self._answer = answer
        self._evidence = evidence
        self._known: Known = evidence.derived(Known)
        self._sentences: Sentences = evidence.derived(Sentences)
        self._figures = settled(figures(answer))
        self._starts = [one.start for one in self._figures]
        self._stands = [[*self._known.find(one)] for one in self._figures]
        self._asked = _asked(question) if question else ()
        self._bound = Bound(answer, self._figures, evidence)
        both = zip(self._figures, self._stands, strict=True)
        self._reckoned = Reckoned(
            [one for one, stands in both if stands or self._is_asked(one)],
            self._figures,
            self._known,
            items=items_of(answer),
            shared=is_shared(answer),
            multiplied=is_multiplied(answer),
            weekdays=weekdays(answer),
        )

    def claim(self, claim: Claim) -> Scored | Unavailable:
        """Check one claim."""
        seen = _Seen()
        for n in range(bisect_left(self._starts, claim.start), len(self._figures)):
            if self._starts[n] >= claim.end:
                break
            self._figure(self._figures[n], self._stands[n], seen)
        self._citations(claim, seen)
        self._deeds(claim, seen)
        if not seen.told and (against := negated(claim.text, self._sentences)):
            seen.worst(CONTRADICTED, f"the evidence says {shown(against.text)}")
        if not seen.checked:
            return Unavailable("nothing to check")
        if self._evidence.blind and seen.score < DERIVED and not seen.told:
            return Unavailable(self._evidence.blind)
        return Scored(
            score=seen.score,
            spans=tuple(dict.fromkeys(seen.spans))[:_MOST_SPANS],
            misses=tuple(seen.misses),
            contradicted=seen.told,
        )

    # Figures -------------------------------------------------------------------------------------

    def _figure(self, figure: Figure, stands: list[Stand], seen: _Seen) -> None:
        if figure.soft or self._is_excused(figure):
            seen.checked = seen.checked or bool(stands) or not figure.soft
            return
        records = self._bound.records(figure)
        stand = self._bound.own(stands, records)
        if stand is None and (self._follows(figure) or (not stands and self._is_broken(figure))):
            seen.worst(DERIVED)
            return
        inside = [] if stand is not None else self._bound.alike(figure, records)
        if stand is None and not inside:
            stand = next(iter(stands), None)
        if stand is not None or self._is_vouched(figure):
            seen.worst(FOUND)
            seen.spans += () if stand is None else self._spans(stand)
            return
        told = self._bound.against(figure, stands, inside)
        seen.misses.append(Miss(figure.kind, figure.text, figure.start, figure.end))
        seen.worst(CONTRADICTED if told else ABSENT, told)

    def _is_excused(self, figure: Figure) -> bool:
        """Whether a figure needs no evidence: asked, an example, the end of a longer one."""
        if self._is_asked(figure) or "{" in figure.text or is_example(self._answer, figure.start):
            return True
        digits = len(figure.text) >= _LEAST_END and figure.text.isdigit()
        return digits and is_ending(self._answer, figure.start) and self._known.ends(figure)

    def _is_asked(self, figure: Figure) -> bool:
        return any(same(figure, one) for one in self._asked)

    def _is_vouched(self, figure: Figure) -> bool:
        """Whether text that the run has forgotten had it."""
        return self._evidence.vouches is not None and self._evidence.vouches(figure.text)

    def _follows(self, figure: Figure) -> bool:
        """Whether a figure is said to be reckoned, and can be."""
        line = self._bound.scope.around(figure.start)
        if figure.kind == MONEY and not is_reckoned(self._answer, *line):
            return False
        return self._reckoned.gives(figure, line=line)

    def _is_broken(self, figure: Figure) -> bool:
        """Whether it stands with blanks within, as wrapped text has it."""
        day = figure.value
        if isinstance(day, Day):
            return None not in day and self._known.broken("{}-{:02}-{:02}".format(*day))
        return figure.kind == ID and self._known.broken(figure.text)

    def _spans(self, stand: Stand) -> list[Span]:
        """The stretch of evidence in which a figure stands; none for an argument of a call."""
        if stand.piece < 0 or stand.given:
            return []
        piece = self._evidence.pieces[stand.piece]
        if not piece.lines:
            start, end = stand.figure.start, stand.figure.end
            return [Span(piece.id, start, end, piece.text[start:end])]
        where = pointer(stand.steps)
        line = self._evidence.derived(_lines)[stand.piece].get(where)
        if line is None:
            return []
        start, end = line
        return [Span(piece.id, start, end, piece.text[start:end], where)]

    # Citations and deeds -------------------------------------------------------------------------

    def _citations(self, claim: Claim, seen: _Seen) -> None:
        for citation in citations(claim.text):
            told = self._unretrieved(citation)
            seen.worst(CONTRADICTED if told else FOUND, told)

    def _unretrieved(self, citation: Citation) -> str:
        """Why a source cannot have been read; empty where it can."""
        sources: _Sources = self._evidence.derived(_Sources)
        if citation.name:
            name = citation.name.casefold()
            if name in sources.ids or ("/" in name and sources.say(name)):
                return ""
            return f"{shown(citation.text)} cites a source that was not retrieved"
        numbers = citation.numbers
        far = [n for n in numbers if not 1 <= n <= sources.count and str(n) not in sources.ids]
        if not far or sources.say(citation.text.casefold()):
            return ""
        return (
            f"{shown(citation.text)} cites source {far[0]} of {sources.count} that were retrieved"
        )

    def _deeds(self, claim: Claim, seen: _Seen) -> None:
        if self._evidence.deeds is None:
            return
        backing: Backing = self._evidence.derived(Backing)
        deeds = {(said.verb, said.passive): said for said in said_done(claim.text)}
        ids = ids_of(claim.text) if deeds else frozenset()
        for said in deeds.values():
            behind = backing.behind(said, ids)
            told = "" if behind else f"{shown(said.text)}: no successful call stands behind it"
            seen.worst(FOUND if behind else CONTRADICTED, told)


@lru_cache(maxsize=16)
def _asked(question: str) -> tuple[Figure, ...]:
    """The figures of a question, which is often that of several answers."""
    return tuple(figures(question))


class _Sources:
    """What was retrieved."""

    def __init__(self, evidence: Evidence) -> None:
        results = [piece for piece in evidence if piece.source is Source.TOOL_RESULT]
        self.count = len(results)
        self.ids = {piece.id.casefold() for piece in results}
        self._texts = [piece.text.casefold() for piece in evidence]

    def say(self, text: str) -> bool:
        """Whether some text of the evidence has *text* in it."""
        return any(text in whole for whole in self._texts)


def _lines(evidence: Evidence) -> list[dict[str, tuple[int, int]]]:
    """Of each piece the lines by their pointer."""
    return [{where: (start, end) for start, end, where in piece.lines} for piece in evidence]
