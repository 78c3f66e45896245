"""A critical claim as gaps to fill: what a model is asked instead of being shown the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abs_shield.answer.claim import Claim
from abs_shield.answer.faithful.scope import points_back
from abs_shield.answer.values import SUMS, Said, said_in, same
from abs_shield.text.normal import normal, words
from abs_shield.text.sentences import sentence_spans

GAP = "[ ? ]"
UNKNOWN = "unknown"
_YES = frozenset({"yes", "true", "done", "correct", "y"})
_MOST = 6
"""Values of one claim that are asked about."""
_AROUND = 600
"""Characters of the answer that stand around a gap."""


@dataclass(frozen=True, slots=True)
class Gap:
    """
    One thing to be found again.

    Attributes:
        text: The claim's sentence with one value missing; the whole one where *said* is None.
        said: The value that the answer has there; None where the question is whether it holds.
    """

    text: str
    said: Said | None

    @property
    def original(self) -> str:
        """What the answer says."""
        return "yes" if self.said is None else self.said.text

    def agrees(self, found: str) -> bool:
        """Whether what a model found is what the answer says: by value, not by spelling."""
        if self.said is None:
            return bool(_YES.intersection(words(normal(found[:40]))[:1]))
        return _matches(self.said, found)


def gaps(claim: Claim, answer: str) -> tuple[Gap, ...]:
    """
    Give what is asked about one claim: each of its values, at most 6, figures before names.

    Of a deed, and of what would be nothing but a gap, it is also asked whether it holds.

    >>> [gap.text for gap in gaps(Claim("It costs $79.", 0, 13), "It costs $79.")]
    ['It costs [ ? ].']
    """
    start, end = _around(claim, answer)
    shown = answer[start:end]
    figures_first = sorted(said_in(claim.text), key=lambda one: one.kind == "name")
    ranked = sorted(figures_first[:_MOST], key=lambda one: one.start)
    made = tuple(_gap(one, claim.start - start, shown) for one in ranked)
    bare = not any(words(normal(gap.text.replace(GAP, ""))) for gap in made)
    if not bare and "action" not in claim.kinds:
        return made
    whole = answer[start : claim.end] if points_back(claim.text) else claim.text
    return (*(() if bare else made), Gap(whole[: 2 * _AROUND], None))


def _gap(said: Said, offset: int, shown: str) -> Gap:
    at, behind = offset + said.start, offset + said.end
    before, after = shown[max(0, at - _AROUND) : at], shown[behind : behind + _AROUND]
    return Gap(f"{before}{GAP}{after}", said)


def _around(claim: Claim, answer: str) -> tuple[int, int]:
    """The claim's sentence; also the one before it where it points back to that."""
    first, last = max(0, claim.start - _AROUND), min(len(answer), claim.end + _AROUND)
    near = [(first + a, first + b) for a, b in sentence_spans(answer[first:last])]
    whole = [n for n, (a, b) in enumerate(near) if a < claim.end and claim.start < b]
    if not whole:
        return claim.start, claim.end
    head = whole[0]
    if head and points_back(answer[near[head][0] : near[head][1]]):
        head -= 1
    return min(near[head][0], claim.start), max(near[whole[-1]][1], claim.end)


def _matches(said: Said, found: str) -> bool:
    first = next(_comparable(said, found), None)
    return same(said, first or Said(said.kind, found, 0))


def _comparable(said: Said, found: str) -> Iterator[Said]:
    for one in said_in(found):
        if one.kind == said.kind or {one.kind, said.kind} <= SUMS:
            yield one
