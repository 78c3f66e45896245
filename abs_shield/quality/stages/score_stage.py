"""Stage 3: the quality score of a sample of outputs."""

from __future__ import annotations

from abs_shield.quality.quality_config import QualityConfig
from abs_shield.quality.quality_types import AgentOutput, StageOutcome
from abs_shield.quality.sampling import is_sampled
from abs_shield.quality.score import score_quality
from abs_shield.quality.stage import StageReport


def check_score(output: AgentOutput, config: QualityConfig) -> StageReport:
    """Score a sampled output; a score never holds an output back."""
    if not is_sampled(output.output_id, config.sample_rate):
        return StageReport(StageOutcome.SKIPPED, reason="not in the sample")
    score = score_quality(output.text, config.score)
    return StageReport(score=score.value, reason="; ".join(score.problems))
