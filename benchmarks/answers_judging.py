"""The claims of an answer as the benchmark takes them, and what the hard checks say of them."""

from __future__ import annotations

import re

from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.claim_types import Claim, Opinion
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.text.sentences import sentence_spans

_NO_CLAIM = re.compile(
    r"```.*?(?:```|\Z)|<(think|thinking|function-thoughts|scratchpad)>.*?(?:</\1>|\Z)"
    r"|<function=.*?(?:</function>|\Z)",
    re.DOTALL,
)
"""Code, thoughts and calls written as text."""


def claims(answer: str) -> tuple[Claim, ...]:
    """The sentences of an answer that claim something: no question, no code, no thought."""
    silent = [match.span() for match in _NO_CLAIM.finditer(answer)]
    return tuple(
        Claim(answer[start:end], start, end)
        for start, end in sentence_spans(answer)
        if not answer[start:end].rstrip(" *_\"')").endswith("?")
        and not any(first <= start < behind for first, behind in silent)
    )


def scored(answer: str, evidence: Evidence, question: str | None = None) -> list[Opinion]:
    """Return the opinions of the hard checks on an answer."""
    scores = hard(claims(answer), evidence, question=question, answer=answer)
    return [one for one in scores if isinstance(one, Opinion)]
