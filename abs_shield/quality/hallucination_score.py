"""The hallucination score of an output, a weighted average of three sub-checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abs_shield.quality.quality_types import OutputFinding

# as the specification of the cascade has them: a wrong fact weighs most
WEIGHTS = {"entity": 0.40, "plausibility": 0.35, "self_contradiction": 0.25}
"""Weight of each sub-check; the weight of a missing one is distributed to the others."""
TITLES = {
    "entity": "Entity verification",
    "plausibility": "Plausibility",
    "self_contradiction": "Self-contradiction",
}


@dataclass(frozen=True, slots=True)
class SubCheck:
    """
    The result of one sub-check.

    Attributes:
        checked: Number of checked claims.
        findings: The claims that failed, each with its text and a remedy.
    """

    checked: int = 0
    findings: tuple[OutputFinding, ...] = ()

    @property
    def percent(self) -> float:
        """The share of claims that failed, in percent."""
        failures = len(self.findings)
        # a sub-check may report more failures than it counted claims, and a share is at most 100 %
        return 100.0 * failures / max(self.checked, failures) if failures else 0.0


def hallucination_score(checks: Mapping[str, SubCheck]) -> float | None:
    """
    Return the weighted average of the sub-checks that ran, in percent; None if none ran.

    >>> failure = OutputFinding(code="X", start=0, end=1, detail="x")
    >>> one, none = SubCheck(20, (failure,)), SubCheck(9)
    >>> hallucination_score({"entity": one, "plausibility": none, "self_contradiction": one})
    3.25
    >>> hallucination_score({"self_contradiction": one})
    5.0
    """
    weights = {name: weight for name, weight in WEIGHTS.items() if name in checks}
    if not weights:
        return None
    score = sum(weight * checks[name].percent for name, weight in weights.items())
    return round(score / sum(weights.values()), 6)  # hides the error of floats at the threshold
