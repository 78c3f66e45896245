"""Faults planted in recorded runs, so that recall can be measured on an agent of one's own."""

from __future__ import annotations

from abs_shield.replay.planting.folder import FILES, MANIFEST, FolderCounts, FolderWriter, manifest
from abs_shield.replay.planting.joining import Joined, joined, sessions
from abs_shield.replay.planting.kinds import KINDS
from abs_shield.replay.planting.planted_call import PlantedKind
from abs_shield.replay.planting.sample import Sample

__all__ = [
    "FILES",
    "KINDS",
    "MANIFEST",
    "FolderCounts",
    "FolderWriter",
    "Joined",
    "PlantedKind",
    "Sample",
    "joined",
    "manifest",
    "sessions",
]
