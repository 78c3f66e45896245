"""The quality cascade: five stages over an output, before anybody receives it."""

from abs_shield.quality.config import QualityConfig
from abs_shield.quality.pipeline import QualityPipeline
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

__all__ = [
    "AgentOutput",
    "Band",
    "OutputFinding",
    "QualityAction",
    "QualityConfig",
    "QualityPipeline",
    "QualityResult",
    "StageOutcome",
    "StageResult",
    "Task",
]
