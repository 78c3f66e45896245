"""Suggest target parameters, and those that are judged as targets without need."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.mining.mining_study import (
    LEAST,
    LIKELY,
    SURE,
    ParameterStudy,
    Study,
    least,
    share,
)
from abs_shield.mining.policy_draft import Suggestion, SuggestionKind

_FREE_FROM = 0.2
"""Lower bound of the share of false alarms from which free text is declared: one call in five."""
_DOUBTED_FROM = 0.05  # below one call in twenty an alarm is worth its cost
_NEARLY_ALL = 0.9  # all but a few, which may be mistakes of the agent
_ALWAYS = 60
"""Calls with a source, and none without, from which an unseen value may be blocked."""
_DESCRIPTIONS = {
    "hard": "judged without a mark, as an identifier",
    "who": "judged without a mark, as a person or an account",
    "soft": "judged without a mark, with lower strength, as a name or a place",
}


def targets(study: Study) -> Iterator[Suggestion]:
    """``code`` held what a result brought in 60 of 60 calls: ``targets={"code": Target()}``."""
    for tool in study.plans:
        for subject in study.parameters(tool):
            if not subject.read.creates:
                yield from _suggestions(subject, writes=study.plans[tool].writes)
            # what a call creates is new, unless the runs show otherwise
            elif subject.counts.checked >= LEAST and not subject.is_nested:
                yield from _target(subject)


def _suggestions(subject: ParameterStudy, *, writes: bool) -> Iterator[Suggestion]:
    counts = subject.counts
    mostly = bool(counts.checked) and counts.judged / counts.checked >= _NEARLY_ALL
    if subject.read.judged in _DESCRIPTIONS or mostly:
        yield _remark(subject)
        yield from _free(subject, writes=writes)
    elif counts.judged and counts.alarms:
        yield from _free(subject, writes=writes)
    elif counts.checked >= LEAST and not (subject.is_listed or subject.read.free):
        yield from _target(subject)


def _remark(subject: ParameterStudy) -> Suggestion:
    text = _DESCRIPTIONS.get(
        subject.read.judged, "judged without a mark if its value has the form of an identifier"
    )
    counts = subject.counts
    if counts.checked:
        text += f"; {share(counts.sourced, counts.checked, 'had a source')}{_sources(subject)}"
        if counts.checked >= _ALWAYS and counts.sourced == counts.checked:
            text += "; `Target(must_be_seen=True)` would block a value without a source"
    return Suggestion(
        kind=SuggestionKind.TARGET, tool=subject.tool, parameter=subject.name, evidence=text
    )


def _sources(subject: ParameterStudy) -> str:
    """Return the sources of the values, most frequent first, as a text."""
    first = subject.counts.sources.most_common(3)
    return f" ({', '.join(f'{source} {count:,}' for source, count in first)})" if first else ""


def _target(subject: ParameterStudy) -> Iterator[Suggestion]:
    counts = subject.counts
    sure = least(counts.sourced, counts.checked)
    if counts.shaped / counts.checked < _NEARLY_ALL or sure < LIKELY:
        return
    yield Suggestion(
        kind=SuggestionKind.TARGET,
        tool=subject.tool,
        parameter=subject.name,
        field="targets",
        evidence="its values have the form of identifiers; "
        f"{share(counts.sourced, counts.checked, 'had a source')}{_sources(subject)}",
        objection="" if sure >= SURE else "too few calls to be sure",
    )


def _free(subject: ParameterStudy, *, writes: bool) -> Iterator[Suggestion]:
    """Suggest free text if unmentioned values work again and again."""
    counts = subject.counts
    sure = least(counts.alarms, counts.held)
    if counts.held < LEAST or sure < _DOUBTED_FROM:  # few alarms may be mistakes of the agent
        return
    doubt = "a call changes something" if writes else "too few calls to be sure"
    yield Suggestion(
        kind=SuggestionKind.TARGET,
        tool=subject.tool,
        parameter=subject.name,
        field="free",
        evidence=share(counts.alarms, counts.held, "that worked had a value not mentioned before"),
        # never declared where a wrong call changes something
        objection=doubt if writes or sure < _FREE_FROM else "",
    )
