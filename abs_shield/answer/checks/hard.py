"""The deterministic checks of a claim: values, actions, sources and polarity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from abs_shield.answer.checks.actions import said_done
from abs_shield.answer.checks.assertions import is_proposal
from abs_shield.answer.checks.backing import Backing
from abs_shield.answer.checks.citations import Sources
from abs_shield.answer.checks.conflicts import contrary
from abs_shield.answer.checks.named_ids import Named, ids_of
from abs_shield.answer.checks.record_scope import RecordScope
from abs_shield.answer.checks.states import Flags, told
from abs_shield.answer.checks.values import CONTRADICTED, FOUND, facts, joined
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.answer.types import (
    Claim,
    MissingValue,
    Opinion,
    Opinions,
    Span,
    Spelling,
    Unavailable,
)
from abs_shield.text.citations import citations
from abs_shield.text.show import shown
from abs_shield.text.values.reader import figures, settled

_MOST_SPANS = 3
_MOST_ACTIONS = 50
"""Actions of one claim that are looked at each where it is; of the others one of a kind."""
_NOTHING = Unavailable("nothing to check")


def sources(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> Opinions:
    """Check that each citation names a source that was retrieved."""
    known: Sources = evidence.derived(Sources)
    return tuple(
        _opinion([known.unretrieved(one) for one in citations(claim.text)]) for claim in claims
    )


def actions(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> Opinions:
    """Check that a call that ran is behind each action that a claim says was done."""
    if evidence.deeds is None:
        return (Unavailable("it is not known which calls ran"),) * len(claims)
    backing: Backing = evidence.derived(Backing)
    return tuple(_opinion([*_unbacked(claim, backing)]) for claim in claims)


def _unbacked(claim: Claim, backing: Backing) -> Iterable[str]:
    """Yield one text for each action: why nothing is behind it, empty if something is."""
    found = [*said_done(claim.text)]
    kinds = {said._replace(text="", start=0, end=0): said for said in reversed(found)}
    ids = ids_of(claim.text) if found else Named()
    for said in dict.fromkeys((*found[:_MOST_ACTIONS], *kinds.values())):
        behind = backing.behind(said, ids)
        yield "" if behind else f"{shown(said.text)}: no successful call stands behind it"


def polarity(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> Opinions:
    """Check that no sentence and no yes/no field of the evidence says the opposite of a claim."""
    text = joined(claims) if answer is None else answer
    flags: Flags = evidence.derived(Flags)
    scope = None
    if flags and not is_proposal(text):
        known: ValueIndex = evidence.derived(ValueIndex)
        scope = RecordScope(text, settled(figures(text))[:500], known)
    return tuple(_opposed(claim, evidence, flags, scope) for claim in claims)


def _opposed(
    claim: Claim, evidence: Evidence, flags: Flags, scope: RecordScope | None
) -> Opinion | Unavailable:
    if against := contrary(claim.text, evidence):
        sentence, why = against
        return _refuted(f"the evidence says {shown(sentence.text)}: {why}")
    if scope is None:
        return _NOTHING
    named = scope.named(claim.start, claim.start + len(claim.text))
    flag = flags.against(claim.text, named, above=lambda: scope.above(claim.start))
    return _refuted(told(flag), flags.span(flag)) if flag else _NOTHING


def _refuted(conflict: str, span: Span | None = None) -> Opinion:
    return Opinion(score=CONTRADICTED, contradicted=conflict, spans=(span,) if span else ())


def _opinion(conflicts: Sequence[str]) -> Opinion | Unavailable:
    """Return what several yes or no checks come to."""
    if not conflicts:
        return _NOTHING
    conflict = next(filter(None, conflicts), "")
    return _refuted(conflict) if conflict else Opinion(score=FOUND)


def hard(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> tuple[Opinion | Unavailable, ...]:
    """Return one opinion a claim from all deterministic checks: the worst score, all the rest."""
    each = (
        facts(claims, evidence, question=question, answer=answer),
        sources(claims, evidence),
        actions(claims, evidence),
        polarity(claims, evidence, answer=answer),
    )
    return tuple(_joined(some) for some in zip(*each, strict=True))


def _joined(some: Iterable[Opinion | Unavailable | None]) -> Opinion | Unavailable:
    given = [*some]
    found = [one for one in given if isinstance(one, Opinion)]
    if not found:
        said = [one for one in given if isinstance(one, Unavailable) and one is not _NOTHING]
        return said[0] if said else _NOTHING
    return Opinion(
        score=min(one.score for one in found),
        spans=tuple(dict.fromkeys(span for one in found for span in one.spans))[:_MOST_SPANS],
        missing=tuple(value for one in found for value in one.missing),
        contradicted=next((one.contradicted for one in found if one.contradicted), ""),
        spellings=tuple(value for one in found for value in one.spellings),
    )


def spellings_of(checks: Iterable[Opinion | Unavailable | None]) -> list[Spelling]:
    """Return the values that the checks have found in another spelling."""
    return [some for one in checks if isinstance(one, Opinion) for some in one.spellings]


def missing_of(checks: Iterable[Opinion | Unavailable | None]) -> list[MissingValue]:
    """Return the values that the checks have not found."""
    return [some for one in checks if isinstance(one, Opinion) for some in one.missing]
