"""Find layers that cannot have a finding, whatever a call does."""

from __future__ import annotations

from abs_shield.core import LAYER_NAMES, Outcome
from abs_shield.report.decision_report import Report
from abs_shield.report.layer_report import LayerReport


def silent_layers(report: Report) -> dict[str, str]:
    """Return the layers that cannot have a finding, with the reasons."""
    # all are silent until a layer has judged something
    silent = {name: "the policy does not run it" for name in LAYER_NAMES}
    for layer in report.layers():
        silent.pop(layer, None)
        if why := _silence(report.place(layer)):
            silent[layer] = why
    return silent if report.layers() else {}


def _silence(place: LayerReport) -> str:
    counts = place.counts
    if not counts.ran:
        why = place.reason(Outcome.ERROR) or place.reason(Outcome.UNAVAILABLE)
        return f"it judged none of {counts.calls:,} calls: {why}"
    if counts.findings and not counts.flagged:
        return (
            f"none of its {counts.findings:,} findings counts: {counts.suppressed:,} are suppressed"
            f", {counts.uncounted:,} are below the threshold"
        )
    return ""
