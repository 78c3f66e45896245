"""A process that forks while its log is in use: neither it nor a child loses a decision."""

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


def child_of(act) -> int:
    """Fork; give the child's exit code, or minus the signal that ended it."""
    child = os.fork()
    if not child:
        signal.alarm(30)
        os._exit(0 if act() else 1)
    return child


def ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextlib.contextmanager
def busy(store):
    """Append without a pause, so that nearly every moment is one of a transaction."""
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
def test_children_of_a_parent_that_writes_write_as_well(dsn_of, kind):
    """A fork in the middle of a transaction would leave the child's file locked for good."""
    store = open_store(dsn_of(kind))
    with busy(store) as count:
        time.sleep(0.2)
        codes = []
        for number in range(CHILDREN):

            def act(number: int = number) -> bool:
                store.append(decision(9_000_000 + number))
                return store.flush(15)

            codes.append(ended(child_of(act)))
    assert store.flush(30)
    findings = ids(store.scan())

    assert [0] * CHILDREN == codes
    assert (count[0] + CHILDREN, count[0] + CHILDREN) == (len(findings), len(set(findings)))
    result = Verified()
    assert ([], 1 + CHILDREN) == (list(verify(store, into=result)), result.chains)
    store.close()


def test_a_parent_that_closes_leaves_its_children_their_log(tmp_path):
    """The child keeps the file open, so no other process treats it as closed and cleans up."""
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

    child = child_of(act)
    with contextlib.closing(SqliteStore(tmp_path / "log.db", existing=True)) as other:
        end = time.monotonic() + 20
        while other.get("d-2") is None and time.monotonic() < end:
            time.sleep(0.01)
    store.append(decision(4))
    assert store.close()
    os.write(writing, b"x")

    assert 0 == ended(child)
    with contextlib.closing(SqliteStore(tmp_path / "log.db")) as after:
        assert {"d-1", "d-2", "d-3", "d-4"} == set(ids(after.scan()))
        assert [] == list(verify(after))


def test_a_scan_that_goes_on_holds_no_fork_up(tmp_path):
    """It reads page by page: no connection stays open between two decisions."""
    store = SqliteStore(tmp_path / "log.db")
    for number in range(3):
        store.append(decision(number))
    scan = store.scan()
    next(scan)
    started = time.monotonic()

    assert 0 == ended(child_of(lambda: store.append(decision(9)) and store.flush(10)))
    assert ({}, True) == (sqlite_forks.FORKS._uses, time.monotonic() - started < 10)
    assert ["d-1", "d-2"] == ids(scan)
    store.close()


def test_a_fork_waits_for_a_reader_no_longer_than_it_says(tmp_path, monkeypatch, caplog):
    """Then it goes ahead with a warning, and the child tells no decision as written."""
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
    assert 0 == ended(child_of(lambda: store.append(decision(0)) and not store.flush(0.3)))
    done.set()
    thread.join()

    assert "was in use for 0.2 seconds while this process forked" in caplog.text
    store.append(decision(1))
    assert store.flush(10)
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("count", [50])
def test_stores_that_are_gone_are_not_kept_for_a_fork(tmp_path, count):
    """A store that is closed before a fork is only weakly referenced."""
    import gc

    gc.collect()
    before = len(sqlite_forks.FORKS._holders)
    for _ in range(count):
        SqliteStore(tmp_path / "log.db").close()
    gc.collect()

    assert len(sqlite_forks.FORKS._holders) <= before + 1


@pytest.mark.parametrize("way", ["verify", "snapshot"])
def test_a_child_of_a_thread_that_reads_tells_no_decision_as_written(tmp_path, caplog, way):
    """The parent's last close would delete the -wal file that the child writes to."""
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
        child = child_of(act)

    assert 0 == ended(child)
    assert "was in use by the thread that forked" in caplog.text
    store.append(decision(4))
    assert store.close()


def test_a_fork_after_a_reader_writes_again(tmp_path, caplog):
    """Only what is open at the moment of the fork is closed to the child."""
    store = SqliteStore(tmp_path / "log.db")
    with store.snapshot():
        pass

    assert 0 == ended(child_of(lambda: store.append(decision(9)) and store.flush(10)))
    assert ("", ["d-9"]) == (caplog.text, ids(store.scan()))
    store.close()


def test_a_fork_that_was_interrupted_holds_nobody_up():
    """A Ctrl-C while it waits for its lock: the next use waits for no fork."""
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


def test_a_child_that_closes_leaves_the_parent_its_connection(opens, kind, caplog):
    """Over PostgreSQL's socket, which both have, the child would end the parent's session."""
    store = opens(kind)
    store.append(decision(1))
    assert store.flush()

    assert 0 == ended(child_of(store.close))
    store.append(decision(2))
    assert (True, "") == (store.flush(10), caplog.text)
