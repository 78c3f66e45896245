"""The log after a killed process, on a full disk, or without its database."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from abs_shield.stores import SqliteStore, Verified, open_store, sqlite_store, verify
from tests.processes import run_python
from tests.stores.conftest import QUICK_ON_A_FILE, decision, ids

ROOT = Path(__file__).parents[2]
WITHIN_S = 30.0


@pytest.fixture
def address(request, kind, tmp_path) -> str:
    """Return the address of a log of each durable kind."""
    return str(tmp_path / "log.db") if kind == "sqlite" else request.getfixturevalue("dsn")


def start_appending(address: str, start: int, count: int, every: int) -> subprocess.Popen[str]:
    words = ["-m", "tests.stores.appending", address, str(start), str(count), str(every)]
    return subprocess.Popen([sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def until(holds, within_s: float = WITHIN_S) -> None:
    end = time.monotonic() + within_s
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    assert holds()


@contextlib.contextmanager
def lock_file(path: Path):
    """Hold the write lock of the file, as another process would."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@QUICK_ON_A_FILE
def test_a_killed_process_loses_nothing_that_was_flushed(address):
    """After SIGKILL during a write, flushed records exist, the log verifies and can be written."""
    with start_appending(address, 1, 1_000_000, 500) as process:
        flushed = [int(process.stdout.readline()) for _ in range(4)][-1]
        time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    store = open_store(address)
    findings = ids(store.scan())

    assert [] == list(verify(store))
    assert len(findings) >= flushed == 2_000
    assert [f"d-{n}" for n in range(1, len(findings) + 1)] == findings
    store.append(decision(0))
    assert (True, len(findings) + 1) == (store.flush(), len(store))
    store.close()


@QUICK_ON_A_FILE
def test_a_process_that_exits_without_closing_loses_nothing(address):
    """Pending records are written at exit."""
    with start_appending(address, 1, 700, 1_000) as process:
        assert "end" == process.stdout.read().strip()

    with contextlib.closing(open_store(address)) as store:
        assert 700 == len(store)


@QUICK_ON_A_FILE
def test_several_processes_can_write_to_one_log(address):
    """Each of four concurrent writers has its own chain, and no record is lost."""
    processes = [start_appending(address, 1_000 * n, 500, 100) for n in range(4)]
    for process in processes:
        process.communicate(timeout=60)
    result = Verified()
    with contextlib.closing(open_store(address)) as store:
        assert [] == list(verify(store, into=result))
        assert (2_000, 2_000) == (len(store), len(set(ids(store.scan()))))
    assert (4, 2_000) == (result.chains, result.records)


def test_a_forked_child_writes_its_own_chain(address):
    """The child opens a new connection, and the parent's pending records stay with the parent."""
    store = open_store(address)
    store.append(decision(1))
    store.flush()
    child = os.fork()
    if not child:
        store.append(decision(2))
        os._exit(0 if store.flush() and store.close() else 1)
    assert 0 == os.waitpid(child, 0)[1]
    store.append(decision(3))
    result = Verified()

    assert {"d-1", "d-2", "d-3"} == set(ids(store.decisions()))
    assert ([], 2) == (list(verify(store, into=result)), result.chains)
    store.close()


@pytest.mark.parametrize(
    "attempt_ms", [50, pytest.param(1_000, marks=[pytest.mark.slow, pytest.mark.release])]
)
def test_a_locked_file_loses_nothing(tmp_path, monkeypatch, attempt_ms):
    """Records stay in the buffer while the file is locked, and `append` does not block."""
    monkeypatch.setattr(sqlite_store, "_WAITS_MS", attempt_ms)
    store = SqliteStore(tmp_path / "log.db")
    with lock_file(tmp_path / "log.db"):
        for number in range(100):
            store.append(decision(number))
        assert not store.flush(10 * attempt_ms / 1_000)
        assert (100, 0) == store.status[:2]
        assert "locked" in store.status.error
    assert store.flush(WITHIN_S)
    assert (100, 0, "") == (len(store), *store.status[1:])
    store.close()


@pytest.mark.slow
def test_a_full_buffer_drops_and_counts_records(tmp_path, caplog):
    """The log has a gap with the number of dropped records and the reason; a warning is logged."""
    store = SqliteStore(tmp_path / "log.db", most=10)
    with lock_file(tmp_path / "log.db"):
        store.append(decision(0))
        until(lambda: store.status.error)
        for number in range(1, 16):
            store.append(decision(number))
        assert (True, 5) == (store.losing, store.status.dropped)
    assert store.flush(WITHIN_S)
    store.append(decision(99))
    result = Verified()

    assert [*(f"d-{n}" for n in range(11)), "d-99"] == ids(store.decisions())
    assert ([], 5) == (list(verify(store, into=result)), result.dropped)
    (gap,) = store.gaps()
    assert (5, "the buffer was full") == (gap["dropped"], gap["reason"])
    assert not store.losing
    assert "drops records: the buffer was full" in caplog.text
    store.close()


