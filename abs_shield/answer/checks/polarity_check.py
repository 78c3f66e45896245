"""Check for claims that contradict a sentence, a yes/no field or a direction of the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from abs_shield.answer.checks.conflicting_sentences import find_contradiction
from abs_shield.answer.checks.state_check import Flags
from abs_shield.answer.claim_types import NOTHING, Claim, Opinion, Opinions, contradicted
from abs_shield.answer.evidence.evidence_passages import Evidence, PassageSource
from abs_shield.core import Unavailable
from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import DEEPEST, leaves, scalar_text

# both names in one object: one of them alone has no direction
_PAIRS = (
    ("from", "to"), ("source", "destination"), ("source", "target"), ("origin", "destination"),
    ("previous", "new"), ("previous", "current"), ("old", "new"), ("old", "current"),
    ("before", "after"), ("sender", "recipient"), ("departure", "arrival"),
)  # fmt: skip
_FROM_TO = re.compile(
    r"\bfrom[ ](?P<first>[^\n]{1,80}?)[ ]to[ ](?P<second>[^\n]{1,80}?)"
    # a stop ends the direction, except after a title: "from Mr. A to Mr. B"
    r"(?=(?<!Mr|Ms|Dr)(?<!Mrs)[.!?;](?:\s|$)|[ ](?:and|from)[ ]|\n|$)",
    re.IGNORECASE,
)
_RETURN = re.compile(
    r"\b(?:back|return(?:s|ing)?|undo|revers\w+|inbound|zur\u00fcck|r\u00fcck\w+|retour|vuelta"
    r"|regreso)\b",
    re.IGNORECASE,
)
"""Words before a direction that mark the way back."""
_NONE = re.compile(
    r"\b(?:not|no|none|nothing|never|either|instead|vice versa|\w+n't|kein\w*|nicht|aucun\w*"
    r"|ning\w+)\b",
    re.IGNORECASE,
)
"""Words of a claim that denies a direction, or states an alternative."""
_WORD = re.compile(r"\w+(?:[.\-/]\w+)*")
# an object costs a lookup of each pair of names; an end has a few values, a claim few directions
_MOST_OBJECTS, _MOST_PAIRS, _MOST_LEAVES, _MOST_WAYS = 5_000, 100, 20, 20


class Ends(NamedTuple):
    """
    The values at both ends of one direction, each as its words.

    Attributes:
        first: The values at the origin.
        second: The values at the destination.
        fields: The names of both fields.
    """

    first: tuple[frozenset[str], ...]
    second: tuple[frozenset[str], ...]
    fields: tuple[str, str]


class Directions:
    """The pairs of fields of results with an origin and a destination."""

    def __init__(self, evidence: Evidence) -> None:
        results = [one.value for one in evidence if one.source is PassageSource.TOOL_RESULT]
        pairs = (ends for value in reversed(results) for ends in _ends(value))
        self._ends = [*islice(pairs, _MOST_PAIRS)]
        self._seconds = frozenset(
            word for ends in self._ends for one in ends.second for word in one
        )

    def conflict(self, claim: str) -> str:
        """Return which direction a claim has reversed, in one line; empty if none."""
        # a denial or an alternative may name the ends in either order
        if not self._ends or _NONE.search(claim):
            return ""
        for match in islice(_FROM_TO.finditer(claim), _MOST_WAYS):
            # the way back is reversed on purpose
            if _RETURN.search(claim, 0, match.start()):
                continue
            first, second = _words(match["first"]), _words(match["second"])
            # cheap: most directions start at nothing that the evidence has as a destination
            if first.isdisjoint(self._seconds):
                continue
            # one field has it as the claim does, so the claim may mean that one
            if any(_matches(first, a) or _matches(second, b) for a, b, _ in self._ends):
                continue
            turned = (one for a, b, one in self._ends if _matches(first, b) and _matches(second, a))
            if fields := next(turned, None):
                names = " and ".join(f"`{name}`" for name in fields)
                return f"the evidence has the opposite order, under {names}"
        return ""


def _ends(value: Any) -> Iterator[Ends]:
    """Yield the pairs of fields of every object in a result."""
    left, visited = [(value, 0)], 0
    while left and visited < _MOST_OBJECTS:
        item, depth = left.pop()
        visited += 1
        if depth >= DEEPEST:  # hostile nesting; deeper values are not read elsewhere either
            continue
        if isinstance(item, Mapping):
            for first, second in _PAIRS:
                if first in item and second in item:
                    yield Ends(_values(item[first]), _values(item[second]), (first, second))
        inner = item.values() if isinstance(item, Mapping) else item
        if isinstance(item, (Mapping, list)):
            left += [(one, depth + 1) for one in inner if isinstance(one, (Mapping, list))]


def _values(value: Any) -> tuple[frozenset[str], ...]:
    texts = (scalar_text(leaf) or "" for _, leaf in leaves(value, most=_MOST_LEAVES))
    # a longer value is prose, whose words an end of a claim does not repeat
    return tuple(words for text in texts if (words := _words(text[:80])))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _matches(claim_words: frozenset[str], values: tuple[frozenset[str], ...]) -> bool:
    """Return whether an end of a claim has the words of a value at an end of a direction."""
    return any(words <= claim_words for words in values)


RISES = re.compile(
    r"\b(?:grew|grow|increas|rise|rising|rose|risen|climb|gain|jump|up\b|more\b|above|higher|extra"
    r"|markup|surcharge)",
    re.IGNORECASE,
)
FALLS = re.compile(
    r"\b(?:fell|fall|drop|declin|decreas|reduc|shr[aiu]nk|down\b|less\b|fewer|below|lower|off\b"
    r"|discount|sav|cheap|cut|lost|loss|short|remain|left\b|rest\b)",
    re.IGNORECASE,
)
"""Words of a sentence with a percentage by which one number is below another."""
_UP = frozenset("growth increase gain rise appreciation".split())
_DOWN = frozenset("decrease decline drop loss reduction shrinkage depreciation".split())


def reverses_growth(sentence: str, field: str) -> bool:
    """
    Return whether a sentence reports a fall where the field reports a rise, or vice versa.

    >>> reverses_growth("Revenue fell by 20%.", "revenue_growth_pct")
    True
    >>> [reverses_growth(text, "growth") for text in ("Revenue grew by 20%.", "It is 20%.")]
    [False, False]
    """
    rises, falls = RISES.search(sentence) is not None, FALLS.search(sentence) is not None
    if rises == falls:  # "fell less than it rose" says neither
        return False
    words = frozenset(name_words(field))
    against = _UP if falls else _DOWN
    # `loss_reduction` has both directions
    return not words.isdisjoint(against) and words.isdisjoint(_DOWN if falls else _UP)


_PROPOSAL = re.compile(
    r"\b(?:please confirm|confirm if|confirm that you|for confirmation|to proceed|go ahead with"
    r"|shall i|should i)\b|\byes/no\b",
    re.IGNORECASE,
)
"""Words of an answer that asks for confirmation: it describes a plan, not the present state."""


def polarity(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> Opinions:
    """Check that nothing in the evidence says the opposite of a claim."""
    # of the whole answer: the question for confirmation often comes last
    text = " ".join(claim.text for claim in claims) if answer is None else answer
    proposes = _PROPOSAL.search(text) is not None
    return tuple(_opinion(claim.text, evidence, proposes) for claim in claims)


def _opinion(claim: str, evidence: Evidence, proposes: bool) -> Opinion | Unavailable:
    # sentences first: their conflict names a word of the evidence
    if contradiction := find_contradiction(claim, evidence):
        sentence, why = contradiction
        return contradicted(f"the evidence says otherwise: {why}", sentence.span)
    if proposes:  # a plan describes what will be, while fields have what is
        return NOTHING
    flags: Flags = evidence.derived(Flags)
    if flag := flags.find_conflict(claim):
        return contradicted(flag.conflict, flags.span(flag))
    directions: Directions = evidence.derived(Directions)
    conflict = directions.conflict(claim)
    return contradicted(conflict) if conflict else NOTHING
