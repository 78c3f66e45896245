"""Stores of every kind, and decisions with findings."""

from __future__ import annotations

import pytest

from abs_shield.core import Action, Decision, Finding, Mode, Subject, Verdict
from abs_shield.core.label import Label, Truth
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.flywheel_database import database
from abs_shield.stores import MemoryStore, SqliteStore, Store

START = 1_775_398_980.0
"""2026-04-05T14:23:00Z"""
HOSTILE = "\ud800\x00\x1b[2J\n- [x] accept"


def finding(**changes) -> Finding:
    """Return a finding about an unmentioned target."""
    fields = {
        "check": "phantom_target",
        "verdict": Verdict.HALLUCINATED,
        "strength": 0.9,
        "where": "/arguments/order_id",
        "detail": '"W999" was not mentioned',
        "code": "unknown_target",
        "got": '"W999"',
        "nearest": "W99",
    }
    return Finding(**(fields | changes))


def decision(number: int, *findings: Finding, **changes) -> Decision:
    """Return a decision about a call of `refund`."""
    verdict = Verdict.worst(one.verdict for one in findings)
    fields = {
        "id": f"d-{number}",
        "subject": Subject.CALL,
        "tool": "refund",
        "verdict": verdict,
        "action": Action.BLOCK if findings else Action.ALLOW,
        "mode": Mode.STRICT,
        "blocked": verdict is Verdict.HALLUCINATED,
        "would_block": verdict is Verdict.HALLUCINATED,
        "policy_revision": "4f1c",
        "at": START + number,
        "findings": findings,
        "session_id": f"s-{number}",
        "agent": "analyst",
        "model": "m-1",
    }
    return Decision(**(fields | changes))


def label(number: int, truth: str, *, at: float = START, note: str = "") -> Label:
    """Return a label of a decision."""
    return Label(decision_id=f"d-{number}", truth=Truth(truth), at=at, by="ann", note=note)


def catches(book) -> list[Catch]:
    """Return every catch of the flywheel's file, by its id."""
    with database(book) as connection:
        rows = connection.execute("SELECT body FROM catches ORDER BY id").fetchall()
    return [Catch.from_json(body) for (body,) in rows]


@pytest.fixture
def book(tmp_path) -> str:
    """Return the path of a flywheel's file that is not there yet."""
    return str(tmp_path / "flywheel.db")


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request, tmp_path) -> Store:
    """Yield an empty log of each kind."""
    if request.param == "memory":
        made: Store = MemoryStore()
    elif request.param == "sqlite":
        made = SqliteStore(tmp_path / "log.db")
    else:
        from abs_shield.stores import PostgresStore

        made = PostgresStore(request.getfixturevalue("dsn"))
    yield made
    made.close()


@pytest.fixture
def log(tmp_path) -> Store:
    """Yield an empty log in a file."""
    log_store = SqliteStore(tmp_path / "log.db")
    yield log_store
    log_store.close()
