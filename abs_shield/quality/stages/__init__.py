"""The stages of the cascade that need no model, in order."""

from __future__ import annotations

from abs_shield.quality.stage import Stage
from abs_shield.quality.stages.guardrails import check_guardrails
from abs_shield.quality.stages.hallucination_stage import check_hallucination
from abs_shield.quality.stages.pii import check_pii
from abs_shield.quality.stages.score_stage import check_score

# personal data first, as it must never be sent; then from cheap to expensive
STAGES = (
    Stage("pii", check_pii),
    Stage("guardrails", check_guardrails),
    Stage("quality_score", check_score, gate=False),
    Stage("hallucination", check_hallucination),
)
