"""Selection of the evidence that a judge reads: all of it, or the windows nearest to the claims."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from abs_shield.answer.evidence.passages import Evidence
from abs_shield.answer.evidence.windows import nearest
from abs_shield.model import fenced
from abs_shield.text.safe_display import escaped

# some 6,000 tokens, a small model's context; a question is short
_MOST_CHARACTERS, _LONGEST_QUESTION = 24_000, 8_000
_MOST_CALLS, _LONGEST_CALL = 100, 400  # calls of a long run, and their first arguments


def fence_evidence(
    evidence: Evidence, texts: Iterable[str], question: str | None = None
) -> list[str]:
    """
    Return the evidence as fenced data: passages, the calls that ran, the question.

    Args:
        evidence: The evidence.
        texts: The claims to be judged. If the evidence is longer than 24,000 characters, only the
            windows nearest to them are included, in the run's order.
        question: The user's question, if known.
    """
    data = [fenced("evidence", _excerpts(evidence, texts))]
    if evidence.executed is not None:
        newest = evidence.executed[-_MOST_CALLS:]
        calls = [{"tool": escaped(d.tool), "arguments": _write(d.arguments)} for d in newest]
        data.append(fenced("calls", calls))
    if question:
        data.append(fenced("question", question[:_LONGEST_QUESTION]))
    return data


def _excerpts(evidence: Evidence, texts: Iterable[str]) -> list[dict[str, str]]:
    passages = evidence.pieces
    if sum(len(passage.text) for passage in passages) <= _MOST_CHARACTERS:
        chosen = [(place, 0, passage.text) for place, passage in enumerate(passages)]
    else:
        chosen = _windows(evidence, texts)
    return [
        {"id": passages[n].id, "source": str(passages[n].source), "text": text}
        for n, _, text in chosen
    ]


def _windows(evidence: Evidence, texts: Iterable[str]) -> list[tuple[int, int, str]]:
    """Return the best window of each claim, then the second best, as (place, start, text)."""
    ranked = [nearest(text, evidence) for text in texts]
    places = {passage.id: place for place, passage in enumerate(evidence.pieces)}
    chosen: dict[tuple[int, int], str] = {}
    left = _MOST_CHARACTERS
    for rank in range(max(map(len, ranked), default=0)):
        for span in (spans[rank] for spans in ranked if rank < len(spans)):
            key = (places[span.piece], span.start)
            if key not in chosen and len(span.text) <= left:
                chosen[key] = span.text
                left -= len(span.text)
    return [(*key, chosen[key]) for key in sorted(chosen)]


def _write(arguments: Any) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=False, default=str)[:_LONGEST_CALL]
    except Exception:  # nested too deeply, or an object that fails when it is read
        return "?"
