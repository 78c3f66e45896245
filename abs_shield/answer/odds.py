"""At which odds a claim is judged before anything speaks for or against it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from abs_shield.answer.combination import Said, moved
from abs_shield.answer.evidence.types import Source
from abs_shield.answer.extraction.claims import is_label
from abs_shield.answer.request import Asked
from abs_shield.answer.types import Claim, Opinion, Span
from abs_shield.stats.logodds import log_odds, probability

_BESIDE_SENTENCES = log_odds(0.8)
"""Of real answers to questions about retrieved text, one in five is bad."""
_KEY = re.compile(r"[\s*>-]*[\w .\"'-]{1,30}:\s")
_SENTENCE = 6
"""Words from which on a stretch of evidence says something itself; fewer are a value."""


def at_odds(
    claim: Claim, one: Opinion, check: Said, asked: Asked, sources: Mapping[str, Source]
) -> Opinion:
    """
    Give a lexical score at the odds of a run.

    What a tool returned as records is told in other words than stand there, so that a claim has
    the run's base rate; so has a deed, which calls stand behind. Of what a sentence of a result
    is near, words tell more: the odds are lower. A claim that names what the run has not seen is
    judged at even odds.

    Args:
        claim: The claim.
        one: Its score at even odds.
        check: What the hard checks say of it.
        asked: What is checked; its prior is that of the run.
        sources: Where each piece of evidence came from.
    """
    if not asked.prior or _names_new(claim, one):
        return one
    backed = "action" in claim.kinds and isinstance(check, Opinion)
    near = not backed and _is_near_a_sentence(one, sources)
    prior = min(asked.prior, _BESIDE_SENTENCES) if near else asked.prior
    return replace(one, score=moved(one.score, prior))


def at_base_rate(one: Opinion, asked: Asked) -> Opinion:
    """Return a lexical score with the run's base rate in its place: its words count for nothing."""
    return replace(one, score=probability(asked.prior))


def _names_new(claim: Claim, one: Opinion) -> bool:
    return any(miss.kind != "number" and not is_label(claim, miss) for miss in one.missing)


def _is_near_a_sentence(one: Opinion, sources: Mapping[str, Source]) -> bool:
    return any(
        sources.get(span.piece) is Source.TOOL_RESULT and _is_sentence(span) for span in one.spans
    )


def _is_sentence(span: Span) -> bool:
    said = span.text.partition(": ")[2] if span.pointer else _KEY.sub("", span.text, count=1)
    return len(said.split(None, _SENTENCE)) >= _SENTENCE
