"""Grouping of catches into gaps by check, code and subject matter."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import nlargest
from math import ceil

from abs_shield.core.vocabularies import PHANTOM_TOOL, Subject
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.text_pattern import Pattern, is_kind, likeness, pattern_of

SAME_FROM = 0.6  # lower merges different matters, higher splits rewordings
"""Minimum similarity of two texts about the same subject matter."""
SAME_NAME_FROM = 0.7
"""Minimum similarity of two invented tool names; higher, because names are short."""
_COMPARED = 50
"""Maximum number of groups compared with a new pattern: those that share the most prefixes."""
# abbreviations and misspellings agree in their first letters; fewer would match most words
_BEGINNING = 3
_LEAST_SHARED = 0.4  # below `SAME_FROM`, as synonyms share no prefix
"""Minimum share of a pattern's word prefixes that a group must have to be compared."""


@dataclass(frozen=True, slots=True)
class Theme:
    """
    The features that the catches of a group share.

    Attributes:
        bucket: Subject, check, code and, for a real tool, the subject matter.
        words: The pattern of their subject matter.
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
    # fields of a tool are compared by their exact names
    return Theme(_bucket(catch, catch.about), ())


def _has_tool(catch: Catch) -> bool:
    is_tool = catch.subject in (Subject.CALL, Subject.RESULT) and bool(catch.tool)
    return is_tool and catch.check != PHANTOM_TOOL


def _bucket(catch: Catch, exact: str) -> str:
    return "|".join((catch.subject, catch.check, catch.code, exact))


@dataclass(slots=True)
class _Bucket:
    """The groups of one bucket, indexed by word prefixes."""

    floor: float
    groups: dict[Pattern, str] = field(default_factory=dict)
    index: dict[str, set[Pattern]] = field(default_factory=lambda: defaultdict(set))

    def add(self, words: Pattern, gap: str) -> None:
        self.groups[words] = gap
        for word in words:
            self.index[word[:_BEGINNING]].add(words)

    def nearest(self, words: Pattern) -> str | None:
        """Return the gap of the most similar pattern; None if none is similar enough."""
        near = nlargest(_COMPARED, self._promising(words).items(), key=lambda item: item[1])
        best = max(((likeness(words, one), one) for one, _ in near), default=(0.0, ()))
        return self.groups[best[1]] if best[0] >= self.floor else None

    def _promising(self, words: Pattern) -> Counter[Pattern]:
        """Return patterns that share enough word prefixes, with the number that each shares."""
        # nearly all claims have a value, so its kind selects nothing
        telling = [word for word in words if not is_kind(word)] or words
        sets = sorted((self.index.get(word[:_BEGINNING], set()) for word in telling), key=len)
        least = ceil(_LEAST_SHARED * len(telling))
        # a pattern that shares that many is in one of the smaller sets, so the largest are skipped
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
    The existing groups; a catch joins one, or starts a new one.

    A pattern stays in its group, so that the ids of gaps are stable.

    Args:
        existing: Themes and the gap of each, from earlier runs.
    """

    def __init__(self, existing: Iterable[tuple[Theme, str]] = ()) -> None:
        self._gaps: dict[Theme, str] = {}
        self._buckets: dict[str, _Bucket] = {}
        for theme, gap in existing:
            self._add(theme, gap)

    def gap_of(self, theme: Theme) -> tuple[str, bool]:
        """Return the gap of a theme, and whether the theme is new."""
        if (gap := self._gaps.get(theme)) is not None:
            return gap, False
        bucket = self._bucket(theme.bucket)
        # without words nothing can be similar
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
