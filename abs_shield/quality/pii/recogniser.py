"""One row of the table of recognisers: how an identifier is written, checked and introduced."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from abs_shield.errors import PolicyError
from abs_shield.quality.pii.context import Hit

ENOUGH = 0.5
"""Confidence from which a match counts; a row below it needs context words."""
LONGEST_REACH = 60
"""The longest distance of a context word; words farther away introduce something else."""
NO_DATE = r"(?!(?:(?:19|20)\d\d[-./ ]\d\d[-./ ]\d\d|\d\d[-./ ]\d\d[-./ ](?:19|20)\d\d)(?!\d))"
"""What stands before a form that has no check digit: it is not a date."""
_OTHER = re.compile(r"[^A-Za-z0-9]+")
_END = r"(?![A-Za-z0-9_])(?![.,/-]\d)"
"""An identifier is not the beginning of a longer word, number, date or version."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # a row is found by identity
class Recogniser:
    """
    How one identifier is recognised.

    Attributes:
        name: What it recognises, such as `SSN`.
        pattern: How the identifier is written, from its first character on.
        strength: Confidence without context words, in [0, 1]; below `ENOUGH` they are required.
        validator: Whether a match can be one.
        compact: Whether the validator receives the letters, as capitals, and the digits alone.
        context: Words that introduce it, in the languages of its jurisdiction, without accents.
        jurisdiction: ISO 3166 code of the country that issues it; empty where any does.
        vague: Words of the context that introduce other things too; they count where `backed` says.
        backed: Whether a vague word counts, given the text, the word and the match's place.
        yields: Words directly before a match that make it something else, though it has no need
            of context.
        fits: Whether what stands around a match lets it be one, given the text and its place.
        reach: Characters before the identifier in which a context word counts.
        sign: A character that each match contains. A row with a sign is searched for in the whole
            text; a row without one only where a word or a number with a digit begins.

    Raises:
        PolicyError: Its strength or reach is out of range, or it needs context and has none.
    """

    name: str
    pattern: re.Pattern[str]
    strength: float
    validator: Callable[[str], bool] | None = None
    compact: bool = True
    context: frozenset[str] = frozenset()
    jurisdiction: str = ""
    vague: frozenset[str] = frozenset()
    backed: Callable[[str, Hit, tuple[int, int]], bool] | None = None
    yields: frozenset[str] = frozenset()
    fits: Callable[[str, int, int], bool] | None = None
    reach: int = LONGEST_REACH
    sign: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.strength <= 1:
            raise PolicyError(f"recogniser `{self.key}`: `strength` must be in [0, 1]")
        if not 0 <= self.reach <= LONGEST_REACH:
            raise PolicyError(f"recogniser `{self.key}`: `reach` must be in [0, {LONGEST_REACH}]")
        if self.strength < ENOUGH and not self.context:
            raise PolicyError(
                f"recogniser `{self.key}` never counts: give it `context`, or a `strength` of "
                f"{ENOUGH} or more"
            )

    @property
    def key(self) -> str:
        """The jurisdiction and the name, as in `US.SSN`."""
        return f"{self.jurisdiction}.{self.name}" if self.jurisdiction else self.name

    def accepts(self, written: str) -> bool:
        """Return whether the validator accepts a match as it is written."""
        if self.validator is None:
            return True
        return self.validator(_OTHER.sub("", written).upper() if self.compact else written)


def form(body: str) -> re.Pattern[str]:
    """
    Compile how an identifier is written, in capitals or not.

    >>> bool(form(r"\\d{3}-\\d{2}").match("123-45")), bool(form(r"\\d{3}-\\d{2}").match("123-456"))
    (True, False)
    """
    return re.compile(rf"(?:{body}){_END}", re.IGNORECASE | re.ASCII)


def capitals(body: str) -> re.Pattern[str]:
    """Compile how an identifier is written whose letters are always capitals."""
    return re.compile(rf"(?:{body}){_END}", re.ASCII)


def phrases(listed: str) -> frozenset[str]:
    """
    Return the phrases of a list that is separated by commas.

    >>> sorted(phrases("ssn, social security"))
    ['social security', 'ssn']
    """
    return frozenset(phrase.strip() for phrase in listed.split(",") if phrase.strip())
