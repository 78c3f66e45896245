"""What an engine knows of one tool: its newest results, and those it did not accept."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from json import JSONEncoder
from typing import Any, NamedTuple

from abs_shield.core.digest import digest, digest_of
from abs_shield.verification.baseline import Baseline, Point
from abs_shield.verification.seen import ABSENT, Seen, kind_of
from abs_shield.verification.series import NEWEST

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
        self.kinds: dict[str, str] = {}
        self._counted: dict[str, tuple[str, int]] = {}

    def learn_kinds(self, kinds: Mapping[str, str]) -> None:
        """Count the types of an accepted result; of several types none is usual."""
        for name, kind in kinds.items():
            usual, count = self._counted.get(name, (kind, 0))
            if count > _SURE_OF_KIND and kind == usual:
                continue
            if kind == usual:
                self._counted[name] = (kind, count + 1)
                if count + 1 >= _SURE_OF_KIND:
                    self.kinds[name] = kind
            else:
                self._counted[name] = ("", 0)
                self.kinds.pop(name, None)

    def kinds_of(self, seen: Seen) -> Mapping[str, str]:
        """Give the JSON type of each required field that a result has."""
        profile = seen.profile
        if profile is None or not profile.required_fields:
            return _NO_KINDS
        told = [(name, seen.member(name)) for name in profile.required_fields]
        return {n: kind_of(value) for n, value in told if value is not ABSENT and value is not None}

    def refused(self, kept: Kept) -> None:
        """Keep a result apart; after a hundred in a row, what was known is out of date."""
        self.quarantine.append(kept)
        self.baseline.gap += 1
        if self.baseline.gap > NEWEST:
            self.baseline = Baseline()
            self.newest.clear()
            self.kinds.clear()
            self._counted.clear()


def point_of(seen: Seen, key: bytes) -> Point:
    """Give what is learnt of a result, if it is accepted."""
    value = seen.value
    names = frozenset(value) if type(value) is dict and len(value) <= MOST_NAMES else _NO_NAMES
    return Point(key, seen.numbers, seen.latency_ms, seen.size, names)


def key_of(tool: str, arguments: Any) -> bytes:
    """Give the digest of a call's arguments; that of equal JSON is equal."""
    try:
        text = _ENCODE((tool, arguments))
    except Exception:  # what is nested too deeply, and objects of the caller's that break
        return digest_of(tool, arguments)
    return _digested(text) if len(text) <= _SHORT else digest(text, size=16)


@lru_cache(maxsize=2048)
def _digested(text: str) -> bytes:
    return digest(text, size=16)


MOST_NAMES = 256
_NO_KINDS: Mapping[str, str] = {}
_NO_NAMES: frozenset[str] = frozenset()
_SHORT = 256
_ENCODE = JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr).encode
