"""What an engine knows of one tool: its newest results, and those it did not accept."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from abs_shield.core.digest import digest, digest_of
from abs_shield.verification.baseline import Baseline
from abs_shield.verification.kept import Kept
from abs_shield.verification.seen import Seen
from abs_shield.verification.series import NEWEST
from abs_shield.verification.written import is_small, writers

QUARANTINED = 100
_SURE_OF_KIND = 5
"""Results in which a field had one type, before another one is a fault."""


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

    def kept(self, seen: Seen, ident: str, at: float, *, key: bytes, session: str) -> Kept:
        """Give what is remembered of a result; what is usual of it is shared with the others."""
        value, names, kinds = seen.value, _NO_NAMES, seen.kinds
        if type(value) is dict and len(value) <= MOST_NAMES:
            if value.keys() != self._names:
                self._names = frozenset(value)
            names = self._names
        if kinds == self.kinds:
            kinds = self.kinds
        return Kept(ident, at, key, session, seen.numbers, seen.latency_ms, seen.size, names, kinds)

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
        text = (_WRITE_SMALL if is_small(arguments) else _WRITE)((tool, arguments))
    except Exception:  # what is nested too deeply, and objects of the caller's that break
        return digest_of(tool, arguments)
    return _digested(text) if len(text) <= _SHORT else digest(text, size=16)


@lru_cache(maxsize=2048)
def _digested(text: str) -> bytes:
    return digest(text, size=16)


MOST_NAMES = 256
_NO_NAMES: frozenset[str] = frozenset()
_SHORT = 256
_WRITE, _WRITE_SMALL = writers(repr, separators=(",", ":"), ordered=True)
