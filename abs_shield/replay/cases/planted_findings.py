"""Select the findings about a planted fault, and explain their absence."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from abs_shield.core import Decision, Finding, Outcome
from abs_shield.replay.cases.planted_case import PlantedCase, layer_of, values_at_path
from abs_shield.text.json_leaves import pointer

_ARGUMENT_LAYERS = frozenset({"phantom_target", "parameter_mismatch"})
"""Layers whose findings locate an argument; those of contradictions locate an entity."""


def pointing_at(
    case: PlantedCase, findings: Iterable[Finding], *, usual: Collection[object] = ()
) -> list[Finding]:
    """
    Return the expected layer's findings that weigh, at the planted argument.

    Args:
        case: The planted case.
        findings: The findings of its decision.
        usual: The gists of the findings on the recorded call, which are not about the fault.
    """
    layer = layer_of(case)
    weighing = [f for f in findings if f.check == layer and f.weighs and gist(f) not in usual]
    if "path" not in case or layer not in _ARGUMENT_LAYERS:
        return weighing  # contradictions locate an entity, so the place is not compared
    places = {"/arguments" + pointer(place) for place, _ in values_at_path(case)}
    return [finding for finding in weighing if finding.where in places]


def explain_miss(case: PlantedCase, decision: Decision, *, usual: Collection[object]) -> str:
    """
    Return the reason for a missing finding of the expected layer, as far as the decision shows it.
    """
    layer = layer_of(case)
    coverage = decision.coverage.get(layer)
    if coverage is None or coverage.outcome is not Outcome.RAN:
        return "not asked" if coverage is None else f"{coverage.outcome}: {coverage.reason}"
    for finding in decision.findings:
        if finding.check == layer and gist(finding) in usual:
            return "the recorded call is flagged in the same way"
        if finding.check == layer:
            weak = "" if finding.counted else f", strength {finding.strength} does not count"
            return f"points at {finding.where}{weak}"
    others = sorted({finding.check for finding in decision.findings if finding.counted})
    return f"no finding; {', '.join(others)} had one" if others else "ran, no finding"


def gist(finding: Finding) -> object:
    """Return the part of a finding that is equal for findings about the same thing."""
    return finding.check, finding.code, finding.where, str(finding.got)
