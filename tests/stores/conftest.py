"""Fixtures that open a store of every kind."""

from __future__ import annotations

import contextlib

import pytest

from abs_shield.core import Action, Decision, Mode, Subject, Verdict
from abs_shield.stores import MemoryStore, SqliteStore, Store

KINDS = ("memory", "sqlite", "postgres")
DURABLE = KINDS[1:]


QUICK_ON_A_FILE = pytest.mark.parametrize(
    "kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True
)
"""Marks a test that takes seconds with a server: the quick run tries it on a file alone."""


def decision(number: int, **changes: object) -> Decision:
    """Return a decision whose id and time depend on *number*."""
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
    """Return the ids of decisions."""
    return [d.id for d in decisions]


@pytest.fixture
def opens(request, tmp_path):
    """Return a function that opens a store of a kind; stores of one kind share a log."""

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
    """Return an empty store of each kind."""
    return opens(request.param)


@pytest.fixture(params=DURABLE)
def kind(request) -> str:
    """Return each kind of store that outlives its process."""
    return request.param


@pytest.fixture
def raw(request, tmp_path):
    """Return a function that runs a statement in the database without the store."""

    def run(kind: str, sql: str) -> None:
        if kind == "sqlite":
            import sqlite3

            with contextlib.closing(sqlite3.connect(tmp_path / "log.db")) as connection:
                connection.executescript(sql)
            return
        import psycopg

        for table in ("records", "heads", "hourly_counts"):
            sql = sql.replace(f" {table} ", f" abs_shield_{table} ")
        with psycopg.connect(request.getfixturevalue("dsn"), autocommit=True) as connection:
            connection.execute(sql)

    return run


@pytest.fixture
def dsn_of(request, tmp_path):
    """Return a function that returns the address of the log that `opens` opens."""

    def address(kind: str) -> str:
        return str(tmp_path / "log.db") if kind == "sqlite" else request.getfixturevalue("dsn")

    return address
