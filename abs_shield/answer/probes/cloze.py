"""
Cloze questions: a critical claim with gaps, which the judge fills without the answer's values.
"""

from __future__ import annotations

from dataclasses import dataclass

from abs_shield.answer.claim_types import Claim
from abs_shield.text.mentions import MentionKind, mentions
from abs_shield.text.normal_form import alphanumerics, normal, words
from abs_shield.text.sentences import sentence_spans, starts_with_pronoun
from abs_shield.text.tokens import keys_of
from abs_shield.text.values.figure import SUMS, Figure, figures_agree
from abs_shield.text.values.figure_reader import figures
from abs_shield.text.values.number_values import NTH

GAP = "[ ? ]"
_YES = frozenset({"yes", "true", "done", "correct", "y"})
_NAME = "name"
_RARELY_NUMBERS = ("one", "zero")  # words, seldom counts: "the one"
_OPENING = "\"'([*_#>- \t"
# a claim has a few values; a reply's first value is at its beginning; a sentence has 200 characters
_MOST_GAPS, _MOST_READ, _AROUND = 6, 1_000, 600


@dataclass(frozen=True, slots=True)
class ClozeGap:
    """
    One cloze question about a claim.

    Attributes:
        text: The claim's sentence without one of its values; complete if *value* is None.
        value: The answer's value; None if the question is whether the claim is true.
    """

    text: str
    value: Figure | None

    @property
    def original(self) -> str:
        """The answer's value as it is written; ``yes`` for a whole claim."""
        return "yes" if self.value is None else self.value.text

    def agrees(self, reply: str) -> bool:
        """Return whether a reply has the answer's value, in whatever spelling."""
        if self.value is None:
            # only the first word: "yes, but no"
            return bool(_YES.intersection(words(normal(reply[:40]))[:1]))
        return _matches(self.value, reply)


def gaps(claim: Claim, answer: str) -> tuple[ClozeGap, ...]:
    """
    Return the questions about a claim: one for each value, at most 6, names last.

    An action, and a claim that consists only of its value, is also asked about as a whole.

    >>> [gap.text for gap in gaps(Claim("It costs $1.2k.", 0, 15), "It costs $1.2k.")]
    ['It costs [ ? ].']
    """
    start, end = _sentence(claim, answer)
    shown, offset = answer[start:end], claim.start - start
    by_kind = sorted(values_in(claim.text), key=lambda one: one.kind == _NAME)
    values = sorted(by_kind[:_MOST_GAPS], key=lambda one: one.start)
    gap_list = tuple(_gap(one, shown, offset) for one in values)
    # without other words, the gaps have nothing that a model could look up
    if not any(words(normal(gap.text.replace(GAP, ""))) for gap in gap_list):
        gap_list = ()
    elif "action" not in claim.kinds:
        return gap_list
    whole = answer[start : claim.end] if starts_with_pronoun(claim.text) else claim.text
    return (*gap_list, ClozeGap(whole[: 2 * _AROUND], None))


def values_in(text: str) -> list[Figure]:
    """
    Return the values and names of *text* in order, at most 1,000; no ordinals.

    >>> [(one.kind, one.text) for one in values_in("Mia Li paid $1.2k on May 5 at 6:30 pm.")]
    [('name', 'Mia Li'), ('money', '$1.2k'), ('date', 'May 5'), ('time', '6:30 pm')]
    """
    values = [
        one
        for one in figures(text)
        if one.unit != NTH and one.text.casefold() not in _RARELY_NUMBERS
    ]
    taken = {place for one in values for place in range(one.start, one.end)}
    first = len(text) - len(text.lstrip(_OPENING))
    for one in mentions(text):
        # a first word has a capital anyway
        opens = one.start == first and len(words(normal(one.text))) == 1
        if (
            one.kind is MentionKind.NAME
            and not opens
            and taken.isdisjoint(range(one.start, one.end))
        ):
            values.append(Figure(_NAME, one.text, one.start, one.end, (one.text,)))
    return sorted(values, key=lambda one: one.start)[:_MOST_READ]


def _gap(value: Figure, shown: str, offset: int) -> ClozeGap:
    start, end = offset + value.start, offset + value.end
    before, after = shown[max(0, start - _AROUND) : start], shown[end : end + _AROUND]
    return ClozeGap(f"{before}{GAP}{after}", value)


def _sentence(claim: Claim, answer: str) -> tuple[int, int]:
    """Return the offsets of the claim's sentence, with the previous one if it refers back."""
    first, last = max(0, claim.start - _AROUND), min(len(answer), claim.end + _AROUND)
    near = [(first + a, first + b) for a, b in sentence_spans(answer[first:last])]
    inside = [n for n, (a, b) in enumerate(near) if a < claim.end and claim.start < b]
    if not inside:
        return claim.start, claim.end
    head = inside[0]
    # "It costs ...": the sentence before names what
    if head and starts_with_pronoun(answer[near[head][0] : near[head][1]]):
        head -= 1
    return min(near[head][0], claim.start), max(near[inside[-1]][1], claim.end)


def _matches(value: Figure, reply: str) -> bool:
    """Return whether the first value of its kind in a reply is *value*."""
    kinds = SUMS if value.kind in SUMS else {value.kind}
    first = next((one for one in values_in(reply) if one.kind in kinds), None)
    if value.kind == _NAME:
        return _is_same_name(value.text, reply if first is None else first.text)
    if first is None:
        return alphanumerics(normal(value.text)) == alphanumerics(normal(reply))
    return figures_agree(value, first)


def _is_same_name(one: str, other: str) -> bool:
    mine, theirs = set(keys_of(one)), set(keys_of(other))
    # a part of the name is enough: "Dr. Okafor" for "Ada Okafor"
    return bool(mine & theirs) and (mine <= theirs or theirs <= mine)
