"""Parameters that name what a run must have seen, and those that are judged so for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.replay.mining.draft import Suggestion, SuggestionKind
from abs_shield.replay.mining.mining_study import (
    LEAST,
    LIKELY,
    SURE,
    ParameterStudy,
    Study,
    least,
    share,
)

_FREE_FROM = 0.2
"""Lower end of the share of false alarms from which a parameter is called free text."""
_DOUBTED_FROM = 0.05
_NEARLY_ALL = 0.9
_ALWAYS = 60
"""Calls with a source, none without, from which it is said that an unseen value may be blocked."""
_SAID = {
    "hard": "a target without a mark, as an identifier",
    "who": "a target without a mark, as a person or an account",
    "soft": "a weaker target without a mark, as a name or a place",
}


def targets(study: Study) -> Iterator[Suggestion]:
    """``code`` held what a result brought in 60 of 60 calls: ``targets={"code": Target()}``."""
    for tool in study.plans:
        for subject in study.parameters(tool):
            if not subject.read.creates:
                yield from _of(subject, writes=study.plans[tool].writes)
            elif subject.seen.asked >= LEAST and not subject.is_nested:
                yield from _target(subject)


def _of(subject: ParameterStudy, *, writes: bool) -> Iterator[Suggestion]:
    seen = subject.seen
    mostly = bool(seen.asked) and seen.judged / seen.asked >= _NEARLY_ALL
    if subject.read.judged in _SAID or mostly:
        yield _remark(subject)
        yield from _free(subject, writes=writes)
    elif seen.judged and seen.alarms:
        yield from _free(subject, writes=writes)
    elif seen.asked >= LEAST and not (subject.is_listed or subject.read.free):
        yield from _target(subject)


def _remark(subject: ParameterStudy) -> Suggestion:
    said = _SAID.get(
        subject.read.judged, "a target without a mark, where its value is written as one"
    )
    seen = subject.seen
    if seen.asked:
        said += f"; {share(seen.sourced, seen.asked, 'had a source')}{_where(subject)}"
        if seen.asked >= _ALWAYS and seen.sourced == seen.asked:
            said += "; `Target(must_be_seen=True)` would block one that has none"
    return Suggestion(
        kind=SuggestionKind.TARGET, tool=subject.tool, parameter=subject.name, evidence=said
    )


def _where(subject: ParameterStudy) -> str:
    """Who said the values, the most frequent first."""
    first = subject.seen.sources.most_common(3)
    return f" ({', '.join(f'{source} {count:,}' for source, count in first)})" if first else ""


def _target(subject: ParameterStudy) -> Iterator[Suggestion]:
    seen = subject.seen
    sure = least(seen.sourced, seen.asked)
    if seen.shaped / seen.asked < _NEARLY_ALL or sure < LIKELY:
        return
    yield Suggestion(
        kind=SuggestionKind.TARGET,
        tool=subject.tool,
        parameter=subject.name,
        field="targets",
        evidence=f"written as identifiers are; {share(seen.sourced, seen.asked, 'had a source')}"
        f"{_where(subject)}",
        why_not="" if sure >= SURE else "too few calls to be sure",
    )


def _free(subject: ParameterStudy, *, writes: bool) -> Iterator[Suggestion]:
    """A value that works although nobody mentioned it, again and again, is no identifier."""
    seen = subject.seen
    sure = least(seen.alarms, seen.held)
    if seen.held < LEAST or sure < _DOUBTED_FROM:
        return
    doubt = "a call changes something" if writes else "too few calls to be sure"
    yield Suggestion(
        kind=SuggestionKind.TARGET,
        tool=subject.tool,
        parameter=subject.name,
        field="free",
        evidence=share(seen.alarms, seen.held, "that worked had a value which nobody mentioned"),
        why_not=doubt if writes or sure < _FREE_FROM else "",
    )
