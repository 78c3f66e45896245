"""The filters of a view, parsed from and rendered into the page's address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from urllib.parse import urlencode

from abs_shield.core import Decision, Mode, Verdict
from abs_shield.stores.decision_patterns import HOUR_S
from abs_shield.text.safe_display import encodable, escaped

RANGES = {
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
    "all": None,
}
"""Periods up to now, by their name in the address."""
USUAL_RANGE = "all"
UNNAMED = "_unknown"
"""The choice for decisions without an agent, or without a model."""


_EARLIEST = datetime.min.replace(tzinfo=UTC).timestamp()
# the last whole hour that `datetime` can show
_LATEST = datetime(9999, 12, 31, 23, tzinfo=UTC).timestamp()


class BadFilter(ValueError):
    """A parameter of an address has an invalid value; the message is one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """
    The filters of a view.

    Attributes:
        range: One of `RANGES`; empty with *since* or *until*.
        since: Seconds since the epoch, a whole hour because the log counts by hour; None for no
            limit.
        until: The same, exclusive.
        agent: Only decisions of this agent; empty for all.
        model: Only decisions of this model; empty for all.
        mode: Only decisions of this mode; empty for all.
        verdict: Only decisions with this verdict; empty for all.
        session: Only decisions of this session; empty for all.
        compare: Whether to compare with the previous period.
    """

    range: str = USUAL_RANGE
    since: float | None = None
    until: float | None = None
    agent: str = ""
    model: str = ""
    mode: str = ""
    verdict: str = ""
    session: str = ""
    compare: bool = False

    @classmethod
    def of(cls, query: Mapping[str, str], *, now: float) -> Self:
        """
        Parse the query of an address.

        Args:
            query: Its parameters; other parameters than filters are ignored.
            now: Seconds since the epoch, the end of a range.

        Raises:
            BadFilter: A parameter has an invalid value.
        """
        texts: dict[str, Any] = {name: query[name] for name in _TEXTS if query.get(name)}
        _require(texts, "mode", [mode.value for mode in Mode])
        _require(texts, "verdict", [verdict.value for verdict in Verdict])
        compare = query.get("compare", "") not in ("", "0")
        since, until = _time(query, "since"), _time(query, "until", up=True)
        # an explicit time wins over a range, so that links from other tools work
        if since is not None or until is not None:
            if since is not None and until is not None and since >= until:
                raise BadFilter("`until` is not after `since`; use a later `until`")
            return cls(range="", since=since, until=until, compare=compare, **texts)
        chosen = query.get("range") or USUAL_RANGE
        _require({"range": chosen}, "range", [*RANGES])
        length = RANGES[chosen]
        since = None if length is None else _hour(now - length.total_seconds())
        return cls(range=chosen, since=since, compare=compare, **texts)

    def query(self, **changes: Any) -> str:
        """Return the query string of these filters with changes; empty for the defaults."""
        shown = replace(self, **{k: v for k, v in changes.items() if k in _FIELDS})
        pairs = [(name, getattr(shown, name)) for name in _TEXTS]
        if shown.range:
            pairs.append(("range", "" if shown.range == USUAL_RANGE else shown.range))
        else:
            pairs += [("since", address_time(shown.since)), ("until", address_time(shown.until))]
        pairs.append(("compare", "1" if shown.compare else ""))
        pairs += [(name, value) for name, value in changes.items() if name not in _FIELDS]
        nonempty = [(name, value) for name, value in pairs if value]
        return urlencode(nonempty, errors="backslashreplace")  # names may contain lone surrogates

    def admit(self, decision: Decision) -> bool:
        """Return whether a decision matches the filters other than time and session."""
        return (
            self.agent in ("", encodable(decision.agent or UNNAMED))
            and self.model in ("", encodable(decision.model or UNNAMED))
            and self.mode in ("", decision.mode.value)
            and self.verdict in ("", decision.verdict.value)
        )

    def admit_time(self, decision: Decision) -> bool:
        """Return whether a decision is in the filters' period."""
        after = self.since is None or decision.at >= self.since
        return after and (self.until is None or decision.at < self.until)

    def admit_session(self, decision: Decision) -> bool:
        """Return whether a decision has the filters' session: the column may be truncated."""
        return self.session in ("", encodable(decision.session_id))

    def before(self, *, now: float) -> Filters | None:
        """Return the filters for the previous period; None if the period has no start."""
        if self.since is None:
            return None
        length = (_hour(now, up=True) if self.until is None else self.until) - self.since
        return replace(self, range="", since=self.since - length, until=self.since, compare=False)


_TEXTS = ("agent", "model", "mode", "verdict", "session")
_FIELDS = frozenset(field.name for field in fields(Filters))


def _require(texts: Mapping[str, str], name: str, choices: list[str]) -> None:
    """Raise BadFilter if a parameter is not one of the choices."""
    if name in texts and texts[name] not in choices:
        shown = escaped(texts[name], limit=40)
        raise BadFilter(f"`{name}` is `{shown}`; choose one of {', '.join(choices)}")


def _time(query: Mapping[str, str], name: str, *, up: bool = False) -> float | None:
    """Return a time in UTC, rounded down (or *up*) to the hour; a date means midnight."""
    text = query.get(name, "").strip()
    if not text:
        return None
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        shown = escaped(text, limit=40)
        raise BadFilter(f"`{name}` is `{shown}`; use a time such as 2026-01-31T12:00") from None
    at = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    # clamped, because an offset or rounding up may exceed the range of datetime
    return min(max(_hour(at, up=up), _EARLIEST), _LATEST)


def _hour(at: float, *, up: bool = False) -> float:
    """Return a time rounded down (or *up*) to the hour."""
    return -(-at // HOUR_S) * HOUR_S if up else at // HOUR_S * HOUR_S


def address_time(at: float | None) -> str:
    """Return a time in UTC in the format of an address; empty for None."""
    if at is None:
        return ""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M")
