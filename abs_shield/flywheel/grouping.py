"""Groups catches into gaps: one check, one code, and one subject matter, also in other words."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import nlargest
from math import ceil

from abs_shield.core.names import PHANTOM_TOOL
from abs_shield.core.words import Subject
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.pattern import Pattern, is_kind, likeness, pattern_of

SAME_FROM = 0.6
"""Likeness from which two texts are about one thing."""
SAME_NAME_FROM = 0.7
"""Likeness from which two invented names of tools are one; names are short."""
_COMPARED = 50
"""Groups that a new pattern is compared with: those that share most beginnings of words."""
_BEGINNING = 3
_LEAST_SHARED = 0.4
"""Share of the words whose beginning a group has, at least, to be compared at all."""


@dataclass(frozen=True, slots=True)
class Theme:
    """
    The features that the catches of a group share.

    Attributes:
        bucket: Subject, check, code and, where the tool is real, the tool.
        words: The pattern of what they are about.
    """

    bucket: str
    words: Pattern

    @property
    def id(self) -> str:
        """Stable id."""
        text = "\n".join((self.bucket, *self.words))
        return f"gap-{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:10]}"


def theme_of(catch: Catch) -> Theme:
    """Return the theme of a catch."""
    if not _has_tool(catch):
        return Theme(_bucket(catch, ""), pattern_of(catch.about))
    # a field of a tool is the same only where it has the same name
    return Theme(_bucket(catch, catch.about), ())


def _has_tool(catch: Catch) -> bool:
    is_tool = catch.subject in (Subject.CALL, Subject.RESULT) and bool(catch.tool)
    return is_tool and catch.check != PHANTOM_TOOL


def _bucket(catch: Catch, exact: str) -> str:
    return "|".join((catch.subject, catch.check, catch.code, exact))


@dataclass(slots=True)
class _Bucket:
    """The groups of one bucket, found by the beginnings of their words."""

    floor: float
    groups: dict[Pattern, str] = field(default_factory=dict)
    index: dict[str, set[Pattern]] = field(default_factory=lambda: defaultdict(set))

    def add(self, words: Pattern, gap: str) -> None:
        self.groups[words] = gap
        for word in words:
            self.index[word[:_BEGINNING]].add(words)

    def nearest(self, words: Pattern) -> str | None:
        """Return the gap of the nearest pattern; None where none is near enough."""
        near = nlargest(_COMPARED, self._promising(words).items(), key=lambda item: item[1])
        best = max(((likeness(words, one), one) for one, _ in near), default=(0.0, ()))
        return self.groups[best[1]] if best[0] >= self.floor else None

    def _promising(self, words: Pattern) -> Counter[Pattern]:
        """Return patterns that share enough beginnings of words, and how many each shares."""
        telling = [word for word in words if not is_kind(word)] or words
        sets = sorted((self.index.get(word[:_BEGINNING], set()) for word in telling), key=len)
        least = ceil(_LEAST_SHARED * len(telling))
        # who shares that many is in one of the smaller sets: the largest need not be walked
        walked = len(sets) - least + 1
        shared: Counter[Pattern] = Counter()
        for some in sets[:walked]:
            shared.update(some)
        for some in sets[walked:]:
            for one in shared.keys() & some:
                shared[one] += 1
        return Counter({one: count for one, count in shared.items() if count >= least})


class Groups:
    """
    The groups so far; a catch joins one, or begins another.

    A pattern that joined a group stays in it, whatever comes later: ids of gaps are stable.

    Args:
        known: Themes and the gap of each, from earlier runs.
    """

    def __init__(self, known: Iterable[tuple[Theme, str]] = ()) -> None:
        self._gaps: dict[Theme, str] = {}
        self._buckets: dict[str, _Bucket] = {}
        for theme, gap in known:
            self._add(theme, gap)

    def gap_of(self, theme: Theme) -> tuple[str, bool]:
        """Return the gap of a theme, and whether the theme is new."""
        if (gap := self._gaps.get(theme)) is not None:
            return gap, False
        bucket = self._bucket(theme.bucket)
        gap = (bucket.nearest(theme.words) if theme.words else None) or theme.id
        self._add(theme, gap)
        return gap, True

    def _add(self, theme: Theme, gap: str) -> None:
        self._gaps[theme] = gap
        self._bucket(theme.bucket).add(theme.words, gap)

    def _bucket(self, name: str) -> _Bucket:
        if name not in self._buckets:
            is_name = f"|{PHANTOM_TOOL}|" in name
            self._buckets[name] = _Bucket(SAME_NAME_FROM if is_name else SAME_FROM)
        return self._buckets[name]
