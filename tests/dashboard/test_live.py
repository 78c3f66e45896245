"""Events that tell pages that the log has grown, read without a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest

from abs_shield.dashboard import dashboard, live_updates
from abs_shield.stores.sqlite_store import SqliteStore
from tests.dashboard.decision_samples import decision
from tests.dashboard.serving import serve

pytestmark = pytest.mark.slow


def lines(address: str) -> Iterator[str]:
    """The lines of a stream of events, without blank ones."""
    with httpx.stream("GET", address, timeout=30) as answer:
        assert "text/event-stream; charset=utf-8" == answer.headers["content-type"]
        yield from (line for line in answer.iter_lines() if line)


def test_a_page_older_than_the_log_is_updated_at_once(
    store: SqliteStore, keep: Callable[..., None]
) -> None:
    """Records written between loading the page and its connection are not missed."""
    keep(decision(), decision())
    with serve(dashboard(store)) as address:
        events = lines(f"{address}/events?since=1")
        results = [next(events) for _ in range(3)]
        keep(decision())
        results += [next(events) for _ in range(2)]
        events.close()

    assert ["retry: 5000", "event: changed", "data: 2", "event: changed", "data: 3"] == results


@pytest.mark.parametrize("since", ["2", "", "-1", "x", "9" * 40])
def test_a_page_that_is_up_to_date_receives_no_event(
    since: str, store: SqliteStore, keep: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection receives comments, which keep it open, until the log grows."""
    monkeypatch.setattr(live_updates, "_BEAT_S", 0.2)
    keep(decision(), decision())
    with serve(dashboard(store)) as address:
        events = lines(f"{address}/events?since={since}")
        results = [next(events) for _ in range(3)]
        events.close()

    assert ["retry: 5000", ": nothing new", ": nothing new"] == results


def test_one_page_too_many_asks_later(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of open connections is bounded; a further page tries again in a minute."""
    monkeypatch.setattr(live_updates, "MOST_PAGES", 1)
    with serve(dashboard(store)) as address:
        first = lines(f"{address}/events")
        opened = next(first)
        refused = list(lines(f"{address}/events"))
        first.close()

    assert ("retry: 5000", ["retry: 60000"]) == (opened, refused)
