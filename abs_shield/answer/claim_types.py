"""Claims of an answer, the opinions of scorers on them, and those of the checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from abs_shield.core.finding import Unavailable


@dataclass(frozen=True, slots=True)
class Claim:
    """
    One factual proposition of an answer.

    Attributes:
        text: The proposition as it is written in the answer: ``answer[start:end]``.
        start: Offset of its first character in the answer.
        end: Offset after its last character.
        kinds: The reasons why it is critical: number, money, date, time, id, citation, name,
            action (what was done), commitment (what the agent says it will do).
    """

    text: str
    start: int
    end: int
    kinds: frozenset[str] = frozenset()

    @property
    def critical(self) -> bool:
        """True if it has a value, a date, an id, a citation, a name or an action to check."""
        return bool(self.kinds)


class Span(NamedTuple):
    """
    A part of a passage of evidence.

    Attributes:
        piece: The passage's id.
        start: Offset of its first character in the passage's text.
        end: Offset after its last character.
        text: The text between them.
        pointer: JSON pointer into a tool result; empty if it is not JSON.
    """

    piece: str
    start: int
    end: int
    text: str
    pointer: str = ""


class MissingValue(NamedTuple):
    """
    A token of an answer that the evidence does not have.

    Attributes:
        kind: number, money, date, time, id or name; words, if a verifier marked them.
        text: The token as it is written in the answer.
        start: Offset of its first character in the answer.
        end: Offset after its last character.
    """

    kind: str
    text: str
    start: int
    end: int


class Spelling(NamedTuple):
    """
    A value of an answer as the evidence writes it: ``206`` for "two hundred and six".

    Attributes:
        text: The evidence's spelling.
        start: Offset of the value's first character in the answer.
        end: Offset after its last character.
    """

    text: str
    start: int
    end: int


class WordCount(NamedTuple):
    """
    The number of words of a text, and of those that the evidence has.

    Attributes:
        found: Its words that the evidence has.
        read: Its words that were looked up.
    """

    found: int = 0
    read: int = 0


_NOT_COUNTED = WordCount()


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """
    One scorer's opinion on one claim.

    Attributes:
        score: P(grounded), in [0, 1], at even odds.
        spans: The evidence nearest to it, best first; at most three.
        missing: Its tokens that the evidence does not have.
        contradicted: Why the evidence says something else, one line; empty if it does not.
        spellings: Its values that the evidence has in another spelling.
        count: Its words, if the scorer looked them up.
    """

    score: float
    spans: tuple[Span, ...] = ()
    missing: tuple[MissingValue, ...] = ()
    contradicted: str = ""
    spellings: tuple[Spelling, ...] = ()
    count: WordCount = _NOT_COUNTED


Opinions = tuple[Opinion | Unavailable | None, ...]
"""One for each claim, in order; None if the scorer did not run on it."""


class Assessment(NamedTuple):
    """
    The combined opinion of all scorers on one claim.

    Attributes:
        claim: The claim.
        score: P(grounded), in [0, 1]; None if nothing could score it.
        spans: The evidence nearest to it, best first.
        missing: Its tokens that the evidence does not have.
        contradicted: Why the evidence says something else; empty if it does not.
        confirmed: Whether a scorer that may block says that it is wrong.
        words: The score of its words at even odds, in [0, 1]; None without evidence.
        against: Names of the scorers that reject it, in the order of their table.
    """

    claim: Claim
    score: float | None
    spans: tuple[Span, ...] = ()
    missing: tuple[MissingValue, ...] = ()
    contradicted: str = ""
    confirmed: bool = False
    words: float | None = None
    against: tuple[str, ...] = ()


# ABSENT is below the revise threshold (.6) and above the block threshold (.4), as agents also
# compute values; CONTRADICTED is below both
PRESENT, ABSENT, CONTRADICTED = 1.0, 0.55, 0.25
"""P(grounded) of a value that the evidence has, that it lacks, and that it contradicts."""
NOTHING = Unavailable("nothing to check")


def contradicted(conflict: str, span: Span | None = None) -> Opinion:
    """
    Return the opinion that the evidence contradicts a claim.

    Args:
        conflict: The difference, in one line. It is stored with the decision: it may name values
            and fields, but quotes no sentence of the answer or the evidence.
        span: The part of the evidence that differs; the report alone has its text.
    """
    return Opinion(score=CONTRADICTED, contradicted=conflict, spans=(span,) if span else ())


def from_conflicts(conflicts: Iterable[str]) -> Opinion | Unavailable:
    """Return the opinion from several checks of one claim, each a conflict or empty."""
    texts = [*conflicts]
    if not texts:
        return NOTHING
    conflict = next(filter(None, texts), "")
    return contradicted(conflict) if conflict else Opinion(score=PRESENT)
