"""Recognisers: the pattern, validation and context words of an identifier."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from abs_shield.errors import PolicyError
from abs_shield.quality.pii.context import PhraseMatch

ENOUGH = 0.5
"""Minimum confidence of a match; a recogniser with less strength needs context words."""
LONGEST_REACH = 60
"""Maximum distance of a context word; words farther away introduce something else."""
NO_DATE = r"(?!(?:(?:19|20)\d\d[-./ ]\d\d[-./ ]\d\d|\d\d[-./ ]\d\d[-./ ](?:19|20)\d\d)(?!\d))"
"""Prefix of patterns without check digit, to exclude dates."""
_OTHER = re.compile(r"[^A-Za-z0-9]+")
_END = r"(?![A-Za-z0-9_])(?![.,/-]\d)"
"""Suffix of patterns: an identifier is not the start of a longer word, number or date."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # a row is found by identity
class Recogniser:
    """
    The recogniser of one identifier.

    Attributes:
        name: The kind of identifier, such as `SSN`.
        pattern: The pattern, matched from the first character on.
        strength: Confidence without context words, in [0, 1]; below `ENOUGH` they are required.
        validator: Returns whether a match is valid.
        compact: Whether the validator receives only letters, in upper case, and digits.
        context: Words that introduce it, in the languages of its jurisdiction, without accents.
        jurisdiction: ISO 3166 code of the issuing country; empty for any.
        vague: Context words that also introduce other things; they count only if `backed`
            returns true.
        backed: Returns whether a vague word counts, given the text, the word and the match's
            place.
        yields: Words directly before a match that make it something else, even if no context is
            required.
        fits: Returns whether the surroundings allow a match, given the text and its place.
        reach: Characters before the identifier in which a context word counts.
        sign: A character that each match contains. A recogniser with a sign is searched for in
            the whole text; others only where a word or a number with a digit begins.

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
    backed: Callable[[str, PhraseMatch, tuple[int, int]], bool] | None = None
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
        """Return whether the validator accepts a match as written."""
        if self.validator is None:
            return True
        return self.validator(_OTHER.sub("", written).upper() if self.compact else written)


def form(body: str) -> re.Pattern[str]:
    """
    Compile the pattern of an identifier, case-insensitive.

    >>> bool(form(r"\\d{3}-\\d{2}").match("123-45")), bool(form(r"\\d{3}-\\d{2}").match("123-456"))
    (True, False)
    """
    # ASCII, because digits of other scripts have no checksum here
    return re.compile(rf"(?:{body}){_END}", re.IGNORECASE | re.ASCII)


def capitals(body: str) -> re.Pattern[str]:
    """Compile the pattern of an identifier with upper-case letters only."""
    return re.compile(rf"(?:{body}){_END}", re.ASCII)


def phrases(listed: str) -> frozenset[str]:
    """
    Return the phrases of a comma-separated list.

    >>> sorted(phrases("ssn, social security"))
    ['social security', 'ssn']
    """
    return frozenset(phrase.strip() for phrase in listed.split(",") if phrase.strip())
