"""Every finding of a log becomes one catch, with any kind of store."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from abs_shield.core import Subject, Verdict
from abs_shield.errors import StoreError
from abs_shield.flywheel import harvest as harvesting
from abs_shield.flywheel.flywheel_database import database
from abs_shield.flywheel.harvest import Harvest, harvest
from abs_shield.stores import MemoryStore, SqliteStore
from tests.flywheel.conftest import HOSTILE, START, catches, decision, finding, label


def decision_count(book) -> int:
    """Return the number of decisions that the file counted."""
    with database(book) as connection:
        return connection.execute("SELECT sum(decisions) FROM tallies").fetchone()[0]


def raw(log: SqliteStore, sql: str) -> None:
    """Change the log behind its back."""
    log.flush()
    with closing(sqlite3.connect(log.path)) as connection:
        connection.executescript(sql)


def test_a_finding_becomes_a_catch(store, book):
    """The seed's eight fields, and where they come from."""
    store.append(decision(0, finding()))
    harvest(store, book)

    (catch,) = catches(book)
    assert {
        "timestamp": "2026-04-05T14:23:00Z",
        "agent_id": "analyst",
        "task_type": "refund",
        "claim": '"W999"',
        "detected_error": "Unknown target",
        "verified_value": "",
        "confidence": 0.9,
        "priority": "high",
    } == dict(list(catch.to_dict().items())[:8])
    assert "W99" == catch.suggested_value
    assert ("d-0", "phantom_target", "refund", "m-1", "/arguments/order_id", "call") == (
        catch.decision_id, catch.check, catch.tool, catch.model, catch.where, catch.subject,
    )  # fmt: skip


@pytest.mark.parametrize("subject", list(Subject))
def test_every_subject_is_harvested(store, book, subject):
    """Calls, results, answers and outputs alike; each finding of a decision is one catch."""
    store.append(decision(0, finding(), finding(where="/arguments/amount"), subject=subject))

    assert 2 == harvest(store, book).catches
    assert [(subject, 0), (subject, 1)] == [(one.subject, one.place) for one in catches(book)]


def test_a_second_harvest_adds_only_new_decisions(store, book):
    """Neither catches nor decisions are counted twice."""
    for number in range(4):
        store.append(decision(number, *[finding()] * (number % 2)))
    first, again = harvest(store, book), harvest(store, book)
    store.append(decision(5, finding()))

    assert (4, 2) == (first.decisions, first.catches)
    assert Harvest() == again
    assert Harvest(decisions=1, catches=1) == harvest(store, book)
    assert (5, 3) == (decision_count(book), len(catches(book)))


def test_a_later_label_changes_its_catches(store, book):
    """The newest label is stored in the catch and determines its priority."""
    store.append(decision(0, finding(verdict=Verdict.SUSPICIOUS, strength=0.3)))
    harvest(store, book)
    results = [catches(book)[0]]
    for place, truth in enumerate(("hallucinated", "ok")):
        store.label(label(0, truth, at=START + place))
        assert Harvest(labels=1) == harvest(store, book)
        results += catches(book)

    assert [("", "low"), ("hallucinated", "high"), ("ok", "low")] == [
        (one.label, one.priority) for one in results
    ]
    assert Harvest() == harvest(store, book)


def test_an_existing_label_is_harvested(store, book):
    """A label that is in the log before the first harvest is stored in the catch."""
    store.append(decision(0, finding()))
    store.label(label(0, "hallucinated"))

    assert Harvest(decisions=1, catches=1, labels=1) == harvest(store, book)
    assert ["hallucinated"] == [one.label for one in catches(book)]


def test_a_hallucination_that_only_a_person_noticed_is_a_catch(store, book):
    """A clean decision labelled `hallucinated` was missed by every check."""
    store.append(decision(0))
    harvest(store, book)
    store.label(label(0, "hallucinated", note="it was order 7"))

    assert Harvest(catches=1, labels=1) == harvest(store, book)
    (catch,) = catches(book)
    assert ("label", "missed", "it was order 7", "high", True) == (
        catch.check, catch.code, catch.detail, catch.priority, catch.is_gap,
    )  # fmt: skip


def test_a_catch_has_the_text_of_its_claim_if_the_log_has(log, book):
    """The report of an answer contains texts only if runs are recorded."""
    answers = [
        decision(n, finding(check="answer", where="/claims/1", got=None), subject=Subject.ANSWER)
        for n in range(2)
    ]
    texts = [{"text": "It is open."}, {"text": "The parcel W1 arrives today."}]
    for answer, claims in zip(answers, (texts, [{"start": 0}]), strict=True):
        log.append(answer)
        log.append_report(answer, {"claims": claims})
    harvest(log, book)

    assert ["The parcel W1 arrives today.", "W999"] == [one.claim for one in catches(book)]


def test_damaged_records_are_left_out_and_counted(log, book):
    """The rest is harvested; the first damage is described."""
    for number in range(3):
        log.append(decision(number, finding()))
    raw(log, "UPDATE records SET sealed = '{' WHERE decision_id = 'd-1'")
    harvest_result = harvest(log, book)

    assert (2, 2, 1) == (harvest_result.decisions, harvest_result.catches, harvest_result.damaged)
    assert "cannot be read" in harvest_result.first_damage
    assert Harvest() == harvest(log, book)


