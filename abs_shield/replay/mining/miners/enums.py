"""Texts of which a parameter had few, each of them often."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.replay.mining.draft import Among, Kind, Suggestion
from abs_shield.replay.mining.study import Study, Subject, share
from abs_shield.text.shape import is_moment

_MOST = 8
_SURE = 100
"""Calls after which a value that was never seen is rarer than 3 in 100, by the rule of three."""
_LIKELY = 20
_EACH = 3
"""How often each value has to have been seen."""


def enums(study: Study) -> Iterator[Suggestion]:
    """``cabin`` was one of three words in 120 calls."""
    for tool in study.plans:
        for subject in study.parameters(tool):
            counts = subject.seen.values.counts
            if _is_list(subject):
                n = counts.total()
                seen = ", ".join(f"{text!r} {count:,}" for text, count in counts.most_common())
                yield Suggestion(
                    kind=Kind.ENUM,
                    tool=tool,
                    parameter=subject.name,
                    says=Among(tuple(text for text, _ in counts.most_common())),
                    evidence=f"{share(n, n, 'that worked')} had one of {len(counts)}: {seen}",
                    why_not="" if n >= _SURE else f"fewer than {_SURE} calls",
                )


def _is_list(subject: Subject) -> bool:
    counts, read = subject.seen.values.counts, subject.read
    if subject.seen.values.many or subject.is_listed or read.free or read.creates:
        return False
    if read.judged in ("hard", "who", "soft") or subject.seen.judged:
        return False
    if not counts or len(counts) > _MOST or counts.total() < _LIKELY:
        return False
    return min(counts.values()) >= _EACH and not any(map(is_moment, counts))
