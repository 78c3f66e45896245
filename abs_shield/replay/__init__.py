"""Recorded runs judged again, as they would have been judged live."""

from abs_shield.replay.chunks import Chunk, Line, chunk_runs, chunks, raw_lines
from abs_shield.replay.heat import Cell, HeatRow, heatmap
from abs_shield.replay.job import Crew, Job, Ready
from abs_shield.replay.judge import Firewalls, Judged, judge_run
from abs_shield.replay.judging import Found, Judging, Part
from abs_shield.replay.lines import BadLine
from abs_shield.replay.reading import Begun
from abs_shield.replay.replay import replay
from abs_shield.replay.rows import Row, read_row, row
from abs_shield.replay.runs import Run, runs
from abs_shield.replay.tally import Counts, Tally
from abs_shield.replay.toolsets import Toolsets

__all__ = [
    "BadLine",
    "Begun",
    "Cell",
    "Chunk",
    "Counts",
    "Crew",
    "Firewalls",
    "Found",
    "HeatRow",
    "Job",
    "Judged",
    "Judging",
    "Line",
    "Part",
    "Ready",
    "Row",
    "Run",
    "Tally",
    "Toolsets",
    "chunk_runs",
    "chunks",
    "heatmap",
    "judge_run",
    "raw_lines",
    "read_row",
    "replay",
    "row",
    "runs",
]
