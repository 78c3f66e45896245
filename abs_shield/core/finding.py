"""The results of a check: a finding, or the reason why the check could not run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from abs_shield.core.vocabularies import Mode, Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    A problem that a check found.

    Attributes:
        check: Name of the check, e.g. ``"phantom_tool"``.
        verdict: SUSPICIOUS or HALLUCINATED.
        strength: Probability that the finding is right, in [0, 1]; 1 is certain.
        where: JSON pointer into the call, ``"/name"`` or ``"/arguments/..."``; into the result;
            or into the report on an answer, ``"/claims/0"``.
        detail: One line that names the actual and the expected value.
        code: Stable identifier of the kind of problem, e.g. ``"unknown_tool"``.
        hint: What to do instead, in one line; may be empty.
        got: The offending value, shortened; None if there is none.
        expected: A description of what would be valid.
        allowed: The valid values or names, at most 20.
        nearest: The valid one that was probably meant; empty if none is near.
        evidence: Supporting facts, e.g. a rule's file and line; JSON-able.
        basis: Class of findings on which the strength was measured; empty if it was not measured.
        mode: The mode under which this finding was judged.
        counted: Whether the policy's threshold lets it change the verdict.
        suppressed: Whether a suppression of the policy applies to it.
    """

    check: str
    verdict: Verdict
    strength: float
    where: str
    detail: str
    code: str
    hint: str = ""
    got: Any = None
    expected: str = ""
    allowed: tuple[Any, ...] = ()
    nearest: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    basis: str = ""
    mode: Mode = Mode.STRICT
    counted: bool = True
    suppressed: bool = False

    @property
    def weighs(self) -> bool:
        """Return whether this finding contributes to the verdict."""
        return self.counted and not self.suppressed

    def weighed(self, *, mode: Mode, counted: bool, suppressed: bool) -> Finding:
        """
        Return a copy with the policy's settings; `dataclasses.replace` would take twice as long.

        Args:
            mode: The mode that applies to the finding.
            counted: Whether its strength reaches the policy's threshold.
            suppressed: Whether a suppression applies to it.
        """
        if (mode, counted, suppressed) == (self.mode, self.counted, self.suppressed):
            return self
        return Finding(
            check=self.check, verdict=self.verdict, strength=self.strength, where=self.where,
            detail=self.detail, code=self.code, hint=self.hint, got=self.got,
            expected=self.expected, allowed=self.allowed, nearest=self.nearest,
            evidence=self.evidence, basis=self.basis, mode=mode, counted=counted,
            suppressed=suppressed,
        )  # fmt: skip


_ROUNDING = 1e-12
"""Tolerance for the rounding of 1 - threshold: 0.2 must count at a threshold of 0.8."""


def counts(strength: float, *, threshold: float) -> bool:
    """
    Return whether a finding of this strength may change the verdict at this sensitivity.

    >>> counts(0.2, threshold=0.8), counts(0.19, threshold=0.8)
    (True, False)
    """
    return strength >= least_strength(threshold)


def least_strength(threshold: float) -> float:
    """Return the least strength of a finding that may change the verdict at this sensitivity."""
    return 1 - threshold - _ROUNDING


class Unavailable(NamedTuple):
    """
    A check lacks the data that it needs; this is counted separately, not as a pass.

    Attributes:
        reason: What the check lacks.
    """

    reason: str


class Failed(NamedTuple):
    """
    A part of a check failed: an internal error, never a verdict.

    Attributes:
        message: The failure, in one line.
    """

    message: str


_LONGEST_REASON = 160  # reasons are keys of counters; this fits in two lines of a terminal
QUOTED = re.compile(r"(?<!\w)([\"'])(?:(?!\1).)*\1")
"""A quotation; an apostrophe inside a word, as in "don't", opens none."""
_DIGITS = re.compile(r"\d+")


class Coverage(NamedTuple):
    """
    The outcome of one check.

    Attributes:
        outcome: Whether the check ran, lacked data, was off, or failed.
        reason: Why it did not run; empty if it ran.
    """

    outcome: Outcome
    reason: str = ""

    def without_values(self) -> Coverage:
        """
        Return a copy without the values that the reason quotes, to count equal reasons together.

        >>> Coverage(Outcome.ERROR, "`late` raised: no date in 'tx_17', row 3").without_values()[1]
        "`late` raised: no date in '...', row N"
        """
        if not self.reason:
            return self
        # Cut first: on unpaired quotation marks the search takes quadratic time.
        reason = QUOTED.sub(r"\1...\1", self.reason[: 4 * _LONGEST_REASON])
        # Only in messages of exceptions: numbers in our own reasons are limits, which differ.
        if self.outcome is Outcome.ERROR:
            reason = _DIGITS.sub("N", reason)
        return Coverage(self.outcome, reason[:_LONGEST_REASON])


RAN = Coverage(Outcome.RAN)
