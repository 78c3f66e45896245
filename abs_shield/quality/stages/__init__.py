"""The stages of the cascade that need no model, in their order: one row a stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from abs_shield.quality.config import QualityConfig
from abs_shield.quality.stages.guardrails import check_guardrails
from abs_shield.quality.stages.hallucination import check_hallucination
from abs_shield.quality.stages.pii import check_pii
from abs_shield.quality.stages.report import StageReport
from abs_shield.quality.stages.score import check_score
from abs_shield.quality.types import AgentOutput


class Stage(NamedTuple):
    """
    A stage of the cascade.

    Attributes:
        name: Its name.
        check: Checks one output.
        gate: Whether its failure holds the output back, and ends the cascade.
    """

    name: str
    check: Callable[[AgentOutput, QualityConfig], StageReport]
    gate: bool = True


STAGES = (
    Stage("pii", check_pii),
    Stage("guardrails", check_guardrails),
    Stage("quality_score", check_score, gate=False),
    Stage("hallucination", check_hallucination),
)
