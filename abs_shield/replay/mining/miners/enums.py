"""Texts of which a parameter had few, each of them often."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.replay.mining.draft import Among, Suggestion, SuggestionKind
from abs_shield.replay.mining.mining_study import NO_LAW, ParameterStudy, Study
from abs_shield.text.shape import is_moment

_FEWEST = 2
_MOST = 8
_SESSIONS = 20
"""Sessions below which nothing is said: the calls of one are no draws apart from each other."""
_EACH = 3
"""In how many sessions each value has to have been seen."""


def enums(study: Study) -> Iterator[Suggestion]:
    """``cabin`` was one of three words in the calls of 40 sessions."""
    for tool in study.plans:
        for subject in study.parameters(tool):
            if _is_list(subject):
                yield _list(subject)


def _list(subject: ParameterStudy) -> Suggestion:
    values = subject.seen.values
    first = values.counts.most_common()
    seen = ", ".join(f"{text!r} in {count:,}" for text, count in first)
    return Suggestion(
        kind=SuggestionKind.ENUM,
        tool=subject.tool,
        parameter=subject.name,
        says=Among(tuple(text for text, _ in first)),
        evidence=f"one of {len(first)} in the calls of {values.sessions:,} sessions that worked:"
        f" {seen}",
        why_not=NO_LAW,
    )


def _is_list(subject: ParameterStudy) -> bool:
    values, read = subject.seen.values, subject.read
    if values.many or subject.is_listed or read.free or read.creates:
        return False
    if read.judged in ("hard", "who", "soft") or subject.seen.judged:
        return False
    if not _FEWEST <= len(values.counts) <= _MOST or values.sessions < _SESSIONS:
        return False
    return min(values.counts.values()) >= _EACH and not any(map(is_moment, values.counts))
