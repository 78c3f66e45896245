"""The batch writer: its buffer, its thread, its losses, and a thread that cannot start."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from types import SimpleNamespace

import pytest

from abs_shield import Shield, Tool, shield
from abs_shield.core.label import Label, Truth
from abs_shield.errors import StoreError
from abs_shield.stores import MemoryStore, SqliteStore
from abs_shield.stores.batch_writer import BatchWriter
from abs_shield.stores.sealed_record import RecordKind
from tests.processes import run_python
from tests.stores.conftest import decision, ids
from tests.stores.test_faults import lock_file, until


@pytest.fixture
def no_thread(monkeypatch):
    """Make the next threads of the log fail to start, as on a machine without free threads."""
    start, refused = threading.Thread.start, [0]

    def starting(thread):
        if thread.name == "abs_shield-log" and refused[0]:
            refused[0] -= 1
            raise RuntimeError("can't start new thread")
        return start(thread)

    monkeypatch.setattr(threading.Thread, "start", starting)
    return refused


def test_a_thread_that_failed_to_start_is_retried(tmp_path, no_thread):
    """The next decision starts it, and the earlier decision is written, too."""
    store = SqliteStore(tmp_path / "log.db")
    no_thread[0] = 1
    store.append(decision(1))
    assert (True, "can't start new thread") == (store.losing, store.status.error)
    store.append(decision(2))

    assert store.flush()
    assert (["d-1", "d-2"], False, (0, 0, "")) == (ids(store.scan()), store.losing, store.status)
    assert store.close()


def test_strict_calls_are_blocked_while_no_thread_starts(tmp_path, no_thread):
    """A decision that may never be written is dropped; later calls continue."""
    store = SqliteStore(tmp_path / "log.db")
    policy = shield.configure(mode="strict", on_log_loss="block", tools=[Tool(name="refund")])
    firewall = Shield(policy, store=store, hooks=None)
    no_thread[0] = 3
    call = {"name": "refund", "arguments": {}}

    blocked = [firewall.check_call(call).blocked for _ in range(6)]
    assert [True, True, True, True, False, False] == blocked
    assert (True, 6) == (store.flush(), len(store))
    store.close()


def test_a_log_without_a_thread_is_written_when_it_closes(tmp_path, no_thread):
    """The thread that closes the log writes it, without an error."""
    store = SqliteStore(tmp_path / "log.db")
    no_thread[0] = 1_000
    store.append(decision(1))
    assert not store.flush(0.01)

    assert store.close()
    assert ["d-1"] == ids(store.scan())


@pytest.mark.slow
def test_pending_flushes_do_not_count_as_decisions(tmp_path):
    """Repeated flushes of a health check do not fill the buffer of a locked log."""
    store = SqliteStore(tmp_path / "log.db", most=5)
    with lock_file(tmp_path / "log.db"):
        store.append(decision(0))
        until(lambda: store.status.error)
        for _ in range(20):
            assert not store.flush(0.001)
        assert (False, 1, []) == (store.losing, store.status.waiting, store._writer._marks)
        for number in range(1, 6):
            store.append(decision(number))
        assert (6, 0) == store.status[:2]
    assert store.flush(30)
    assert 6 == len(store)
    assert store.close()


def test_a_flush_waits_only_for_earlier_records():
    """Records that are added during the flush do not extend it."""
    written = []

    def write(entries):
        time.sleep(0.01)
        written.extend(entries)
        entries.clear()

    writer = BatchWriter(lambda item: item, write, most=100_000)
    for number in range(3_500):
        writer.put(number)
    assert writer.flush(10)
    count = len(written)
    for number in range(3_500, 5_000):
        writer.put(number)

    assert 3_500 == count
    assert (True, list(range(5_000))) == (writer.close(10), written)


def test_a_close_reports_earlier_losses(tmp_path):
    """It reports them even if all other records are written; so does the Shield."""
    store = SqliteStore(tmp_path / "log.db", most=2)
    firewall = Shield(shield.configure(mode="audit"), store=store, hooks=None)
    with lock_file(tmp_path / "log.db"):
        for number in range(5):
            store.append(decision(number))
    assert store.flush(30)

    assert not firewall.close()
    assert (False, False) == (store.close(), store.close())


def test_a_decision_dropped_from_memory_is_no_loss():
    """The size of the ring is the choice of the user."""
    firewall = Shield(shield.configure(mode="audit"), store=MemoryStore(1), hooks=None)
    for _ in range(3):
        firewall.check_call({"name": "refund", "arguments": {}})

    assert (True, 2) == (firewall.close(), firewall.store.status.dropped)


def test_a_handler_that_records_a_decision_itself_does_not_hang(tmp_path):
    """A loss is reported without holding a lock."""
    store = SqliteStore(tmp_path / "log.db", most=1)

    class Recording(logging.Handler):
        depth = 0

        def emit(self, record):
            if self.depth < 3:
                self.depth += 1
                store.append(decision(99))

    handler, logger = Recording(), logging.getLogger("abs_shield")
    logger.addHandler(handler)
    try:
        with lock_file(tmp_path / "log.db"):
            done = threading.Thread(
                target=lambda: [store.append(decision(n)) for n in range(9)], daemon=True
            )
            done.start()
            done.join(10)
            assert not done.is_alive()
    finally:
        logger.removeHandler(handler)
    assert handler.depth
    store.close()


ENDING = """
import sys
from abs_shield.stores import SqliteStore
from tests.stores.conftest import decision
stores = [SqliteStore(f"{sys.argv[1]}/{n}.db") for n in range(3)]
for store in stores:
    store.append(decision(1))
