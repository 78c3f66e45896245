"""A critical claim as gaps to fill: what a model is asked instead of being shown the answer."""

from __future__ import annotations

from dataclasses import dataclass

from abs_shield.answer.types import Claim
from abs_shield.text.mentions import Kind, mentions
from abs_shield.text.normal import normal, squeezed, words
from abs_shield.text.pronouns import points_back
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.tokens import keys_of
from abs_shield.text.values.figure import SUMS, Figure, same
from abs_shield.text.values.numbers import NTH
from abs_shield.text.values.reader import figures

GAP = "[ ? ]"
UNKNOWN = "unknown"
_YES = frozenset({"yes", "true", "done", "correct", "y"})
_NAME = "name"
_ALONE = ("one", "zero")
"""Words that are mostly no number."""
_OPENING = "\"'([*_#>- \t"
_MOST = 6
"""Values of one claim that are asked about."""
_MOST_READ = 1_000
"""Values of one text that are looked at."""
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
    said: Figure | None

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
    figures_first = sorted(values_in(claim.text), key=lambda one: one.kind == _NAME)
    ranked = sorted(figures_first[:_MOST], key=lambda one: one.start)
    made = tuple(_gap(one, claim.start - start, shown) for one in ranked)
    bare = not any(words(normal(gap.text.replace(GAP, ""))) for gap in made)
    if not bare and "action" not in claim.kinds:
        return made
    whole = answer[start : claim.end] if points_back(claim.text) else claim.text
    return (*(() if bare else made), Gap(whole[: 2 * _AROUND], None))


def values_in(text: str) -> list[Figure]:
    """
    Return the figures and names of *text* in order, at most 1,000; no ordinals, no list numbers.

    >>> [(one.kind, one.text) for one in values_in("Mia Li paid $1.2k on May 5 at 6:30 pm.")]
    [('name', 'Mia Li'), ('money', '$1.2k'), ('date', 'May 5'), ('time', '6:30 pm')]
    """
    found = [one for one in figures(text) if one.unit != NTH and one.text.casefold() not in _ALONE]
    taken = {place for one in found for place in range(one.start, one.end)}
    first = len(text) - len(text.lstrip(_OPENING))
    for one in mentions(text):
        opens = one.start == first and len(words(normal(one.text))) == 1
        if one.kind is Kind.NAME and not opens and taken.isdisjoint(range(one.start, one.end)):
            found.append(Figure(_NAME, one.text, one.start, one.end, (one.text,)))
    return sorted(found, key=lambda one: one.start)[:_MOST_READ]


def _gap(said: Figure, offset: int, shown: str) -> Gap:
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


def _matches(said: Figure, found: str) -> bool:
    """Whether the first value of that kind in *found* is *said*: by value, not by spelling."""
    kinds = SUMS if said.kind in SUMS else {said.kind}
    first = next((one for one in values_in(found) if one.kind in kinds), None)
    if said.kind == _NAME:
        return _is_same_name(said.text, found if first is None else first.text)
    if first is None:
        return squeezed(normal(said.text)) == squeezed(normal(found))
    return same(said, first)


def _is_same_name(one: str, other: str) -> bool:
    mine, theirs = set(keys_of(one)), set(keys_of(other))
    return bool(mine & theirs) and (mine <= theirs or theirs <= mine)
