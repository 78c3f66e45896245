"""Recorded runs judged again, as they would have been judged live."""

from abs_shield.replay.heat import Cell, HeatRow, heatmap
from abs_shield.replay.judge import Firewalls, Judged, judge_run
from abs_shield.replay.lines import BadLine
from abs_shield.replay.replay import replay
from abs_shield.replay.rows import Row, read_row, row
from abs_shield.replay.runs import Run, runs
from abs_shield.replay.tally import Counts, Tally
from abs_shield.replay.toolsets import Toolsets

__all__ = [
    "BadLine",
    "Cell",
    "Counts",
    "Firewalls",
    "HeatRow",
    "Judged",
    "Row",
    "Run",
    "Tally",
    "Toolsets",
    "heatmap",
    "judge_run",
    "read_row",
    "replay",
    "row",
    "runs",
]