@pytest.fixture
def small_disk(tmp_path):
    """Mount a disk of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)],
        stderr=subprocess.PIPE,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted; run the test as root on Linux")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_decisions_stay_in_the_buffer_while_the_disk_is_full(small_disk):
    """When there is space again, all decisions are written in order, and the log verifies."""
    filler = small_disk / "filler"
    store = SqliteStore(small_disk / "log.db")
    store.append(decision(0))
    assert store.flush()
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4_096)
    for number in range(1, 200):
        store.append(decision(number))
    until(lambda: store.status.error)
    assert not store.flush(0.3)
    filler.unlink()

    assert store.flush(WITHIN_S)
    assert [f"d-{n}" for n in range(200)] == ids(store.decisions())
    assert [] == list(verify(store))
    store.close()


def test_a_deleted_file_is_recreated_and_verification_reports_it(tmp_path):
    """Without this, SQLite would continue to write to the deleted file."""
    path = tmp_path / "log.db"
    store = SqliteStore(path)
    store.append(decision(1))
    store.flush()
    for file in tmp_path.iterdir():
        file.unlink()
    store.append(decision(2))

    assert store.flush(WITHIN_S)
    assert ["d-2"] == ids(store.decisions())
    assert ["missing"] == [fault.code for fault in verify(store)]
    store.close()


def test_a_restart_of_the_server_loses_nothing(postgres, dsn):
    """Decisions stay in the buffer while the server is down, and the chain continues."""
    store = open_store(dsn)
    store.append(decision(1))
    assert store.flush()
    postgres.stop()
    for number in range(2, 50):
        store.append(decision(number))
    until(lambda: store.status.error)
    assert (False, 0) == (store.flush(0.2), store.status.dropped)
    postgres.start()

    assert store.flush(WITHIN_S)
    assert [f"d-{n}" for n in range(1, 50)] == ids(store.decisions())
    assert [] == list(verify(store))
    store.close()


class CommitProxy:
    """A TCP proxy; while `cuts` is set, it forwards a commit and drops the server's answer."""

    def __init__(self, port: int) -> None:
        self.cuts = 0
        self._to = port
        self._sockets = [socket.create_server(("127.0.0.1", 0))]
        self.port = self._sockets[0].getsockname()[1]
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._sockets[0].accept()
                server = socket.create_connection(("127.0.0.1", self._to))
                self._sockets += [client, server]
                Thread(target=self._pass, args=(client, server), daemon=True).start()
                Thread(target=self._pass, args=(server, client), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if self.cuts and b"COMMIT\0" in data:
                    self.cuts -= 1
                    source.shutdown(socket.SHUT_RDWR)
                target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for one in self._sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


def test_a_commit_whose_response_is_lost_is_not_repeated(postgres, dsn):
    """The writer reads the head from the database to see that the commit succeeded."""
    deaf = CommitProxy(postgres.port)
    store = open_store(dsn.replace(str(postgres.port), str(deaf.port)))
    store.append(decision(1))
    assert store.flush()
    deaf.cuts = 1
    for number in range(2, 6):
        store.append(decision(number))

    assert store.flush(WITHIN_S)
    assert [f"d-{n}" for n in range(1, 6)] == ids(store.decisions())
    assert (0, []) == (deaf.cuts, list(verify(store)))
    store.close()
    deaf.close()


CHILD = """
import multiprocessing, sys
from abs_shield.stores import open_store
from tests.stores.conftest import decision

def work(address, start):
    store = open_store(address)
    for number in range(start, start + 300):
        store.append(decision(number))

def inherited(number):
    STORE.append(decision(number))

if __name__ == "__main__":
    address, method = sys.argv[1:]
    context = multiprocessing.get_context(method)
    workers = [context.Process(target=work, args=(address, 1_000 * n)) for n in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if method == "fork":
        STORE = open_store(address)
        with context.Pool(2) as pool:
            pool.map(inherited, range(9_000, 9_100))
            pool.close()
            pool.join()
"""


@pytest.mark.parametrize(
    "method",
    ["fork", *(pytest.param(one, marks=pytest.mark.slow) for one in ("forkserver", "spawn"))],
)
def test_multiprocessing_workers_lose_nothing_at_exit(tmp_path, method):
    """Workers of multiprocessing exit without running the usual `atexit` functions."""
    address, script = str(tmp_path / "log.db"), tmp_path / "script.py"
    script.write_text(CHILD, encoding="utf-8")
    run_python(script, address, method)

    with contextlib.closing(open_store(address)) as store:
        assert 600 + 100 * (method == "fork") == len(set(ids(store.scan())))
        assert [] == list(verify(store))


OPENED = """
import sys, time
from abs_shield.stores import open_store

print("ready", flush=True)
start = float(sys.stdin.readline())
for number in range(100):
    time.sleep(max(0, start + number / 100 - time.time()))
    open_store(f"{sys.argv[1]}/{number}.db").close()
"""
"""Makes a log every hundredth of a second from a time on that stdin tells."""


def test_processes_can_create_the_same_log_concurrently(tmp_path):
    """SQLite itself does not wait while another process switches the file to WAL mode."""
    command = [sys.executable, "-c", OPENED, str(tmp_path)]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    workers = [subprocess.Popen(command, text=True, **pipes) for _ in range(3)]
    for worker in workers:
        assert "ready\n" == worker.stdout.readline()
    start = f"{time.time() + 0.1}\n"
    for worker in workers:
        worker.stdin.write(start)
        worker.stdin.flush()

    assert ["", "", ""] == [worker.communicate(timeout=60)[1] for worker in workers]


@pytest.mark.release
@QUICK_ON_A_FILE
def test_a_log_verifies_while_another_process_appends(address):
    """A verification reads one snapshot, so concurrent appends cause no faults."""
    with start_appending(address, 1, 1_000_000, 10) as process:
        process.stdout.readline()
        with contextlib.closing(open_store(address, existing=True)) as store:
            faults = [fault for _ in range(20) for fault in verify(store)]
        process.kill()

    assert [] == faults


def test_records_that_close_cannot_write_are_counted_as_dropped(tmp_path):
    """A second close and a later flush return False too, without waiting."""
    store = SqliteStore(tmp_path / "log.db")
    with lock_file(tmp_path / "log.db"):
        store.append(decision(1))
        store.append(decision(2))
        assert (False, False, False) == (store.close(0.2), store.close(), store.flush())

    assert (0, 2) == store.status[:2]
    until(lambda: store.close() or store._ledger is None)  # its thread ends when the lock is free


class RefusingConnection(sqlite3.Connection):
    """A connection that always refuses one record, and fails once for the record after it."""

    moments = 1

    def execute(self, sql, values=()):
        if sql.startswith("INSERT INTO records"):
            if any("poison" in str(value) for value in values):
                raise sqlite3.IntegrityError("refused")
            if "d-4" in values and RefusingConnection.moments:
                RefusingConnection.moments -= 1
                raise sqlite3.OperationalError("for a moment")
        return super().execute(sql, values)


@pytest.mark.slow
def test_only_a_refused_record_is_dropped_and_no_other_is_duplicated(tmp_path, monkeypatch):
    """This also holds if the database fails while the other records are written one by one."""
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3,
        "connect",
        lambda *words, **named: connect(*words, factory=RefusingConnection, **named),
    )
    store = SqliteStore(tmp_path / "log.db")
    with lock_file(tmp_path / "log.db"):
        for number in range(1, 4):
            store.append(decision(number))
        store.append(decision(99, tool="poison"))
        store.append(decision(4))
        until(lambda: store.status.error)

    assert store.flush(WITHIN_S)
    assert ["d-1", "d-2", "d-3", "d-4"] == ids(store.decisions())
    assert ([], 1) == (list(verify(store)), store.status.dropped)
    store.close()


LABELLER = """
import sys, time
from contextlib import closing
from abs_shield.core.label import Label, Truth
from abs_shield.stores import open_store
with closing(open_store(sys.argv[1], existing=True)) as store:
    for number in range(150):
        store.label(Label(decision_id=f"d-{number}", truth=Truth.OK, at=1.0, by=sys.argv[2]))
"""


@pytest.mark.release
@QUICK_ON_A_FILE
def test_processes_can_label_append_and_read_concurrently(address):
    """Two processes add labels while a third appends and reads decisions; nothing is lost."""
    store = open_store(address)
    for number in range(150):
        store.append(decision(number))
    assert store.flush()
    words = [sys.executable, "-c", LABELLER, address]
    labellers = [subprocess.Popen([*words, name], cwd=ROOT) for name in ("ann", "bob")]
    number = 150
    while any(labeller.poll() is None for labeller in labellers):
        store.append(decision(number))
        assert store.get(f"d-{number}") is not None
        number += 1
    assert [0, 0] == [labeller.returncode for labeller in labellers]
    result = Verified()

    assert ([], 150) == (list(verify(store, into=result)), len(store.labels()))
    assert (number + 300, number) == (result.records, len(store))
    store.close()
