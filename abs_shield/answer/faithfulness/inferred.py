"""Whether statements can be inferred from a context, by their words: strictly, without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abs_shield.answer.checks.hard import hard
from abs_shield.answer.evidence.sentence_index import Index, index_of
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.faithfulness.refuted import refuted
from abs_shield.answer.scorers.lexical.respelling import respell
from abs_shield.answer.scorers.words import words
from abs_shield.answer.types import Claim, MissingValue, Opinion, Unavailable
from abs_shield.text.mentions import Kind, mentions
from abs_shield.text.stem import lowered
from abs_shield.text.tokens import HEDGES, STOP, TITLES, Token, tokens
from abs_shield.text.values.figure import Figure
from abs_shield.text.values.reader import figures

MOST_READ = 4_000
"""Characters of a statement in which names and figures are looked for; a longer one is not."""
_ABSENT, _REFUTED = 0.2, 0.1
_OPENS = frozenset('.!?:\u3002"\u201c(*-')


def inferred(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> tuple[Opinion, ...]:
    """
    Score statements as the lexical scorer does, and far down whatever is not in the context.

    A figure that the hard checks do not find, a number or a name that stands nowhere, and a
    sentence that says otherwise, each is enough.

    Args:
        claims: Statements of one text.
        evidence: The context.
        question: What was asked.
        answer: The whole text.

    Returns:
        One for each claim, in order: at most .2 where something is missed, .1 where it is refuted.
    """
    checked = hard(claims, evidence, question=question, answer=answer)
    scored = words(claims, evidence, question=question, facts=checked)
    index = index_of(evidence)
    return tuple(_strict(*one, index) for one in zip(claims, scored, checked, strict=True))


def _strict(claim: Claim, scored: Opinion, checked: Opinion | Unavailable, index: Index) -> Opinion:
    found = checked if isinstance(checked, Opinion) else None
    missing = _misses(claim, scored, found, index)
    told = found.contradicted if found else ""
    if not told and scored.spans:
        read = respell(claim, found.spellings if found else ())
        told = refuted(read.text, scored.spans[0].text)
    cap = _REFUTED if told else _ABSENT if missing else 1.0
    spans = found.spans if found and told and found.spans else scored.spans
    score = min(scored.score, cap)
    return Opinion(score=score, spans=spans, missing=missing, contradicted=told)


def _misses(
    claim: Claim, scored: Opinion, found: Opinion | None, index: Index
) -> tuple[MissingValue, ...]:
    """What the hard checks miss, and the words and numbers that they do not look for."""
    firm = [one for one in figures(claim.text[:MOST_READ]) if not one.soft]
    missing = [*found.missing] if found else []
    missing += (
        one
        for one in scored.missing
        if one.kind == "name" or not _within(one.start - claim.start, firm)
    )
    missing += _names(claim, index)
    taken: dict[tuple[int, int], MissingValue] = {}
    for one in sorted(missing, key=lambda one: (one.start, -one.end)):
        taken.setdefault((one.start, one.end), one)
    return tuple(taken.values())


def _within(at: int, firm: Sequence[Figure]) -> bool:
    """Whether a place is in a figure that the hard checks look for."""
    return any(one.start <= at < one.end for one in firm)


def _names(claim: Claim, index: Index) -> Iterator[MissingValue]:
    """Names that the lexical scorer takes for other words, and those at a statement's beginning."""
    text = claim.text[:MOST_READ]
    read = tokens(text, most=MOST_READ)
    for mention in mentions(text):
        if mention.kind is not Kind.NAME:
            continue
        parts = [one for one in read if mention.start <= one.start < mention.end and not one.figure]
        for part in parts:
            if _is_name(part, text, alone=len(parts) == 1) and not index.has(_named(part)):
                start, end = claim.start + part.start, claim.start + part.end
                yield MissingValue("name", text[part.start : part.end], start, end)


def _is_name(part: Token, text: str, *, alone: bool) -> bool:
    """Whether a capital says so: not one that begins a sentence, and no small word or title."""
    word = lowered(text[part.start : part.end])
    begins = text[: part.start].rstrip()[-1:] in ("", *_OPENS)
    if word in STOP or word in TITLES or (begins and alone):
        return False
    return part.content or (word in HEDGES and not begins)


def _named(part: Token) -> Token:
    return part._replace(named=True)
