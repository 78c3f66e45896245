"""Judge recorded runs again, as they would have been judged live."""

from abs_shield.core.module_names import old_names
from abs_shield.replay.engine_job import Job, Ready, WorkerPool
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.heat_rows import Cell, HeatRow, heatmap
from abs_shield.replay.line_chunks import (
    Chunk,
    RawLine,
    SessionStart,
    chunk_runs,
    chunks,
    raw_lines,
)
from abs_shield.replay.replay_counts import LayerTally, Tally
from abs_shield.replay.replay_job import Judging, ReplayFinding, ReplayPart
from abs_shield.replay.replay_rows import Row, read_row, row
from abs_shield.replay.run_judging import Firewalls, Judged, judge_run, replay
from abs_shield.replay.run_reader import Run, runs
from abs_shield.replay.toolsets import Toolsets

__all__ = [
    "BadLine",
    "Cell",
    "Chunk",
    "Firewalls",
    "HeatRow",
    "Job",
    "Judged",
    "Judging",
    "LayerTally",
    "RawLine",
    "Ready",
    "ReplayFinding",
    "ReplayPart",
    "Row",
    "Run",
    "SessionStart",
    "Tally",
    "Toolsets",
    "WorkerPool",
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

__getattr__ = old_names(
    __name__,
    {
        "Begun": "SessionStart",
        "Counts": "LayerTally",
        "Crew": "WorkerPool",
        "Found": "ReplayFinding",
        "Line": "RawLine",
        "Part": "ReplayPart",
    },
)
