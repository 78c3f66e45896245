"""One thing one check noticed, and the two things a check says when it could not look."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from abs_shield.core.vocabularies import Mode, Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    One thing one check noticed.

    Attributes:
        check: Name of the check that noticed it, e.g. ``"phantom_tool"``.
        verdict: SUSPICIOUS or HALLUCINATED; a check with nothing to say yields no finding.
        strength: Probability that the finding is right, in [0, 1]; 1 is certain.
        where: JSON pointer into the call: ``"/name"`` or ``"/arguments/..."``; of a result, into
            the result; of an answer, into its report: ``"/claims/0"``.
        detail: One line that names what was got and what was expected.
        code: Stable word for the kind of fault, e.g. ``"unknown_tool"``.
        hint: What to do instead, one line; empty where nothing is known.
        got: The offending value, shortened; None where there is none.
        expected: What would have been right, in words.
        allowed: The values or names that would have been right, at most 20.
        nearest: The allowed one that was probably meant; empty where none is near.
        evidence: Facts behind it, e.g. a rule's file and line; JSON-able.
        basis: Class of findings that the strength was measured on; empty where it was not.
        mode: The mode under which this finding was judged.
        counted: Whether the policy's threshold lets it change the verdict.
        suppressed: Whether a suppression of the policy silences it.
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
        """Return whether this finding has a say in the verdict."""
        return self.counted and not self.suppressed

    def weighed(self, *, mode: Mode, counted: bool, suppressed: bool) -> Finding:
        """
        Return the finding as a policy weighs it; `dataclasses.replace` takes twice as long.

        Args:
            mode: The mode that applies to the finding.
            counted: Whether it is strong enough to count under the threshold.
            suppressed: Whether a suppression silences it.
        """
        return Finding(
            check=self.check, verdict=self.verdict, strength=self.strength, where=self.where,
            detail=self.detail, code=self.code, hint=self.hint, got=self.got,
            expected=self.expected, allowed=self.allowed, nearest=self.nearest,
            evidence=self.evidence, basis=self.basis, mode=mode, counted=counted,
            suppressed=suppressed,
        )  # fmt: skip


_ROUNDING = 1e-12
"""Rounding of 1 - threshold: a strength of 0.2 counts at a threshold of 0.8."""


def counts(strength: float, *, threshold: float) -> bool:
    """
    Return whether a finding of this strength may change the verdict at this sensitivity.

    >>> counts(0.2, threshold=0.8), counts(0.19, threshold=0.8)
    (True, False)
    """
    return strength >= 1 - threshold - _ROUNDING


class Unavailable(NamedTuple):
    """
    A check had nothing to go on; this is counted, and is not a pass.

    Attributes:
        reason: What the check lacks.
    """

    reason: str


class Failed(NamedTuple):
    """
    A part of a check broke; this is our error, never a verdict.

    Attributes:
        message: What broke, in one line.
    """

    message: str


_LONGEST_REASON = 160  # a key of counters: two lines of a terminal hold it
# An apostrophe inside a word, as in "don't", opens no quotation.
_QUOTED = re.compile(r"(?<!\w)([\"'])(?:(?!\1).)*\1")
_DIGITS = re.compile(r"\d+")


class Coverage(NamedTuple):
    """
    Return whether one check ran.

    Attributes:
        outcome: Whether the check ran, had nothing to go on, was off, or broke.
        reason: Why it did not run; empty if it ran.
    """

    outcome: Outcome
    reason: str = ""

    def without_values(self) -> Coverage:
        """
        Return the same without the values that a reason quotes, so that equal faults are equal.

        >>> Coverage(Outcome.ERROR, "`late` raised: no date in 'tx_17', row 3").without_values()[1]
        "`late` raised: no date in '...', row N"
        """
        if not self.reason:
            return self
        # Cut before the search, which takes quadratic time on quotation marks without a partner.
        reason = _QUOTED.sub(r"\1...\1", self.reason[: 4 * _LONGEST_REASON])
        # Only foreign messages: the numbers of our own reasons are bounds, and tell faults apart.
        if self.outcome is Outcome.ERROR:
            reason = _DIGITS.sub("N", reason)
        return Coverage(self.outcome, reason[:_LONGEST_REASON])


RAN = Coverage(Outcome.RAN)
