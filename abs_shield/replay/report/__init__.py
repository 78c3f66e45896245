"""The report of a decision log: counts by layer and tool, and layers that are safe to enforce."""

from abs_shield.replay.report.muted import muted
from abs_shield.replay.report.place import FindingKind, Place
from abs_shield.replay.report.readiness import Readiness, Reason, limit_text, percent
from abs_shield.replay.report.report import Report
from abs_shield.replay.report.rollout import (
    Standing,
    Step,
    modes,
    modes_line,
    modes_lines,
    rollout,
)
from abs_shield.replay.report.rows import (
    ANSWERS,
    CHECKS,
    OTHERS,
    OUTPUTS,
    STAGES,
    UNREGISTERED,
    is_text,
    noun_of,
)
from abs_shield.replay.report.slices import By, Slices
from abs_shield.replay.report.sweep import Point, Sweep
from abs_shield.replay.report.totals import Totals
from abs_shield.replay.report.watch import Share, Watch

__all__ = [
    "ANSWERS",
    "CHECKS",
    "OTHERS",
    "OUTPUTS",
    "STAGES",
    "UNREGISTERED",
    "By",
    "FindingKind",
    "Place",
    "Point",
    "Readiness",
    "Reason",
    "Report",
    "Share",
    "Slices",
    "Standing",
    "Step",
    "Sweep",
    "Totals",
    "Watch",
    "is_text",
    "limit_text",
    "modes",
    "modes_line",
    "modes_lines",
    "muted",
    "noun_of",
    "percent",
    "rollout",
]
