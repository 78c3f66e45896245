"""Suggest parameters that hold a new id, and results that return one."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.mining.mining_study import (
    LEAST,
    LIKELY,
    ParameterStudy,
    Study,
    least,
    share,
    times,
)
from abs_shield.mining.policy_draft import Suggestion, SuggestionKind

_REUSED = 3
"""Later calls that must use a new id: one or two may have it by coincidence."""
_MOST_FEEDS = 3  # the most frequent ones; the line is for a reader
_TWICE = 2
"""Calls from which on a returned value that is used again is not a coincidence."""


def creates(study: Study) -> Iterator[Suggestion]:
    """``create_file(filename)``: the name was not mentioned before, and later calls use it."""
    for tool, plan in study.plans.items():
        for subject in study.parameters(tool):
            # a nested value has no id of its own
            if subject.read.creates and not subject.is_nested:
                yield _suggest_by_name(subject)
            elif plan.writes and not subject.read.free and not subject.is_listed:
                # a listed value is known, a free one is no id
                yield from _suggest_by_new_values(subject)
        yield from _suggest_by_results(study, tool)


def _suggest_by_name(subject: ParameterStudy) -> Suggestion:
    counts = subject.counts
    is_mentioned_before = (
        # the lower end of the interval, so that few calls prove little
        counts.checked >= LEAST and least(counts.sourced, counts.checked) >= LIKELY
    )
    unmentioned = share(
        counts.checked - counts.sourced, counts.checked, "had a value not mentioned before"
    )
    return Suggestion(
        kind=SuggestionKind.CREATES,
        tool=subject.tool,
        parameter=subject.name,
        field="creates",
        evidence="by its name, created by the call"
        + (f"; {unmentioned}" if counts.checked else ""),
        objection="its values were mentioned before" if is_mentioned_before else "",
    )


def _suggest_by_new_values(subject: ParameterStudy) -> Iterator[Suggestion]:
    counts = subject.counts
    if counts.minted < LEAST or counts.reused < _REUSED:
        return
    sure = least(counts.minted, counts.checked) >= LIKELY
    yield Suggestion(
        kind=SuggestionKind.CREATES,
        tool=subject.tool,
        parameter=subject.name,
        field="creates",
        evidence=f"{share(counts.minted, counts.checked, 'introduced a value')}, and later calls "
        f"used such a value {times(counts.reused)}",
        objection="" if sure else "not in most calls",
    )


def _suggest_by_results(study: Study, tool: str) -> Iterator[Suggestion]:
    """Suggest results whose values became targets of later calls."""
    counts = study.evidence.tools.get(tool)
    if counts is None:
        return
    fed = [
        f"`{field}`, used as `{parameter}` of `{taker}` {times(count)}"
        for (field, taker, parameter), count in counts.feeds.most_common(_MOST_FEEDS)
        if count >= _TWICE  # a value that is used again once may be a coincidence
    ]
    if fed:
        yield Suggestion(
            kind=SuggestionKind.CREATES, tool=tool, evidence=f"its results contain {', '.join(fed)}"
        )
