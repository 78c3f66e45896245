"""Telephone numbers that a run has seen, to be found in another spelling."""

from __future__ import annotations

from abs_shield.session.recent_text import At
from abs_shield.text.normal import normal, squeezed
from abs_shield.text.phones import (
    names_code,
    names_phone,
    names_reached,
    nationals,
    phones_of,
    runs,
    same_phone,
    within,
)

_MOST_UNREAD = 16 * 1024
"""Characters that wait to be read, so that a question never waits long for them."""
_A_RUN = 16
"""Characters of a number, about: as many runs as are kept are not waited for either."""
_LEAST = 7
"""Digits of the shortest number."""
_PROSE = "\n"
"""In place of a field: running text, which is in normal form already."""
_RUN = 250
"""Bytes of a run that is kept."""


class PhoneIndex:
    """
    Runs of digits that may be telephone numbers, where they stood, bounded.

    Text is read when a telephone number is first asked for. Of a value of a result, its field or
    its form says whether it is one.
    """

    __slots__ = ("_limit", "_runs", "_size", "_unread")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._runs: dict[tuple[str, int], At] = {}
        self._unread: list[tuple[list[tuple[str, str]], At, frozenset[str]]] = []
        self._size = 0

    def said(self, text: str, at: At, own: frozenset[str] = frozenset()) -> None:
        """Take running text in normal form; what is in *own* is an echo, and proves nothing."""
        self._put_off([(_PROSE, text)], at, own, len(text))

    def returned(
        self, scalars: list[tuple[str, str]], at: At, own: frozenset[str] = frozenset()
    ) -> None:
        """Take the short values of a result with the fields that they stood under."""
        if scalars:
            self._put_off(scalars, at, own, len(scalars) * _A_RUN)

    @property
    def held_bytes(self) -> int:
        """Memory that it holds, about."""
        return _RUN * len(self._runs) + self._size

    def _put_off(
        self, texts: list[tuple[str, str]], at: At, own: frozenset[str], size: int
    ) -> None:
        self._unread.append((texts, at, own))
        self._size += size
        if self._size > min(_MOST_UNREAD, self._limit * _A_RUN):
            self._read()

    def _read(self) -> None:
        unread, self._unread = self._unread, []
        self._size = 0
        for texts, at, own in unread:
            for field, text in texts:
                self._take(field, text, at, own)
        while len(self._runs) > self._limit:
            del self._runs[next(iter(self._runs))]

    def _take(self, field: str, text: str, at: At, own: frozenset[str]) -> None:
        if len(text) < _LEAST and text.isascii():
            return
        found = [*runs(text if field == _PROSE else normal(text))]
        if not found or (field and field != _PROSE and not _holds_phone(field, text)):
            return
        for run in found:
            if not (own and _is_echo(run, own)):
                self._runs.setdefault((run, at.level), at)

    def find(self, value: str) -> At | None:
        """
        Where a telephone number stands in any spelling; the most trusted place, the oldest.

        Where its national number stands with other countries' codes alone, it is another number,
        even if it stands without a country's code as well.
        """
        asked = phones_of(value)
        if not asked:
            return None
        self._read()
        wanted = tuple({phone.national for phone in asked})
        abroad = all(phone.country for phone in asked)
        best: At | None = None
        same_country = other_country = False
        for (run, _), at in self._runs.items():
            if best is not None and at.level >= best.level and not abroad:
                continue
            digits = squeezed(run)
            if not any(national in digits for national in wanted):
                continue
            for seen in map(phones_of, within(run)):
                if same_phone(asked, seen):
                    best = at if best is None or at.level < best.level else best
                    same_country |= not asked.isdisjoint(seen)
                elif abroad:
                    other_country |= any(phone.national in wanted for phone in seen)
        return None if other_country and not same_country else best


def _holds_phone(field: str, text: str) -> bool:
    """
    Return whether a value of a result may hold a telephone number.

    Digits alone may be a balance or a moment, unless they begin with the 0 of a trunk.
    """
    if names_phone(field) or names_reached(field):
        return True
    return not names_code(field) and (not text.isdigit() or text[0] == "0")


def _is_echo(run: str, own: frozenset[str]) -> bool:
    """Whether a call brought one of the numbers in a run in."""
    return any(squeezed(part) in own or not own.isdisjoint(nationals(part)) for part in within(run))
