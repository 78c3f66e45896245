"""Forks while a log is in use: neither the parent nor a child loses a decision."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import time
from threading import Event, Thread

import pytest

from abs_shield.stores import SqliteStore, Verified, open_store, sqlite_forks, verify
from tests.stores.conftest import decision, ids

CHILDREN = 12


def fork_child(act) -> int:
    """Run `act` in a forked child, which exits with 0 if it returns true; return its pid."""
    child = os.fork()
    if not child:
        signal.alarm(30)
        os._exit(0 if act() else 1)
    return child


def exit_code(child: int) -> int:
    """Wait for a child; return its exit code, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextlib.contextmanager
def appending_without_pause(store):
    """Append from a thread without a pause, so that a fork nearly always hits a transaction."""
    stop, count = Event(), [0]

    def work() -> None:
        while not stop.is_set():
            if store.losing:
                time.sleep(0.001)
                continue
            store.append(decision(count[0]))
            count[0] += 1

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        yield count
    finally:
        stop.set()
        thread.join()


@pytest.mark.release
@pytest.mark.slow
def test_children_forked_while_the_parent_writes_can_write(dsn_of, kind):
    """A fork in the middle of a transaction does not leave the file locked for the child."""
    store = open_store(dsn_of(kind))
    with appending_without_pause(store) as count:
        time.sleep(0.2)
        codes = []
        for number in range(CHILDREN):

            def act(number: int = number) -> bool:
                store.append(decision(9_000_000 + number))
                return store.flush(15)

            codes.append(exit_code(fork_child(act)))
    assert store.flush(30)
    findings = ids(store.scan())

    assert [0] * CHILDREN == codes
    assert (count[0] + CHILDREN, count[0] + CHILDREN) == (len(findings), len(set(findings)))
    result = Verified()
    assert ([], 1 + CHILDREN) == (list(verify(store, into=result)), result.chains)
    store.close()


def test_a_child_can_write_after_its_parent_closes_the_log(tmp_path):
    """The child keeps the file open, so closing it elsewhere does not delete its WAL file."""
    store = SqliteStore(tmp_path / "log.db")
    store.append(decision(1))
    store.flush()
    reading, writing = os.pipe()

    def act() -> bool:
        store.append(decision(2))
        kept = store.flush()
        os.read(reading, 1)
        store.append(decision(3))
        return kept and store.close()

    child = fork_child(act)
    with contextlib.closing(SqliteStore(tmp_path / "log.db", existing=True)) as other:
        end = time.monotonic() + 20
        while other.get("d-2") is None and time.monotonic() < end:
            time.sleep(0.01)
    store.append(decision(4))
    assert store.close()
    os.write(writing, b"x")

    assert 0 == exit_code(child)
    with contextlib.closing(SqliteStore(tmp_path / "log.db")) as after:
        assert {"d-1", "d-2", "d-3", "d-4"} == set(ids(after.scan()))
        assert [] == list(verify(after))


def test_an_unfinished_scan_does_not_delay_a_fork(tmp_path):
    """A scan reads page by page, so it holds no connection open between two decisions."""
    store = SqliteStore(tmp_path / "log.db")
    for number in range(3):
        store.append(decision(number))
    scan = store.scan()
    next(scan)
    started = time.monotonic()

    assert 0 == exit_code(fork_child(lambda: store.append(decision(9)) and store.flush(10)))
    assert ({}, True) == (sqlite_forks.FORKS._uses, time.monotonic() - started < 10)
    assert ["d-1", "d-2"] == ids(scan)
    store.close()


def test_a_fork_waits_for_a_reader_only_until_its_timeout(tmp_path, monkeypatch, caplog):
    """After the timeout it logs a warning, and a flush in the child returns False."""
    monkeypatch.setattr(sqlite_forks, "_FORK_TIMEOUT_S", 0.2)
    store = SqliteStore(tmp_path / "log.db")
    inside, done = Event(), Event()

    def read() -> None:
        with store.snapshot():
            inside.set()
            done.wait(20)

    thread = Thread(target=read)
    thread.start()
    assert inside.wait(10)
    assert 0 == exit_code(fork_child(lambda: store.append(decision(0)) and not store.flush(0.3)))
    done.set()
    thread.join()

    assert "was in use for 0.2 seconds while this process forked" in caplog.text
    store.append(decision(1))
    assert store.flush(10)
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("count", [50])
def test_closed_stores_are_not_kept_alive_by_the_fork_hooks(tmp_path, count):
    """The fork hooks hold only weak references to stores."""
    import gc

    gc.collect()
    before = len(sqlite_forks.FORKS._holders)
    for _ in range(count):
        SqliteStore(tmp_path / "log.db").close()
    gc.collect()

    assert len(sqlite_forks.FORKS._holders) <= before + 1


@pytest.mark.parametrize("way", ["verify", "snapshot"])
def test_a_child_forked_during_a_read_reports_its_decision_as_dropped(tmp_path, caplog, way):
    """The parent's last close would delete the WAL file that the child writes to."""
    store = SqliteStore(tmp_path / "log.db")
    for number in range(3):
        store.append(decision(number))
    assert store.flush()
    with sqlite3.connect(tmp_path / "log.db") as raw:
        raw.execute("UPDATE records SET tool = 'other' WHERE seq = 1")
    raw.close()

    def act() -> bool:
        store.append(decision(9))
        kept, flushed = store.flush(0.5), store.status.error
        return (
            not kept
            and "was forked" in flushed
            and not store.close(0.1)
            and store.status.dropped == 1
        )

    with contextlib.ExitStack() as use:
        if way == "verify":
            next(use.enter_context(contextlib.closing(verify(store))))
        else:
            use.enter_context(store.snapshot())
        child = fork_child(act)

    assert 0 == exit_code(child)
    assert "was in use by the thread that forked" in caplog.text
    store.append(decision(4))
    assert store.close()


def test_a_child_forked_after_a_read_can_write(tmp_path, caplog):
    """Only a snapshot that is open at the moment of the fork stops the child from writing."""
    store = SqliteStore(tmp_path / "log.db")
    with store.snapshot():
        pass

    assert 0 == exit_code(fork_child(lambda: store.append(decision(9)) and store.flush(10)))
    assert ("", ["d-9"]) == (caplog.text, ids(store.scan()))
    store.close()


def test_an_interrupted_fork_does_not_block_later_use():
    """After a KeyboardInterrupt while the fork waits for its lock, no fork counts as pending."""
    own = sqlite_forks.Forks()

    class Interrupted:
        def acquire(self):
            raise KeyboardInterrupt

    changed, own._changed = own._changed, Interrupted()
    with pytest.raises(KeyboardInterrupt):
        own.before()
    own._changed = changed
    with pytest.raises(RuntimeError):
        own.after_in_parent()

    assert 0 == own._forking


def test_closing_the_store_in_a_child_keeps_the_parents_connection(opens, kind, caplog):
    """The child inherits PostgreSQL's socket and must not end the parent's session over it."""
    store = opens(kind)
    store.append(decision(1))
    assert store.flush()

    assert 0 == exit_code(fork_child(store.close))
    store.append(decision(2))
    assert (True, "") == (store.flush(10), caplog.text)
