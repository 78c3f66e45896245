"""Suggest lists of values for parameters with few, frequent texts."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.mining.mining_study import OBSERVED_ONLY, ParameterStudy, Study
from abs_shield.mining.policy_draft import Among, Suggestion, SuggestionKind
from abs_shield.text.value_shapes import is_date_or_time

_MIN_VALUES = 2  # one value may be a coincidence of the recording
_MAX_VALUES = 8  # more values are rather free text, or an open list
_SESSIONS = 20
"""Minimum number of sessions: fewer do not show all values; calls of one are not independent."""
_EACH = 3
"""Minimum number of sessions for each value: one session may have a mistake."""


def enums(study: Study) -> Iterator[Suggestion]:
    """``cabin`` was one of three words in the calls of 40 sessions."""
    for tool in study.plans:
        for subject in study.parameters(tool):
            if _is_list(subject):
                yield _suggestion(subject)


def _suggestion(subject: ParameterStudy) -> Suggestion:
    values = subject.counts.values
    first = values.counts.most_common()
    counts = ", ".join(f"{text!r} in {count:,}" for text, count in first)
    return Suggestion(
        kind=SuggestionKind.ENUM,
        tool=subject.tool,
        parameter=subject.name,
        declaration=Among(tuple(text for text, _ in first)),
        evidence=f"one of {len(first)} values in the successful calls of {values.sessions:,}"
        f" sessions: {counts}",
        objection=OBSERVED_ONLY,
    )


def _is_list(subject: ParameterStudy) -> bool:
    values, read = subject.counts.values, subject.read
    # a value that is known to be free, new or listed needs no list
    if values.many or subject.is_listed or read.free or read.creates:
        return False
    # values that are targets are judged by their source, not by a list
    if read.judged in ("hard", "who", "soft") or subject.counts.judged:
        return False
    if not _MIN_VALUES <= len(values.counts) <= _MAX_VALUES or values.sessions < _SESSIONS:
        return False
    # dates go on
    return min(values.counts.values()) >= _EACH and not any(map(is_date_or_time, values.counts))
