"""The report of a decision log: counts by layer and tool, and layers that are safe to enforce."""

from abs_shield.core.module_names import old_names
from abs_shield.report.decision_report import Report
from abs_shield.report.decision_slices import By, Slices
from abs_shield.report.layer_counts import LayerCounts, Share
from abs_shield.report.layer_report import FindingKind, LayerReport
from abs_shield.report.log_totals import Totals
from abs_shield.report.probability_sweep import Sweep, ThresholdPoint
from abs_shield.report.readiness import Readiness, ReadinessReason, limit_text, percent
from abs_shield.report.report_rows import (
    ANSWERS,
    CHECKS,
    OTHERS,
    OUTPUTS,
    STAGES,
    UNREGISTERED,
    is_text,
    noun_of,
)
from abs_shield.report.rollout import (
    RolloutStep,
    Standing,
    modes,
    modes_line,
    modes_lines,
    rollout,
    silent_layers,
)

__all__ = [
    "ANSWERS",
    "CHECKS",
    "OTHERS",
    "OUTPUTS",
    "STAGES",
    "UNREGISTERED",
    "By",
    "FindingKind",
    "LayerCounts",
    "LayerReport",
    "Readiness",
    "ReadinessReason",
    "Report",
    "RolloutStep",
    "Share",
    "Slices",
    "Standing",
    "Sweep",
    "ThresholdPoint",
    "Totals",
    "is_text",
    "limit_text",
    "modes",
    "modes_line",
    "modes_lines",
    "noun_of",
    "percent",
    "rollout",
    "silent_layers",
]

__getattr__ = old_names(
    __name__,
    {
        "Place": "LayerReport",
        "Point": "ThresholdPoint",
        "Reason": "ReadinessReason",
        "Step": "RolloutStep",
        "Watch": "LayerCounts",
        "muted": "silent_layers",
    },
)
