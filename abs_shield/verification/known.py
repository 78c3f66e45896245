"""What an engine knows of one tool: its newest results, and those it did not accept."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from abs_shield.core.digest import digest, digest_of
from abs_shield.verification.baseline import Baseline, Point
from abs_shield.verification.seen import Seen
from abs_shield.verification.series import NEWEST
from abs_shield.verification.written import writer

QUARANTINED = 100
_SURE_OF_KIND = 5
"""Results in which a field had one type, before another one is a fault."""


class Kept(NamedTuple):
    """
    One result as it is remembered and saved: its numbers, and no text of it.

    Attributes:
        id: Unique, across processes.
        at: When it came, in seconds since the epoch.
        session: The session it came in; empty for none.
        kinds: JSON type of each required field it had.
        probability: P(hallucination), as it was judged.
    """

    id: str
    at: float
    point: Point
    session: str
    kinds: Mapping[str, str]
    probability: float


class KnownTool:
    """
    What is known of one tool.

    Attributes:
        baseline: What its results usually are.
        newest: The results behind the baseline.
        kinds: JSON type by required field, of those that had one type in results enough.
        quarantine: Flagged and blocked results, which train nothing until a label releases them.
    """

    def __init__(self) -> None:
        self.baseline = Baseline()
        self.newest: deque[Kept] = deque(maxlen=NEWEST)
        self.quarantine: deque[Kept] = deque(maxlen=QUARANTINED)
        self.kinds: Mapping[str, str] = {}
        self._counted: dict[str, tuple[str, int]] = {}
        self._names: frozenset[str] = frozenset()

    def point_of(self, seen: Seen, key: bytes) -> Point:
        """Give what is learnt of a result, if it is accepted."""
        value, names = seen.value, _NO_NAMES
        if type(value) is dict and len(value) <= MOST_NAMES:
            if value.keys() != self._names:
                self._names = frozenset(value)
            names = self._names
        return Point(key, seen.numbers, seen.latency_ms, seen.size, names)

    def learn_kinds(self, kinds: Mapping[str, str]) -> None:
        """Count the types of an accepted result; of several types none is usual."""
        if kinds is self.kinds:
            return
        for name, kind in kinds.items():
            usual, count = self._counted.get(name, (kind, 0))
            if count > _SURE_OF_KIND and kind == usual:
                continue
            if kind == usual:
                self._counted[name] = (kind, count + 1)
                if count + 1 >= _SURE_OF_KIND:
                    self.kinds = {**self.kinds, name: kind}
            else:
                self._counted[name] = ("", 0)
                self.kinds = {n: usual for n, usual in self.kinds.items() if n != name}

    def kinds_of(self, seen: Seen) -> Mapping[str, str]:
        """Give the JSON type of each required field that a result has; shared where it is usual."""
        return self.kinds if seen.kinds == self.kinds else seen.kinds

    def refused(self, kept: Kept) -> None:
        """Keep a result apart; after a hundred in a row, what was known is out of date."""
        self.quarantine.append(kept)
        self.baseline.gap += 1
        if self.baseline.gap > NEWEST:
            self.baseline = Baseline()
            self.newest.clear()
            self.kinds = {}
            self._counted.clear()


def key_of(tool: str, arguments: Any) -> bytes:
    """Give the digest of a call's arguments; that of equal JSON is equal."""
    try:
        text = _WRITTEN((tool, arguments))
    except Exception:  # what is nested too deeply, and objects of the caller's that break
        return digest_of(tool, arguments)
    return _digested(text) if len(text) <= _SHORT else digest(text, size=16)


@lru_cache(maxsize=2048)
def _digested(text: str) -> bytes:
    return digest(text, size=16)


MOST_NAMES = 256
_NO_NAMES: frozenset[str] = frozenset()
_SHORT = 256
_WRITTEN = writer(repr, separators=(",", ":"), ordered=True)
