"""One proposition of an answer, and what a scorer says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from abs_shield.core.finding import Unavailable

__all__ = ["Claim", "MissingValue", "Opinion", "Span", "Spelling", "Unavailable"]


@dataclass(frozen=True, slots=True)
class Claim:
    """
    One factual proposition of an answer.

    Attributes:
        text: The proposition as it stands in the answer: ``answer[start:end]``.
        start: Offset of its first character in the answer.
        end: Offset behind its last character.
        kinds: What makes it critical: number, money, date, time, id, citation, name,
            action (what was done), commitment (what the agent says it will do).
    """

    text: str
    start: int
    end: int
    kinds: frozenset[str] = frozenset()

    @property
    def critical(self) -> bool:
        """Whether it has a figure, a date, an id, a citation, a name or a deed to check."""
        return bool(self.kinds)


class Span(NamedTuple):
    """
    A stretch of a piece of evidence.

    Attributes:
        piece: The piece's id.
        start: Offset of its first character in the piece's text.
        end: Offset behind its last character.
        text: What stands there.
        pointer: JSON pointer into a tool result; empty where it is no JSON.
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
        kind: number, money, date, time, id or name.
        text: The token as it stands in the answer.
        start: Offset of its first character in the answer.
        end: Offset behind its last character.
    """

    kind: str
    text: str
    start: int
    end: int


class Spelling(NamedTuple):
    """
    A figure of an answer as the evidence writes it: ``206`` for "two hundred and six".

    Attributes:
        text: How the evidence writes it.
        start: Offset of its first character in the answer.
        end: Offset behind its last character.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """
    What one scorer says of one claim.

    Attributes:
        score: P(grounded), in [0, 1], at even odds.
        spans: The evidence nearest to it, best first; at most three.
        missing: Its tokens that the evidence does not have.
        contradicted: Why the evidence says something else, one line; empty where it does not.
        spellings: Its figures that the evidence has, and writes otherwise.
    """

    score: float
    spans: tuple[Span, ...] = ()
    missing: tuple[MissingValue, ...] = ()
    contradicted: str = ""
    spellings: tuple[Spelling, ...] = ()
