"""The faithfulness guardrail: a text passes if enough of it can be inferred from the context."""

from __future__ import annotations

from abs_shield.answer.faithfulness.faithfulness_guardrail import Faithfulness
from abs_shield.answer.faithfulness.faithfulness_providers import (
    LexicalProvider,
    ModelProvider,
    Provider,
    ProviderVerdicts,
    StatementVerdict,
)
from abs_shield.answer.faithfulness.faithfulness_result import FaithfulnessResult, Statement
from abs_shield.answer.faithfulness.streamed_text import StreamedPart
from abs_shield.core.module_names import old_names

__all__ = [
    "Faithfulness",
    "FaithfulnessResult",
    "LexicalProvider",
    "ModelProvider",
    "Provider",
    "ProviderVerdicts",
    "Statement",
    "StatementVerdict",
    "StreamedPart",
]

__getattr__ = old_names(
    __name__,
    {"Checked": "StreamedPart", "Judged": "ProviderVerdicts", "Verdict": "StatementVerdict"},
)
