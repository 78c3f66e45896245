"""What a decision log says of every layer and tool, and what may be enforced."""

from abs_shield.replay.report.muted import muted
from abs_shield.replay.report.place import Place
from abs_shield.replay.report.readiness import Readiness, Reason, percent
from abs_shield.replay.report.report import OTHERS, UNREGISTERED, Report
from abs_shield.replay.report.rollout import Standing, Step, modes, rollout
from abs_shield.replay.report.totals import Totals
from abs_shield.replay.report.watch import Share, Watch

__all__ = [
    "OTHERS",
    "UNREGISTERED",
    "Place",
    "Readiness",
    "Reason",
    "Report",
    "Share",
    "Standing",
    "Step",
    "Totals",
    "Watch",
    "modes",
    "muted",
    "percent",
    "rollout",
]