stores[1]._writer.close = stores[1]._writer.request_close = lambda *_: 1 / 0
"""


def test_a_failed_close_does_not_prevent_the_close_of_other_logs(tmp_path):
    """At exit every log is closed, and the failure is reported."""
    done = run_python("-c", ENDING, tmp_path)

    assert "cannot be closed: " in done.stderr
    for number in (0, 2):
        with contextlib.closing(SqliteStore(tmp_path / f"{number}.db", existing=True)) as store:
            assert ["d-1"] == ids(store.scan())


def test_a_dropped_label_raises_an_error(tmp_path):
    """A label on a closed log is an error, and so is retention, which deletes nothing."""
    store = SqliteStore(tmp_path / "log.db", most=1)
    store.append(decision(1))
    store.flush()
    label = Label(decision_id="d-1", truth=Truth.OK, at=1.0)
    store.close()

    with pytest.raises(StoreError, match="the label could not be written: the log is closed"):
        store.label(label)
    with pytest.raises(StoreError, match="the log cannot be pruned: the log is closed"):
        store.prune(decision(2).at)
    assert (1, {}) == (len(store), store.labels())


def test_a_record_after_the_end_of_the_thread_is_written():
    """At exit all threads end first; a call may add a decision before its log is closed."""
    written = []

    def write(entries):
        written.extend(entries)
        entries.clear()

    writer = BatchWriter(lambda item: item, write, most=10)
    writer.put(1)
    writer.request_close()
    until(lambda: not writer._thread.is_alive())
    writer.put(2)

    assert (True, [1, 2]) == (writer.close(5), written)


def test_a_locked_log_says_to_try_again(tmp_path, monkeypatch):
    """Another program holds the log."""
    store = SqliteStore(tmp_path / "log.db")
    store.append(decision(1))
    store.flush()
    fault = "database is locked"
    monkeypatch.setattr(store, "flush", lambda *args: False)
    monkeypatch.setattr(store._writer, "_error", fault)
    monkeypatch.setattr(store._writer, "put", lambda item: True)

    with pytest.raises(StoreError, match=f"{fault}; another program writes to the log, try again"):
        store.label(Label(decision_id="d-1", truth=Truth.OK, at=9.0))
    store.close()


def test_one_unwritten_record_is_not_plural(caplog):
    """The message of a log that is closed too early has the singular."""

    def write(entries):
        raise OSError("no space")

    writer = BatchWriter(lambda item: item, write, most=10)
    writer.put(SimpleNamespace(kind=RecordKind.DECISION))
    writer.close(0.1)

    assert "was closed with 1 unwritten record:" in caplog.text


def test_a_label_is_written_although_a_decision_is_dropped(tmp_path, monkeypatch):
    """Another thread drops a decision meanwhile; an equal label of before does not count."""
    store = SqliteStore(tmp_path / "log.db")
    store.append(decision(1))
    label = Label(decision_id="d-1", truth=Truth.OK, at=9.0)
    flush = store.flush

    def flushing(*args):
        store._writer._drop()
        return flush(*args)

    monkeypatch.setattr(store, "flush", flushing)
    store.label(label)
    monkeypatch.setattr(
        store._writer, "_build_entry", lambda item: store._writer.record_loss(0.0, "no")
    )
    with pytest.raises(StoreError, match="the label could not be written"):
        store.label(label)

    assert {"d-1": label} == store.labels()
    store.close()
