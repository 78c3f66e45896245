"""The findings that are about a planted fault, and why there may be none."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from abs_shield.core import Decision, Finding, Outcome
from abs_shield.replay.cases.planted_case import PlantedCase, layer_of, places_of
from abs_shield.text.leaves import pointer

_POINTING = frozenset({"phantom_target", "parameter_mismatch"})
"""Layers that point at an argument; a contradiction points at the entity that it is about."""


def pointing_at(
    case: PlantedCase, findings: Iterable[Finding], *, usual: Collection[object] = ()
) -> list[Finding]:
    """
    Return the findings that weigh, of the expected layer, at the planted argument.

    Args:
        case: The planted case.
        findings: What the layers found in it.
        usual: The gists of what they find in the recorded call: those say nothing of the fault.
    """
    layer = layer_of(case)
    weighing = [f for f in findings if f.check == layer and f.weighs and gist(f) not in usual]
    if "path" not in case or layer not in _POINTING:
        return weighing
    places = {"/arguments" + pointer(place) for place, _ in places_of(case)}
    return [finding for finding in weighing if finding.where in places]


def why_not(case: PlantedCase, decision: Decision, *, usual: Collection[object]) -> str:
    """Return why the expected layer may have found nothing, as far as the decision shows."""
    layer = layer_of(case)
    coverage = decision.coverage.get(layer)
    if coverage is None or coverage.outcome is not Outcome.RAN:
        return "not asked" if coverage is None else f"{coverage.outcome}: {coverage.reason}"
    for finding in decision.findings:
        if finding.check == layer and gist(finding) in usual:
            return "the call as it was recorded is flagged alike"
        if finding.check == layer:
            weak = "" if finding.counted else f", strength {finding.strength} does not count"
            return f"points at {finding.where}{weak}"
    others = sorted({finding.check for finding in decision.findings if finding.counted})
    return f"said nothing; {', '.join(others)} did" if others else "ran, said nothing"


def gist(finding: Finding) -> object:
    """Return what two findings have in common that are about the same thing."""
    return finding.check, finding.code, finding.where, str(finding.got)
