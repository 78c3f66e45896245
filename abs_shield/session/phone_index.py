"""Index of the telephone numbers of a run, which finds them in another spelling."""

from __future__ import annotations

from abs_shield.session.recent_text import At
from abs_shield.text.normal_form import alphanumerics, normal
from abs_shield.text.phones import (
    LEAST_NATIONAL,
    is_contact_field,
    is_identifier_field,
    is_phone_field,
    is_same_phone,
    nationals,
    phone_runs,
    phones_in_run,
    phones_of,
)

_MOST_DEFERRED = 16 * 1024
"""Characters whose indexing is deferred; few enough that a query is never slow."""
_RUN_CHARS = 16
"""Approximate characters of a number; bounds the deferred text by the number of stored runs."""
_LEAST = 7
"""Digits of the shortest telephone number."""
_PROSE = "\n"
"""Used instead of a field name for running text, which is already normalised."""
_RUN_BYTES = 250
"""Estimated bytes of a stored run."""


class PhoneIndex:
    """
    A bounded table of digit runs that may be telephone numbers, with their positions.

    Text is indexed on the first query. The field or the form of a result's value decides whether
    it may be a telephone number.
    """

    __slots__ = ("_deferred", "_limit", "_runs", "_size")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._runs: dict[tuple[str, int], At] = {}
        self._deferred: list[tuple[list[tuple[str, str]], At, frozenset[str]]] = []
        self._size = 0

    def add_text(self, text: str, at: At, own: frozenset[str] = frozenset()) -> None:
        """Add normalised running text; tokens in *own* are echoes, which prove nothing."""
        self._defer([(_PROSE, text)], at, own, len(text))

    def add_result(
        self, scalars: list[tuple[str, str]], at: At, own: frozenset[str] = frozenset()
    ) -> None:
        """Add the short values of a result with their field names."""
        if scalars:
            self._defer(scalars, at, own, len(scalars) * _RUN_CHARS)

    @property
    def held_bytes(self) -> int:
        """Approximate memory in bytes."""
        return _RUN_BYTES * len(self._runs) + self._size

    def _defer(self, texts: list[tuple[str, str]], at: At, own: frozenset[str], size: int) -> None:
        self._deferred.append((texts, at, own))
        self._size += size
        # Also bounded by the number of stored runs, so that those of the deferred text fit.
        if self._size > min(_MOST_DEFERRED, self._limit * _RUN_CHARS):
            self._index_deferred()

    def _index_deferred(self) -> None:
        unread, self._deferred = self._deferred, []
        self._size = 0
        for texts, at, tokens in unread:
            # Only a number of that length can be an echo of one, and few calls have one.
            own = frozenset(
                token for token in tokens if len(token) >= LEAST_NATIONAL and token.isdigit()
            )
            for field, text in texts:
                self._add_runs(field, text, at, own)
        while len(self._runs) > self._limit:
            del self._runs[next(iter(self._runs))]

    def _add_runs(self, field: str, text: str, at: At, own: frozenset[str]) -> None:
        # a character such as a fraction has two digits in its normal form
        digits = len(text) if text.isascii() else 2 * sum(map(str.isnumeric, text))
        if digits < _LEAST:
            return
        digit_runs = [*phone_runs(text if field == _PROSE else normal(text))]
        if not digit_runs or (field and field != _PROSE and not _holds_phone(field, text)):
            return
        for run in digit_runs:
            if not (own and _is_echo(run, own)):
                self._runs.setdefault((run, at.level), at)

    def find(self, value: str) -> At | None:
        """
        Return the most trusted, oldest position of a telephone number in any spelling.

        If its national number occurs only with other country codes, it is another number, even if
        it also occurs without a country code.
        """
        requested = phones_of(value)
        if not requested:
            return None
        self._index_deferred()
        wanted = tuple({phone.national for phone in requested})
        abroad = all(phone.country for phone in requested)
        best: At | None = None
        same_country = other_country = False
        for (run, _), at in self._runs.items():
            # Only a more trusted position is better; with a country code, others matter as well.
            if best is not None and at.level >= best.level and not abroad:
                continue
            digits = alphanumerics(run)
            if not any(national in digits for national in wanted):
                continue
            for candidate in map(phones_of, phones_in_run(run)):
                if is_same_phone(requested, candidate):
                    best = at if best is None or at.level < best.level else best
                    same_country |= not requested.isdisjoint(candidate)
                elif abroad:
                    other_country |= any(phone.national in wanted for phone in candidate)
        return None if other_country and not same_country else best


def _holds_phone(field: str, text: str) -> bool:
    """
    Return whether a value of a result may be a telephone number.

    Digits alone may be a balance or a timestamp, unless they begin with the trunk prefix 0.
    """
    if is_phone_field(field) or is_contact_field(field):
        return True
    return not is_identifier_field(field) and (not text.isdigit() or text[0] == "0")


def _is_echo(run: str, own: frozenset[str]) -> bool:
    """Return whether one of the numbers in a digit run repeats an argument of its call."""
    return any(
        alphanumerics(part) in own or not own.isdisjoint(nationals(part))
        for part in phones_in_run(run)
    )
