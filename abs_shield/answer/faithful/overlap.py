"""How much of a claim stands in the evidence: its words, its figures, and its negation."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from abs_shield.answer.claim import Claim, Miss, Scored
from abs_shield.answer.evidence import Evidence
from abs_shield.answer.stems import stems
from abs_shield.answer.values import DATES, SUMS, Said, said_in, same
from abs_shield.answer.windows import Windows
from abs_shield.text.normal import normal, words

_NOT = frozenset(
    "not no never none nothing neither nor cannot without n't nicht kein keine nie pas jamais "
    "nunca non niemals".split()
)
_MISSED = 0.2
_NEGATED = 0.2
_MOST_FIGURES = 200


def overlap(
    claims: tuple[Claim, ...], evidence: Evidence, *, question: str | None = None
) -> tuple[Scored, ...]:
    """
    Score claims by the share of their stems in the evidence; of its nearest window twice.

    A figure or a name that the evidence has nowhere caps the score at 0.2, and so does a
    negation that stands on one side only.
    """
    windows, figures = evidence.derived(Windows), evidence.derived(_Figures)
    return tuple(_scored(claim, windows, figures) for claim in claims)


def _scored(claim: Claim, windows: Windows, figures: _Figures) -> Scored:
    said = set(stems(claim.text))
    spans = windows.nearest(claim.text)
    near = set(stems(spans[0].text)) if spans else set()
    whole = sum(stem in windows for stem in said) / len(said) if said else 0.0
    score = (whole + 2 * len(said & near) / len(said)) / 3 if said else 0.0
    misses = tuple(
        Miss(one.kind, one.text, claim.start + one.start, claim.start + one.end)
        for one in said_in(claim.text)[:_MOST_FIGURES]
        if not _stands(one, windows, figures)
    )
    contradicted = ""
    best = windows.best(claim.text, most=1)
    if best and score > _NEGATED:
        nearest = windows.sentence(best[0]).text
        if _negations(claim.text) != _negations(nearest) and _alike(said, nearest):
            contradicted = "one of the two is negated"
    cap = min(_MISSED if misses else 1.0, _NEGATED if contradicted else 1.0)
    return Scored(score=min(score, cap), spans=spans, misses=misses, contradicted=contradicted)


def _stands(said: Said, windows: Windows, figures: _Figures) -> bool:
    """Whether a figure stands in the evidence by value, a name or an id by any of its words."""
    if said.kind in SUMS | DATES:
        return figures.have(said)
    parts = stems(said.text)
    return not parts or any(stem in windows for stem in parts)


class _Figures:
    """The figures of some evidence, by value."""

    def __init__(self, evidence: Evidence) -> None:
        self._numbers: set[Decimal] = set()
        self._others: list[Said] = []
        self._known: set[str] = set()
        for one in _all(evidence):
            if one.kind in SUMS:
                self._numbers.update(one.numbers)
            elif one.text not in self._known:
                self._known.add(one.text)
                self._others.append(one)

    def have(self, said: Said) -> bool:
        if said.kind in SUMS:
            return not self._numbers.isdisjoint(said.numbers)
        return said.text in self._known or any(same(said, one) for one in self._others[:2_000])


def _all(evidence: Evidence) -> Iterable[Said]:
    return (one for piece in evidence for one in said_in(piece.text))


def _negations(text: str) -> bool:
    return not _NOT.isdisjoint(words(normal(text.replace("n't", " not"))))


def _alike(said: set[str], sentence: str) -> bool:
    there = set(stems(sentence))
    return len(said & there) * 4 >= 3 * len(said)
