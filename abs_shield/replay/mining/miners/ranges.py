"""Between which numbers a parameter lay."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.replay.mining.draft import Kind, Suggestion, Within
from abs_shield.replay.mining.study import LEAST, NO_LAW, Study, Subject

_LIKELY = 20


def ranges(study: Study) -> Iterator[Suggestion]:
    """``bags`` lay between 0 and 3 in 120 calls."""
    for tool in study.plans:
        for subject in study.parameters(tool):
            if subject.seen.numbers.count >= LEAST and _is_quantity(subject):
                yield _range(subject)


def _is_quantity(subject: Subject) -> bool:
    read = subject.read
    return read.judged not in ("hard", "who") and not (subject.is_listed or read.creates)


def _range(subject: Subject) -> Suggestion:
    numbers = subject.seen.numbers
    kind = "whole numbers" if numbers.whole else "numbers"
    told = f"{kind} from {numbers.low!r} to {numbers.high!r} in {numbers.count:,} calls that worked"
    within = Within(numbers.low, numbers.high, mixed=not subject.is_number)
    return Suggestion(
        kind=Kind.RANGE,
        tool=subject.tool,
        parameter=subject.name,
        says=within if numbers.count >= _LIKELY else None,
        evidence=told,
        why_not=NO_LAW,
    )
