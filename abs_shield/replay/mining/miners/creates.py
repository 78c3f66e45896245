"""Parameters that hold the id which a call mints, and results that bring one."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.replay.mining.draft import Suggestion, SuggestionKind
from abs_shield.replay.mining.mining_study import (
    LEAST,
    LIKELY,
    ParameterStudy,
    Study,
    least,
    share,
    times,
)

_REUSED = 3
"""Later calls that have to take such an id, so that it is known to be one."""
_MOST_FEEDS = 3
_TWICE = 2
"""Calls from which on a value that a result brought is no coincidence."""


def creates(study: Study) -> Iterator[Suggestion]:
    """``create_file(filename)``: nobody mentioned the name before, and later calls use it."""
    for tool, plan in study.plans.items():
        for subject in study.parameters(tool):
            if subject.read.creates and not subject.is_nested:
                yield _named(subject)
            elif plan.writes and not subject.read.free and not subject.is_listed:
                yield from _minted(subject)
        yield from _brought(study, tool)


def _named(subject: ParameterStudy) -> Suggestion:
    seen = subject.seen
    known = seen.asked >= LEAST and least(seen.sourced, seen.asked) >= LIKELY
    unseen = share(seen.asked - seen.sourced, seen.asked, "had a value which nobody mentioned")
    return Suggestion(
        kind=SuggestionKind.CREATES,
        tool=subject.tool,
        parameter=subject.name,
        field="creates",
        evidence="by its name the call's own" + (f"; {unseen}" if seen.asked else ""),
        why_not="its values were known before" if known else "",
    )


def _minted(subject: ParameterStudy) -> Iterator[Suggestion]:
    seen = subject.seen
    if seen.minted < LEAST or seen.reused < _REUSED:
        return
    sure = least(seen.minted, seen.asked) >= LIKELY
    yield Suggestion(
        kind=SuggestionKind.CREATES,
        tool=subject.tool,
        parameter=subject.name,
        field="creates",
        evidence=f"{share(seen.minted, seen.asked, 'brought a value in')}, and later calls took "
        f"such a value as theirs {times(seen.reused)}",
        why_not="" if sure else "not in most calls",
    )


def _brought(study: Study, tool: str) -> Iterator[Suggestion]:
    """What the results of a tool bring, and whose targets it became."""
    seen = study.evidence.tools.get(tool)
    if seen is None:
        return
    fed = [
        f"`{field}`, taken as `{parameter}` of `{taker}` {times(count)}"
        for (field, taker, parameter), count in seen.feeds.most_common(_MOST_FEEDS)
        if count >= _TWICE
    ]
    if fed:
        yield Suggestion(
            kind=SuggestionKind.CREATES, tool=tool, evidence=f"its results bring {', '.join(fed)}"
        )
