"""The quality cascade: five stages over an output, before anybody receives it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abs_shield.quality.config import QualityConfig
    from abs_shield.quality.pipeline import QualityPipeline
    from abs_shield.quality.stage import Stage, StageReport
    from abs_shield.quality.types import (
        AgentOutput,
        Band,
        OutputFinding,
        QualityAction,
        QualityResult,
        StageOutcome,
        StageResult,
        Task,
    )

_FILE = {
    "AgentOutput": "abs_shield.quality.types",
    "Band": "abs_shield.quality.types",
    "OutputFinding": "abs_shield.quality.types",
    "QualityAction": "abs_shield.quality.types",
    "QualityConfig": "abs_shield.quality.config",
    "QualityPipeline": "abs_shield.quality.pipeline",
    "QualityResult": "abs_shield.quality.types",
    "Stage": "abs_shield.quality.stage",
    "StageOutcome": "abs_shield.quality.types",
    "StageReport": "abs_shield.quality.stage",
    "StageResult": "abs_shield.quality.types",
    "Task": "abs_shield.quality.types",
}
"""Imported when they are asked for: a Shield that records outputs needs their types alone."""

__all__ = [
    "AgentOutput",
    "Band",
    "OutputFinding",
    "QualityAction",
    "QualityConfig",
    "QualityPipeline",
    "QualityResult",
    "Stage",
    "StageOutcome",
    "StageReport",
    "StageResult",
    "Task",
]


def __getattr__(name: str) -> Any:
    if name not in _FILE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_FILE[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
