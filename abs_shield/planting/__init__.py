"""Plant faults in recorded runs, to measure recall on an agent's own runs."""

from __future__ import annotations

from abs_shield.core.module_names import old_names
from abs_shield.planting.case_folder import (
    FILES,
    MANIFEST,
    FolderCounts,
    FolderWriter,
    Sample,
    manifest,
)
from abs_shield.planting.joined_runs import Joined, join_runs, sessions
from abs_shield.planting.planted_call import PlantedKind
from abs_shield.planting.planted_kinds import KINDS

__all__ = [
    "FILES",
    "KINDS",
    "MANIFEST",
    "FolderCounts",
    "FolderWriter",
    "Joined",
    "PlantedKind",
    "Sample",
    "join_runs",
    "manifest",
    "sessions",
]

__getattr__ = old_names(__name__, {"joined": "join_runs"})
