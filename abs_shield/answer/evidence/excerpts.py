"""What of some evidence a model is shown: all of it, or the windows nearest to the claims."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.evidence.windows import nearest
from abs_shield.text.show import escaped

MOST_CHARACTERS = 24_000
_MOST_CALLS = 100
_LONGEST_CALL = 400


def excerpts(
    evidence: Evidence, texts: Iterable[str], *, most: int = MOST_CHARACTERS
) -> list[dict[str, str]]:
    """
    Give the evidence as ``{"id", "source", "text"}``, in the run's order.

    Args:
        evidence: The evidence.
        texts: The claims that are judged by it.
        most: Characters at most; where it is longer, the best window of each text comes first.
    """
    pieces = evidence.pieces
    if sum(len(piece.text) for piece in pieces) <= most:
        return [_excerpt(piece.id, piece.source, piece.text) for piece in pieces]
    ranked = [nearest(text, evidence) for text in texts]
    taken: dict[tuple[str, int], str] = {}
    left = most
    for rank in range(max(map(len, ranked), default=0)):
        for span in (spans[rank] for spans in ranked if rank < len(spans)):
            if (span.piece, span.start) not in taken and len(span.text) <= left:
                taken[span.piece, span.start] = span.text
                left -= len(span.text)
    sources = {piece.id: (n, piece.source) for n, piece in enumerate(pieces)}
    placed = sorted(taken, key=lambda key: (sources[key[0]][0], key[1]))
    return [_excerpt(key[0], sources[key[0]][1], taken[key]) for key in placed]


def calls(evidence: Evidence) -> list[dict[str, str]] | None:
    """Give the calls that ran, the newest 100; None where nobody knows what ran."""
    if evidence.deeds is None:
        return None
    return [
        {"tool": escaped(deed.tool), "arguments": _written(deed.arguments)}
        for deed in evidence.deeds[-_MOST_CALLS:]
    ]


def _excerpt(name: str, source: str, text: str) -> dict[str, str]:
    return {"id": name, "source": str(source), "text": text}


def _written(arguments: Any) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=False, default=str)[:_LONGEST_CALL]
    except Exception:  # nested too deeply, or an object that breaks when it is read
        return "?"
