"""Stage 1: personal data, a hard gate."""

from __future__ import annotations

from abs_shield.quality.pii.allowed_values import is_allowed
from abs_shield.quality.pii.detector import detect
from abs_shield.quality.pii.masking import TABLE
from abs_shield.quality.pii.pii_feedback import feedback
from abs_shield.quality.pii.pii_findings import finding
from abs_shield.quality.quality_config import QualityConfig
from abs_shield.quality.quality_types import AgentOutput, StageOutcome
from abs_shield.quality.stage import StageReport


def check_pii(output: AgentOutput, config: QualityConfig) -> StageReport:
    """Fail an output that exposes personal data; the message never repeats a value."""
    entities_of_text = detect(output.text, config.detectors or (TABLE,))
    allowed = [pattern.casefold() for pattern in config.public_contacts]
    entities = [
        one for one in entities_of_text if not is_allowed(output.text[one.start : one.end], allowed)
    ]
    if not entities:
        return StageReport()
    return StageReport(StageOutcome.FAILED, tuple(map(finding, entities)), feedback(entities))
