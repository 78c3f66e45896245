"""A PostgreSQL server of the tests' own, and a store of every kind."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from glob import glob
from pathlib import Path
from uuid import uuid4

import pytest

from abs_shield.core import Action, Decision, Mode, Subject, Verdict
from abs_shield.stores import MemoryStore, SqliteStore, Store

KINDS = ("memory", "sqlite", "postgres")
DURABLE = KINDS[1:]


def decision(number: int, **changes: object) -> Decision:
    """Give a decision that is like no other."""
    fields = {
        "id": f"d-{number}",
        "subject": Subject.CALL,
        "tool": "refund",
        "verdict": Verdict.CLEAN,
        "action": Action.ALLOW,
        "mode": Mode.STRICT,
        "blocked": False,
        "would_block": False,
        "policy_revision": "4f1c",
        "at": 1_767_225_600.0 + number,
    }
    return Decision(**(fields | changes))


def ids(decisions) -> list[str]:
    """Name decisions by their ids."""
    return [d.id for d in decisions]


class Server:
    """A PostgreSQL server in a folder of its own; a superuser's processes start as `postgres`."""

    def __init__(self, programs: str) -> None:
        self._programs = Path(programs)
        self._as = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        self.folder = Path(tempfile.mkdtemp(prefix="abs_shield-pg"))
        if self._as:
            shutil.chown(self.folder, "postgres", "postgres")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._run("initdb", "-D", "data", "-A", "trust", "-U", "tester", "--no-sync")

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder} -c fsync=off"
        self._run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", "data", "-w", "-m", "immediate", "stop")

    def dsn(self, schema: str) -> str:
        return (
            f"postgresql://tester@127.0.0.1:{self.port}/postgres?options=-csearch_path%3D{schema}"
        )

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [*self._as, str(self._programs / program), *words],
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            timeout=60,
        )


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Start a server, or say why there is none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: abs-shield[postgres]")
    found = sorted(glob("/usr/lib/postgresql/*/bin"), key=lambda p: int(p.split("/")[4]))
    if not found:
        pytest.skip("no PostgreSQL server is installed: Debian's package `postgresql`")
    server = Server(found[-1])
    server.start()
    yield server
    with contextlib.suppress(subprocess.SubprocessError):
        server.stop()
    shutil.rmtree(server.folder, ignore_errors=True)


@pytest.fixture
def dsn(postgres) -> str:
    """Give the address of a schema with nothing in it."""
    import psycopg

    schema = f"t{uuid4().hex}"
    with psycopg.connect(postgres.dsn("public"), autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    return postgres.dsn(schema)


@pytest.fixture
def opens(request, tmp_path):
    """Give what opens a store of a kind; twice, it is the same log."""

    def make(kind: str, **options: object) -> Store:
        if kind == "memory":
            return MemoryStore()
        if kind == "sqlite":
            store: Store = SqliteStore(tmp_path / "log.db", **options)
        else:
            from abs_shield.stores import PostgresStore

            store = PostgresStore(request.getfixturevalue("dsn"), **options)
        request.addfinalizer(store.close)
        return store

    return make


@pytest.fixture(params=KINDS)
def store(request, opens) -> Store:
    """Give an empty store of each kind."""
    return opens(request.param)


@pytest.fixture(params=DURABLE)
def kind(request) -> str:
    """Name each kind of store that outlives its process."""
    return request.param


@pytest.fixture
def raw(request, tmp_path):
    """Give what runs a statement in the database behind the store's back."""

    def run(kind: str, sql: str) -> None:
        if kind == "sqlite":
            import sqlite3

            with contextlib.closing(sqlite3.connect(tmp_path / "log.db")) as connection:
                connection.executescript(sql)
            return
        import psycopg

        for table in ("records", "heads"):
            sql = sql.replace(f" {table} ", f" abs_shield_{table} ")
        with psycopg.connect(request.getfixturevalue("dsn"), autocommit=True) as connection:
            connection.execute(sql)

    return run


@pytest.fixture
def dsn_of(request, tmp_path):
    """Give the address of the log that `opens` opens."""

    def address(kind: str) -> str:
        return str(tmp_path / "log.db") if kind == "sqlite" else request.getfixturevalue("dsn")

    return address
