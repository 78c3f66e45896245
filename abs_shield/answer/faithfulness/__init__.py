"""The faithfulness guardrail: a text passes if enough of it follows from the context."""

from __future__ import annotations

from abs_shield.answer.faithfulness.guardrail import (
    Checked,
    Faithfulness,
    FaithfulnessResult,
    LexicalProvider,
    ModelProvider,
    Provider,
    Statement,
)

__all__ = [
    "Checked",
    "Faithfulness",
    "FaithfulnessResult",
    "LexicalProvider",
    "ModelProvider",
    "Provider",
    "Statement",
]
