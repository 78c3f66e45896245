"""The quality cascade: five stages that check an output before it is sent."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abs_shield.quality.quality_config import QualityConfig
    from abs_shield.quality.quality_pipeline import QualityPipeline
    from abs_shield.quality.quality_stage import Stage, StageReport
    from abs_shield.quality.quality_types import (
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
    "AgentOutput": "abs_shield.quality.quality_types",
    "Band": "abs_shield.quality.quality_types",
    "OutputFinding": "abs_shield.quality.quality_types",
    "QualityAction": "abs_shield.quality.quality_types",
    "QualityConfig": "abs_shield.quality.quality_config",
    "QualityPipeline": "abs_shield.quality.quality_pipeline",
    "QualityResult": "abs_shield.quality.quality_types",
    "Stage": "abs_shield.quality.quality_stage",
    "StageOutcome": "abs_shield.quality.quality_types",
    "StageReport": "abs_shield.quality.quality_stage",
    "StageResult": "abs_shield.quality.quality_types",
    "Task": "abs_shield.quality.quality_types",
}
"""Imported lazily, because a Shield that records outputs needs only the types."""

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
    attribute = getattr(import_module(_FILE[name]), name)
    globals()[name] = attribute  # the next access does not come here
    return attribute


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
