"""Lookups of one decision and of its neighbours, which use an index in every durable log."""

from __future__ import annotations

import contextlib
import re
import sqlite3

import pytest

from abs_shield.core.label import Label, Truth
from abs_shield.stores.log_tables import Query
from abs_shield.stores.sealed_record import RecordKind
from abs_shield.stores.sqlite_store import SqliteLedger
from tests.stores.conftest import decision, ids


@pytest.fixture
def log(kind, opens):
    """Return a durable store with six decisions that alternate between two sessions."""
    store = opens(kind)
    for number in range(1, 7):
        store.append(decision(number, session_id=f"s-{number % 2}"))
    return store


def label(number: int, truth: Truth, at: float = 1.0) -> Label:
    return Label(decision_id=f"d-{number}", truth=truth, at=at)


def test_ids_near_a_text_are_returned_in_order(log):
    """`ids_near` returns up to `most` ids on each side, so ids with one prefix are adjacent."""
    log.append(decision(30))
    log.append(decision(31))

    assert ["d-2", "d-3", "d-30"] == log.ids_near("d-3", most=2)[1:]
    assert ["d-1", "d-2", "d-3"] == log.ids_near("", most=3)
    assert ["d-6"] == log.ids_near("e", most=1)


def test_ids_near_has_no_duplicates_and_no_deleted_ids(log):
    """The id of a deleted decision is not returned, even if a label with this id exists."""
    log.append(decision(1))
    log.label(label(6, Truth.OK, at=9e9))
    log.prune(decision(7).at)

    assert [] == log.ids_near("d", most=9)
    log.append(decision(8))
    log.append(decision(8))
    assert ["d-8"] == log.ids_near("d", most=9)


@pytest.mark.parametrize("text", ["d%", "d_1", "\\", "d\x00", "\ud800", "x" * 999])
def test_ids_near_accepts_any_text(log, text):
    """Wildcards of SQL have no effect, and no text causes a database error."""
    assert not [one for one in log.ids_near(text, most=9) if one.startswith(text)]


def test_around_returns_decisions_of_the_same_session(log):
    """`around` returns up to `most` decisions on each side, in the order of the log."""
    before, after = log.around("d-3", most=1)

    assert (["d-1"], ["d-5"]) == (ids(before), ids(after))
    assert ([], ["d-3", "d-5"]) == tuple(map(ids, log.around("d-1", most=9)))


def test_around_returns_nothing_without_a_session(log):
    """`around` returns two empty lists if the decision has no session or is unknown."""
    log.append(decision(7))
    log.append(decision(8))

    assert (([], []), ([], [])) == (log.around("d-7", most=9), log.around("d-9", most=9))


def test_labels_of_returns_all_labels_of_a_decision(log):
    """The last label of `labels_of` is the one that `labels` returns."""
    for truth in (Truth.HALLUCINATED, Truth.OK, Truth.HALLUCINATED):
        log.label(label(2, truth))
    log.label(label(1, Truth.OK))

    assert ["hallucinated", "ok", "hallucinated"] == [one.truth for one in log.labels_of("d-2")]
    assert log.labels_of("d-2")[-1] == log.labels()["d-2"]
    assert [] == log.labels_of("d-3")


def test_the_label_with_the_latest_time_counts(kind, opens, log):
    """Two writers have a chain each, so the time of the labels decides."""
    log.flush()
    other = opens(kind)
    other.label(label(2, Truth.OK, at=5.0))
    log.label(label(2, Truth.HALLUCINATED, at=3.0))

    assert ["hallucinated", "ok"] == [one.truth for one in log.labels_of("d-2")]
    assert Truth.OK is log.labels()["d-2"].truth


QUERIES = {
    "decision": Query(kind=RecordKind.DECISION, decision_id="d-1"),
    "label": Query(kind=RecordKind.LABEL, decision_id="d-1"),
    "report": Query(kind=RecordKind.REPORT, decision_id="d-1"),
}


@pytest.mark.parametrize("name", QUERIES)
def test_records_of_a_decision_are_found_with_the_index_of_ids(tmp_path, name):
    """Lookups of a decision, its labels and its reports use `records_decision`."""
    from abs_shield.stores import SqliteStore

    SqliteStore(tmp_path / "log.db").close()
    assert ["records_decision"] == used_indexes(
        tmp_path / "log.db", lambda one: one.rows(QUERIES[name])
    )


def test_sessions_and_ids_near_a_text_are_found_with_an_index(tmp_path):
    """No lookup of `abs-shield show` scans the whole log."""
    from abs_shield.stores import SqliteStore

    SqliteStore(tmp_path / "log.db").close()
    path = tmp_path / "log.db"
    session = Query(kind=RecordKind.DECISION, session_id="s", up_to=5)

    assert ["records_session"] == used_indexes(
        path, lambda one: one.rows(session, order="place DESC", limit=2)
    )
    assert ["records_decision"] * 2 == used_indexes(path, lambda one: one.ids_near("d", most=2))


def used_indexes(path, look) -> list[str]:
    """Return the indexes that SQLite uses for the queries of a ledger."""
    ledger = SqliteLedger(path, reads=True)
    statements: list[str] = []
    with contextlib.closing(ledger), contextlib.closing(sqlite3.connect(path)) as connection:
        ledger._connection.set_trace_callback(statements.append)
        for _ in look(ledger):
            pass
        results = [
            connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
            for sql in statements
            if sql.startswith("SELECT")
        ]
    return [
        match[1]
        for rows in results
        for row in rows
        if (match := re.search(r"SEARCH records USING INDEX (\w+)", row[-1]))
    ]


def test_decisions_of_returns_every_record_of_many_ids(log):
    """`decisions_of` returns a dict in the order of places, without unknown ids."""
    log.append(decision(2, tool="again"))
    long = "x" * 400
    log.append(decision(7, id=long + "1"))
    log.append(decision(8, id=long + "2"))
    decisions = log.decisions_of([f"d-{n}" for n in range(2, 1_500)] + [long + "1"])

    assert [f"d-{n}" for n in (2, 3, 4, 5, 6, 2)] + [long + "1"] == ids(decisions.values())
    assert [*decisions] == sorted(decisions)
    assert {} == log.decisions_of([])


def test_decisions_of_does_not_read_records_again(log):
    """Objects in `already_read` are reused, except those whose record was pruned meanwhile."""
    first = log.decisions_of(["d-1", "d-2"])
    log.append(decision(9))
    later = log.decisions_of(["d-1", "d-2", "d-9"], already_read=first)
    log.prune(decision(2).at)
    left = log.decisions_of(["d-1", "d-2", "d-9"], already_read=later)

    assert (["d-1", "d-2", "d-9"], ["d-2", "d-9"]) == (ids(later.values()), ids(left.values()))
    assert all(later[place] is one for place, one in first.items())
