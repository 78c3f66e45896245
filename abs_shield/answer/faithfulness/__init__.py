"""The faithfulness guardrail: a text passes if enough of it follows from the context."""

from __future__ import annotations

from abs_shield.answer.faithfulness.guardrail import Faithfulness
from abs_shield.answer.faithfulness.providers import (
    Judged,
    LexicalProvider,
    ModelProvider,
    Provider,
    Verdict,
)
from abs_shield.answer.faithfulness.result import FaithfulnessResult, Statement
from abs_shield.answer.faithfulness.streaming import Checked

__all__ = [
    "Checked",
    "Faithfulness",
    "FaithfulnessResult",
    "Judged",
    "LexicalProvider",
    "ModelProvider",
    "Provider",
    "Statement",
    "Verdict",
]
