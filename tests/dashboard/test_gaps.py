"""Gaps of the flywheel are listed with the trends."""

from __future__ import annotations

from starlette.testclient import TestClient

from abs_shield.dashboard import dashboard
from abs_shield.dashboard.demo_log import fill
from abs_shield.flywheel.curate import curate
from abs_shield.flywheel.harvest import harvest
from abs_shield.stores import SqliteStore


def test_gaps_of_the_flywheel_are_shown(tmp_path):
    """Each gap of a harvested demo log is listed with its rate and its state."""
    store, book = SqliteStore(tmp_path / "log.db"), tmp_path / "flywheel.db"
    fill(store)
    harvest(store, book)
    gaps = curate(book)
    with TestClient(dashboard(store, flywheel=book), base_url="http://127.0.0.1") as client:
        page = client.get("/trends").text
    store.close()

    assert gaps
    for gap in gaps:
        assert gap.id in page
        assert f"{gap.affected:,} of {gap.decisions:,}" in page


def test_a_log_without_a_flywheel_shows_no_gaps(tmp_path):
    store = SqliteStore(tmp_path / "log.db")
    fill(store)
    with TestClient(dashboard(store), base_url="http://127.0.0.1") as client:
        page = client.get("/trends").text
    store.close()

    assert 'id="gaps"' not in page
