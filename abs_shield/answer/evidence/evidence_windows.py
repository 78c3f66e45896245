"""Windows of evidence nearest to a claim, for models that judge it; all of it where it fits."""

from __future__ import annotations

import json
from collections.abc import Iterable
from heapq import nlargest
from math import log
from typing import Any

from abs_shield.answer.claim_types import Span
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.sentence_index import CALL_PIECE, SentenceIndex, index_of
from abs_shield.model import fenced
from abs_shield.text.safe_display import escaped
from abs_shield.text.tokens import keys_of

_MOST_KEYS = 60  # more words are a list, of which the first ones suffice
_REACH = 8
"""Most sentences on either side of a window's central one; more exceed its length anyway."""
LONGEST = 1_200
"""Most characters of a window: a paragraph, which a small model reads without a cut."""


def nearest(
    text: str, evidence: Evidence, *, most: int = 3, longest: int = LONGEST
) -> tuple[Span, ...]:
    """Return the windows with the rarest words of *text*, best first, without overlaps."""
    index = index_of(evidence)
    weights: dict[int, float] = {}
    for key in list(dict.fromkeys(keys_of(text)))[:_MOST_KEYS]:
        places = index.postings.get(key, ())
        for place in places:
            rarity = log(1 + len(index.sentences) / len(places))
            weights[place] = weights.get(place, 0.0) + rarity
    # four times, as neighbours overlap
    ranked = nlargest(4 * most, weights, key=weights.__getitem__)
    return _windows_of(ranked, index, most=most, longest=longest)


def first(evidence: Evidence, *, most: int = 3, longest: int = LONGEST) -> tuple[Span, ...]:
    """Return the first windows of the evidence, for a claim that shares no word with it."""
    index = index_of(evidence)
    return _windows_of(range(len(index.sentences)), index, most=most, longest=longest)


def _windows_of(
    places: Iterable[int], index: SentenceIndex, *, most: int, longest: int
) -> tuple[Span, ...]:
    spans: list[Span] = []
    for place in places:
        one = index.sentences[place]
        if one.piece == CALL_PIECE:
            continue
        passage = index.pieces[one.piece]
        if any(s.piece == passage.id and one.start < s.end and s.start < one.end for s in spans):
            continue
        start, end = _around(place, index, longest)
        spans.append(Span(passage.id, start, end, passage.text[start:end]))
        if len(spans) == most:
            break
    return tuple(spans)


def _around(place: int, index: SentenceIndex, longest: int) -> tuple[int, int]:
    """Return the offsets of a sentence with as many neighbours in the passage as fit."""
    one = index.sentences[place]
    start, end = one.start, min(one.end, one.start + longest)
    for step in range(1, _REACH + 1):
        # both sides in turn, so that the central sentence stays central
        for near in (place + step, place - step):
            other = index.sentences[near] if 0 <= near < len(index.sentences) else None
            if other is None or other.piece != one.piece:
                continue
            if max(end, other.end) - min(start, other.start) <= longest:
                start, end = min(start, other.start), max(end, other.end)
    return start, end


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
        chosen = _windows_text(evidence, texts)
    return [
        {"id": passages[n].id, "source": str(passages[n].source), "text": text}
        for n, _, text in chosen
    ]


def _windows_text(evidence: Evidence, texts: Iterable[str]) -> list[tuple[int, int, str]]:
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
