"""The quality cascade: five stages that check an output before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abs_shield.core.module_names import lazy_names

if TYPE_CHECKING:
    from abs_shield.quality.quality_config import QualityConfig
    from abs_shield.quality.quality_pipeline import QualityPipeline
    from abs_shield.quality.quality_types import (
        AgentOutput,
        Band,
        OutputFinding,
        QualityAction,
        QualityResult,
        Stage,
        StageOutcome,
        StageReport,
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
    "Stage": "abs_shield.quality.quality_types",
    "StageOutcome": "abs_shield.quality.quality_types",
    "StageReport": "abs_shield.quality.quality_types",
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

__getattr__, __dir__ = lazy_names(__name__, _FILE)
