"""The pages for an unreadable log and for errors."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from abs_shield.core.label import Label, Truth
from abs_shield.dashboard.page_views import Views
from abs_shield.stores.sqlite_store import SqliteStore
from tests.dashboard.decision_samples import AT, decision, finding
from tests.dashboard.visiting import Visit

VIEWS = ["/", "/cell?row=refund&check=phantom_target", "/rollout", "/trends", "/decisions/d-1"]


def damage(store: SqliteStore, path: Path) -> None:
    """Overwrite the file of a log."""
    store.disconnect()
    for file in path.parent.glob(path.name + "-*"):
        file.unlink()
    path.write_bytes(b"this is no database " * 1_000)


@pytest.mark.parametrize("path", [*VIEWS, "/trends.json"])
def test_an_unreadable_log_is_named(
    path: str, visit: Visit, store: SqliteStore, keep: Callable[..., None], tmp_path: Path
) -> None:
    """Each view says in one line that the log cannot be read, with the headers of a page."""
    keep(decision(finding(), id="d-1"))
    client = visit()
    damage(store, tmp_path / "decisions.db")
    answer = client.get(path)
    (line,) = re.findall(r"<p data-problem>(.*?)</p>", answer.text)

    assert (503, True) == (answer.status_code, "decisions.db" in line and "\n" not in line)
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_damaged_decision_is_named(
    visit: Visit, keep: Callable[..., None], tmp_path: Path
) -> None:
    """The page of an unreadable record is an error; lists count the records left out."""
    keep(decision(finding(), id="d-1"), decision(finding(), id="d-2"))
    with closing(sqlite3.connect(tmp_path / "decisions.db")) as log, log:
        log.execute("UPDATE records SET sealed = '{' WHERE decision_id = 'd-1'")
    client = visit()

    assert 503 == client.get("/decisions/d-1").status_code
    assert "1 record is left out, as it cannot be read" in client.get(VIEWS[1]).text


def spoil(path: Path, where: str) -> None:
    """Make records of a log unreadable."""
    with closing(sqlite3.connect(path)) as log, log:
        assert log.execute(f"UPDATE records SET sealed = '{{' WHERE {where}").rowcount


@pytest.mark.parametrize("path", [*VIEWS, "/?session=s-1", "/cell?session=s-1", "/trends.json"])
@pytest.mark.parametrize("where", ["kind = 'label'", "kind = 'gap'", "decision_id = 'd-2'"])
def test_one_record_that_cannot_be_read_closes_no_view(
    path: str, where: str, visit: Visit, store: SqliteStore, keep: Callable[..., None],
    tmp_path: Path,
) -> None:  # fmt: skip
    """A label, a loss or a decision that is damaged is left out, as the report leaves it out."""
    keep(decision(finding(), id="d-1"), decision(finding(), id="d-2"))
    store.label(Label(decision_id="d-2", truth=Truth.OK, at=AT))
    store._writer.put(store._writer.record_loss(AT, "the disk was full"))
    assert store.flush()
    spoil(tmp_path / "decisions.db", where)

    assert 200 == visit().get(path).status_code


def test_a_damaged_label_is_counted_on_the_heatmap(
    visit: Visit, store: SqliteStore, keep: Callable[..., None], tmp_path: Path
) -> None:
    """The page counts the records left out and names the command that finds them."""
    keep(decision(finding(), id="d-1"))
    store.label(Label(decision_id="d-1", truth=Truth.OK, at=AT))
    spoil(tmp_path / "decisions.db", "kind = 'label'")
    text = visit().get("/").text

    assert "1 record is left out, as it cannot be read: run <code>abs-shield log verify" in text


def test_a_page_that_breaks_says_so_and_tells_nothing(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is for the server's log; the page has the headers of a page."""

    def broken(self: Views, request: Any) -> Any:
        raise RuntimeError("secret text")

    monkeypatch.setattr(Views, "rollout", broken)
    answer = visit().get("/rollout")

    assert (500, False) == (answer.status_code, "secret text" in answer.text)
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "data-problem" in answer.text
