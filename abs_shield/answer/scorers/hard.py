"""Whether a claim's figures, citations and deeds stand in the evidence: no model, no opinion."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from abs_shield.answer.citations import Citation, citations
from abs_shield.answer.claim import Claim, Miss, Scored, Span, Unavailable
from abs_shield.answer.days import weekdays
from abs_shield.answer.deeds import Backing, said_done
from abs_shield.answer.derived import Reckoned
from abs_shield.answer.evidence import Evidence, Source
from abs_shield.answer.figure import DATE, ID, MONEY, TIME, Day, Figure, same
from abs_shield.answer.figures import figures, settled
from abs_shield.answer.known import SUM_WORDS, Known, Place, Stand
from abs_shield.answer.opposed import Sentences, negated, other_value
from abs_shield.answer.records import foreign, shared
from abs_shield.answer.scope import Scope
from abs_shield.text.names import name_words
from abs_shield.text.normal import normal, words
from abs_shield.text.show import shown

FOUND, DERIVED, ABSENT, CONTRADICTED = 1.0, 0.9, 0.55, 0.25
"""P(grounded) by the worst of a claim's figures."""
_BOUND = frozenset({DATE, TIME, MONEY})
"""Kinds that are looked for in the record that the claim names."""
_MOST_SPANS = 3
_MOST_PAIRS = 4_000
_NO_FIELD = frozenset("id time date at est utc gmt local number of the is to in on and a".split())
_ITEM = re.compile(r"^[ \t]*(?:[-*\u2022]|\d{1,3}[.)])[ ]", re.MULTILINE)
_EXAMPLE = re.compile(
    r"(?:\be\.g\.|\bfor (?:example|instance)|\bsuch as|\blooks? like|\blike"
    r"|\bformat(?:ted)?(?: as| of)?|\bexample)"
    r"[\s:,`\"'\u201c*(]{0,6}$",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"\b(?:ending|ends|end|last (?:four|4)(?: digits)?)[\s:*#.x\u2022]{0,6}"
    r"(?:in|with|is|are|of)?[\s:*#.x\u2022]{0,8}$",
    re.IGNORECASE,
)
_LEAST_END = 3
_JOINED = re.compile(r"\d[\w:.+-]{0,40}$")
_RECKONED = re.compile(
    r"\b(?:total|subtotal|sum|differen|additional|extra|remain|left|refund|charge|due"
    r"|ow(?:e|ed|es|ing)\b|over(?:paid|all|charge)"
    r"|sav|cheap|more|less|increase|decrease|reduc|discount|net|combin|altogether|together"
    r"|average|mean|per|each|spen[dt]"
    r"|share|half|split|both|adjust|new (?:total|price|balance|amount|cost|fare))"
    r"|[=+\u2212\u00d7%]|[ ]-[ ][$\d]",
    re.IGNORECASE,
)
"""What a sentence says in which something is reckoned or counted."""
_SHARED = re.compile(
    r"\b(?:half|halves|split|share|shared|each|per person|equally|both|average|mean)\b",
    re.IGNORECASE,
)


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
    check = _Check(text, claims, evidence, question)
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

    def __init__(
        self, answer: str, claims: Sequence[Claim], evidence: Evidence, question: str | None
    ) -> None:
        self._evidence = evidence
        self._known: Known = evidence.derived(Known)
        self._figures = settled(figures(answer))
        self._answer = answer
        self._scope = Scope(answer, self._figures, self._known)
        self._asked = figures(question) if question else []
        self._places = [(one, self._stands(one)) for one in self._figures]
        self._starts = [one.start for one in self._figures]
        found = [one for one, stands in self._places if stands or self._is_asked(one)]
        items = len(_ITEM.findall(answer))
        self._reckoned = Reckoned(
            found,
            self._figures,
            self._known,
            items=items,
            shared=bool(_SHARED.search(answer)),
            weekdays=weekdays(answer),
        )

    def claim(self, claim: Claim) -> Scored | Unavailable:
        """Check one claim."""
        seen = _Seen()
        for n in range(bisect_left(self._starts, claim.start), len(self._places)):
            figure, stands = self._places[n]
            if figure.start >= claim.end:
                break
            self._figure(figure, stands, claim, seen)
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

    @property
    def _sentences(self) -> Sentences:
        found: Sentences = self._evidence.derived(Sentences)
        return found

    # Figures -------------------------------------------------------------------------------------

    def _stands(self, figure: Figure) -> list[Stand]:
        return [*self._known.find(figure)]

    def _excused(self, figure: Figure) -> bool:
        """Whether a figure needs no evidence: asked, an example, the end of a longer one."""
        before = self._before(figure.start)
        if self._is_asked(figure) or _EXAMPLE.search(before) or "{" in figure.text:
            return True
        digits = len(figure.text) >= _LEAST_END and figure.text.isdigit()
        return digits and bool(_ENDING.search(before)) and self._known.ends(figure)

    def _is_asked(self, figure: Figure) -> bool:
        return any(same(figure, one) for one in self._asked)

    def _figure(self, figure: Figure, stands: list[Stand], claim: Claim, seen: _Seen) -> None:
        if figure.soft:
            if stands:
                seen.checked = True
            return
        if self._excused(figure):
            seen.worst(FOUND)
            return
        records = self._scope.records(figure) if figure.kind in _BOUND else ()
        own = [stand for stand in stands if self._own(stand, records)] if records else stands
        if own:
            seen.worst(FOUND)
            seen.spans += map(self._span, own[:1])
        elif self._follows(figure) or (not stands and self._broken(figure)):
            seen.worst(DERIVED)
        elif stands and not self._has_such(figure, records):
            seen.worst(FOUND)
            seen.spans += map(self._span, stands[:1])
        elif not (self._evidence.vouches and self._evidence.vouches(figure.text)):
            told = self._against(figure, stands, records, claim)
            seen.misses.append(Miss(figure.kind, figure.text, figure.start, figure.end))
            seen.worst(CONTRADICTED if told else ABSENT, told)
        else:
            seen.worst(FOUND)

    def _own(self, stand: Stand, records: Sequence[Place]) -> bool:
        """Whether a figure stands in one of these records, or where nobody keeps records."""
        if stand.source is not Source.TOOL_RESULT or stand.piece < 0:
            return True
        return any(
            (place.piece == stand.piece and not foreign(place.steps, stand.steps))
            or (place.name and self._known.speaks_of(stand, place.name))
            for place in islice(records, _MOST_PAIRS)
        )

    def _before(self, at: int) -> str:
        """What stands before the word that holds the place *at*."""
        before = self._answer[max(0, at - 60) : at]
        return _JOINED.sub("", before)

    def _follows(self, figure: Figure) -> bool:
        """Whether a figure is said to be reckoned, and can be."""
        line = self._scope.around(figure.start)
        said = figure.kind != MONEY or _RECKONED.search(self._answer, *line)
        return bool(said) and self._reckoned.gives(figure, line=line)

    def _broken(self, figure: Figure) -> bool:
        """Whether it stands with blanks within, as wrapped text has it."""
        day = figure.value
        if isinstance(day, Day):
            return None not in day and self._known.broken("{}-{:02}-{:02}".format(*day))
        return figure.kind == ID and self._known.broken(figure.text)

    def _inside(self, records: Sequence[Place]) -> Iterator[Stand]:
        """What stands in these records."""
        for place in islice(records, 40):
            for n in islice(self._known.of_piece[place.piece], _MOST_PAIRS):
                stand = self._known.stands[n]
                if not stand.given and not foreign(place.steps, stand.steps):
                    yield stand

    def _nearest(self, records: Sequence[Place]) -> list[Stand]:
        """What stands in these records, what is nearest to a key first."""
        steps = [(place.piece, place.steps) for place in records]

        def depth(stand: Stand) -> int:
            ways = (shared(way, stand.steps) for n, way in steps if n == stand.piece)
            return -max(ways, default=0)

        return sorted(islice(self._inside(records), _MOST_PAIRS), key=depth)

    def _has_such(self, figure: Figure, records: Sequence[Place]) -> bool:
        """Whether these records have a value of that kind, so that one of another is wrong."""
        return any(_such(figure, stand) for stand in self._inside(records))

    def _against(
        self, figure: Figure, stands: list[Stand], records: Sequence[Place], claim: Claim
    ) -> str:
        """What the evidence has instead, in one line; empty where nobody can tell."""
        inside = [s for s in self._nearest(records) if _such(figure, s)]
        if stands and inside:
            there = inside[0]
            return f"{shown(figure.text)} stands for another record; here it has {_told(there)}"
        start, end = self._scope.sentence(figure.start)
        said = set(words(normal(self._answer[start:end])))
        named = [s for s in inside if _names(s.field, said)]
        if named and not any(same(figure, s.figure) for s in named):
            return f"{shown(figure.text)} is said where the evidence has {_told(named[0])}"
        other = other_value(self._answer[start:end], figure, self._sentences)
        if other is not None:
            return f"{shown(figure.text)} is said where the evidence has {shown(other[1].text)}"
        return ""

    def _span(self, stand: Stand) -> Span:
        if stand.piece < 0:
            return Span("", 0, 0, stand.figure.text)
        piece = self._evidence.pieces[stand.piece]
        if piece.lines and not stand.given:
            return self._line(stand)
        start, end = stand.figure.start, stand.figure.end
        return Span(piece.id, start, end, piece.text[start:end])

    def _line(self, stand: Stand) -> Span:
        piece = self._evidence.pieces[stand.piece]
        lines = self._evidence.derived(_lines)[stand.piece]
        pointer = "".join(
            "/" + str(step).replace("~", "~0").replace("/", "~1") for step in stand.steps
        )
        start, end = lines.get(pointer, (0, 0))
        return Span(piece.id, start, end, piece.text[start:end], pointer)

    # Citations and deeds -------------------------------------------------------------------------

    def _citations(self, claim: Claim, seen: _Seen) -> None:
        for citation in citations(claim.text):
            told = self._unretrieved(citation)
            seen.worst(CONTRADICTED if told else FOUND, told)

    def _unretrieved(self, citation: Citation) -> str:
        sources = [p for p in self._evidence if p.source is Source.TOOL_RESULT]
        ids = {piece.id.casefold() for piece in sources}
        if citation.name:
            name = citation.name.casefold()
            written = "/" in name and any(name in p.text.casefold() for p in self._evidence)
            if written or name in ids:
                return ""
            return f"{shown(citation.text)} cites a source that was not retrieved"
        far = [n for n in citation.numbers if not 1 <= n <= len(sources) and str(n) not in ids]
        if not far or any(citation.text in piece.text for piece in sources):
            return ""
        return f"{shown(citation.text)} cites source {far[0]} of {len(sources)} that were retrieved"

    def _deeds(self, claim: Claim, seen: _Seen) -> None:
        if self._evidence.deeds is None:
            return
        backing: Backing = self._evidence.derived(Backing)
        for said in said_done(claim.text):
            behind = backing.behind(said, claim.text)
            told = "" if behind else f"{shown(said.text)}: no successful call stands behind it"
            seen.worst(FOUND if behind else CONTRADICTED, told)


def _lines(evidence: Evidence) -> list[dict[str, tuple[int, int]]]:
    """Of each piece the lines by their pointer."""
    return [{pointer: (start, end) for start, end, pointer in p.lines} for p in evidence]


def _such(figure: Figure, stand: Stand) -> bool:
    """Whether what stands there is of the figure's kind: an amount under the name of one."""
    if figure.kind != MONEY:
        return figure.kind == stand.figure.kind
    if stand.figure.kind == MONEY:
        return True
    return stand.money and not SUM_WORDS.isdisjoint(name_words(stand.field))


def _names(name: str, said: set[str]) -> bool:
    """Whether a sentence speaks of the field of that name."""
    fields = {word for word in name_words(name) if word not in _NO_FIELD}
    return any(word[:5] == other[:5] for word in fields for other in said if len(other) > 2)


def _told(stand: Stand) -> str:
    """A value of the evidence with its field."""
    under = f" under `{stand.field[:60]}`" if stand.field else ""
    return f"{shown(stand.figure.text)}{under}"
