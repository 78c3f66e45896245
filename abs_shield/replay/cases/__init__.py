"""Faults planted in recorded runs: read from a folder, and placed in their runs."""

from __future__ import annotations

from abs_shield.core.renamed import old_names
from abs_shield.replay.cases.case_files import MUTATIONS, RUNS, TOOLSETS, Cases, read_cases
from abs_shield.replay.cases.planted_case import (
    Expect,
    Operation,
    PlantedCase,
    layer_of,
    read_case,
    value_of,
)
from abs_shield.replay.cases.planted_findings import explain_miss, gist, pointing_at
from abs_shield.replay.cases.planted_runs import before_call, call_count, with_call
from abs_shield.replay.cases.right_calls import set_aside

__all__ = [
    "MUTATIONS",
    "RUNS",
    "TOOLSETS",
    "Cases",
    "Expect",
    "Operation",
    "PlantedCase",
    "before_call",
    "call_count",
    "explain_miss",
    "gist",
    "layer_of",
    "pointing_at",
    "read_case",
    "read_cases",
    "set_aside",
    "value_of",
    "with_call",
]

__getattr__ = old_names(__name__, {"why_not": "explain_miss"})