def test_the_readable_records_of_a_damaged_log_are_harvested(tmp_path, book):
    """Only the records on a damaged page are missing, and they are counted."""
    path = tmp_path / "log.db"
    for first in (0, 200):
        store = SqliteStore(path)
        for number in range(first, first + 200):
            store.append(decision(number, finding(detail="x" * 300)))
        store.close()
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4_096 * 4_096
    data[middle : middle + 4_096] = b"\xff" * 4_096
    path.write_bytes(data)
    damaged = SqliteStore(path, existing=True)
    harvest_result = harvest(damaged, book)

    assert 380 < harvest_result.catches < 400
    assert (harvest_result.damaged, harvest_result.catches) == (
        400 - harvest_result.decisions,
        harvest_result.decisions,
    )
    assert Harvest() == harvest(damaged, book)
    damaged.close()


def test_a_hostile_log_is_harvested(log, book):
    """Lone surrogates, very long texts and invalid times are harvested into small catches."""
    log.append(decision(0, finding(detail="x" * 1_000_000, got=HOSTILE), tool=HOSTILE, at=1e300))
    log.append(decision(1, finding(code="", where=HOSTILE * 99, evidence={"about": 7}), at=-1.0))

    assert 2 == harvest(log, book).catches
    assert all(len(one.to_json()) < 5_000 for one in catches(book))


def test_a_record_that_is_committed_late_is_found(log, book, tmp_path):
    """In PostgreSQL a place may be given earlier than one that was harvested already."""
    log.append(decision(0, finding()))
    log.flush()
    other = SqliteStore(tmp_path / "log.db")
    other.append(decision(1, finding()))
    other.close()
    raw(log, "UPDATE records SET place = 100 WHERE decision_id = 'd-1'")
    harvest(log, book)
    for number in (2, 3):
        log.append(decision(number, finding()))
        raw(log, f"UPDATE records SET place = {48 + number} WHERE decision_id = 'd-{number}'")
        assert Harvest(decisions=1, catches=1) == harvest(log, book)
    log.append(decision(4, finding()))
    raw(log, "UPDATE records SET place = 60 WHERE decision_id = 'd-4'")
    log.append(decision(5, finding()))

    assert Harvest(decisions=2, catches=2) == harvest(log, book)
    assert (6, Harvest()) == (decision_count(book), harvest(log, book))


def test_an_interrupted_harvest_goes_on(log, book, monkeypatch):
    """Written catches remain; the next harvest adds the rest."""
    monkeypatch.setattr(harvesting, "_CHUNK", 2)
    for number in range(5):
        log.append(decision(number, finding()))

    def interrupt(read: int, total: int | None) -> None:
        assert (2, 5) == (read, total)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        harvest(log, book, progress=interrupt)
    assert 2 == len(catches(book))
    assert Harvest(decisions=3, catches=3) == harvest(log, book)
    assert 5 == decision_count(book)


def test_two_harvests_at_the_same_time_count_once(log, book, monkeypatch):
    """Each writes what the other has not written yet."""
    monkeypatch.setattr(harvesting, "_CHUNK", 10)
    for number in range(100):
        log.append(decision(number, finding()))
    with ThreadPoolExecutor(2) as pool:
        harvest_result = list(pool.map(lambda _: harvest(log, book), range(2)))

    assert (100, 100) == (decision_count(book), len(catches(book)))
    assert 100 == sum(one.decisions for one in harvest_result)


def test_a_copy_of_a_log_is_not_counted_twice(log, book, tmp_path):
    """A log is recognised by its chain, not by its path."""
    log.append(decision(0, finding()))
    harvest(log, book)
    raw(log, f"VACUUM INTO '{tmp_path / 'copy.db'}'")
    copy = SqliteStore(tmp_path / "copy.db", existing=True)

    assert Harvest() == harvest(copy, book)
    copy.close()


def test_a_pruned_log_is_harvested_on(log, book):
    """Harvested catches remain, and new ones are added."""
    log.append(decision(0, finding()))
    harvest(log, book)
    log.prune(START + 1)
    log.append(decision(1, finding()))

    assert Harvest(decisions=1, catches=1) == harvest(log, book)
    assert (2, Harvest()) == (len(catches(book)), harvest(log, book))


def test_logs_share_a_file(log, book, tmp_path):
    """Each is read on where it was read before."""
    logs = [log, SqliteStore(tmp_path / "other.db"), MemoryStore(), MemoryStore()]
    for number, one in enumerate(logs):
        one.append(decision(number, finding()))

    assert [1, 1, 1, 1, 0, 0, 0, 0] == [harvest(one, book).decisions for one in logs * 2]
    logs[1].close()


def test_a_ring_that_turned_is_harvested_on(book):
    """Decisions that were overwritten before a harvest are lost; none is counted twice."""
    ring = MemoryStore(most=3)
    for number in range(8):
        ring.append(decision(number, finding()))
        if number % 4 == 1:
            harvest(ring, book)
    harvest(ring, book)

    assert (7, 7) == (len(catches(book)), decision_count(book))


def test_a_file_that_is_something_else_is_refused(log, tmp_path):
    """A decision log is not written over."""
    log.append(decision(0))
    log.flush()
    with pytest.raises(StoreError, match=r"log\.db"):
        harvest(log, log.path)
    (tmp_path / "text.db").write_text("not a database, but long enough to be read as one")
    with pytest.raises(StoreError, match=r"text\.db"):
        harvest(log, tmp_path / "text.db")
