"""Scorer with a verifier, which reads the windows of evidence nearest to each claim."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from abs_shield.answer.claim_types import Claim, MissingValue, Opinion, Span
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.evidence_windows import LONGEST, first, nearest
from abs_shield.answer.verifier import Odds, Verifier, read_odds
from abs_shield.core import Unavailable
from abs_shield.text.safe_display import describe_exception, escaped

_LONGEST_CLAIM = 2_000  # a claim of a verifier's training is a sentence
_CONTRADICTED_FROM = 0.5  # more likely than not; models without such a class return 0


def verify(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    model: Verifier,
    windows: int = 3,
    longest: int = LONGEST,
) -> tuple[Opinion | Unavailable, ...]:
    """
    Score claims by a verifier: the best probability over the windows and their concatenation.

    Args:
        claims: The claims.
        evidence: The evidence.
        question: The user's question, for a verifier that uses it.
        model: The verifier.
        windows: Windows of each claim, at most.
        longest: Characters of a window, at most.

    Returns:
        One for each claim; `Unavailable` without evidence, or if the verifier failed.
    """
    spans = [
        nearest(claim.text, evidence, most=windows, longest=longest)
        or first(evidence, most=windows, longest=longest)
        for claim in claims
    ]
    joined = ["\n".join(span.text for span in near) for near in spans]
    premises: defaultdict[str, list[int]] = defaultdict(list)
    for place, near in enumerate(spans):
        # all windows together, as a claim may join facts of two
        for premise in dict.fromkeys([*(span.text for span in near), joined[place]]):
            premises[premise].append(place)
    premises.pop("", None)
    odds: dict[tuple[int, str], Odds] = {}
    try:
        for premise, places in premises.items():
            texts = [claims[place].text[:_LONGEST_CLAIM] for place in places]
            reply = read_odds(_ask(model, premise, texts, question), texts)
            odds |= {(place, premise): one for place, one in zip(places, reply, strict=True)}
    except Exception as error:
        return tuple(
            Unavailable(f"the verifier failed: {escaped(describe_exception(error))}")
            for _ in claims
        )
    return tuple(
        _opinion(claim, [(odds[n, span.text], span) for span in spans[n]], odds.get((n, joined[n])))
        for n, claim in enumerate(claims)
    )


def _ask(model: Any, premise: str, texts: list[str], question: str | None) -> object:
    more = {"question": question} if getattr(model, "uses_question", False) else {}
    return model(premise, texts, **more)


def _opinion(
    claim: Claim, pairs: list[tuple[Odds, Span]], together: Odds | None
) -> Opinion | Unavailable:
    if together is None:
        return Unavailable("there is no evidence")
    ranked = sorted(pairs, key=lambda pair: -pair[0].entailed)
    best = max(ranked[0][0], together, key=lambda one: one.entailed)
    against, span = max(pairs, key=lambda pair: pair[0].contradicted)
    # both: many models are unsure about the same pair
    refuted = against.contradicted >= _CONTRADICTED_FROM and against.contradicted > best.entailed
    nearest_first = [one for _, one in ranked]
    return Opinion(
        score=min(best.entailed, 1 - against.contradicted) if refuted else best.entailed,
        spans=tuple(dict.fromkeys([*([span] if refuted else []), *nearest_first]))[:3],
        missing=tuple(_missing(claim, *stretch) for stretch in best.unsupported),
        contradicted="the evidence says otherwise" if refuted else "",
    )


def _missing(claim: Claim, start: int, end: int) -> MissingValue:
    text = claim.text[start:end].strip()
    start = claim.start + claim.text.index(text, start)
    return MissingValue("words", text, start, start + len(text))
