"""The policy decides whether a call may run without a record."""

from __future__ import annotations

import sqlite3

import pytest

from abs_shield import CallBlocked
from abs_shield.stores import MemoryStore, SqliteStore
from tests.stores.conftest import decision
from tests.stores.test_faults import until


@pytest.fixture
def full(tmp_path):
    """A log whose buffer is full, because another process has locked its file."""
    path = tmp_path / "log.db"
    store = SqliteStore(path, most=1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store.append(decision(1))
    until(lambda: store.status.error)  # from here on the thread takes nothing out of the buffer
    store.append(decision(2))
    assert store.losing
    yield store, other
    other.close()
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("declared", "blocked", "would_block"),
    [
        ({}, False, False),
        ({"on_log_loss": "block"}, True, True),
        ({"on_log_loss": "block", "mode": "audit"}, False, True),
        ({"on_log_loss": "block", "modes": {"refund": "audit"}}, False, True),
    ],
)
def test_a_call_without_a_record_runs_or_not(make_shield, full, declared, blocked, would_block):
    """By default the call runs; with `on_log_loss="block"` strict mode blocks it."""
    firewall = make_shield(store=full[0], **declared)

    decision = firewall.check_call({"name": "refund", "arguments": {"amount": 1}})
    assert (blocked, would_block) == (decision.blocked, decision.would_block)
    assert would_block == any("decision log" in error for error in decision.errors)


@pytest.mark.slow
def test_calls_run_again_once_the_log_does(make_shield, full):
    """The block has its reason, and does not count as a mistake of the model."""
    store, other = full
    firewall = make_shield(store=store, on_log_loss="block")
    with pytest.raises(CallBlocked, match="no record can be stored at present") as blocked:
        firewall.guard({"name": "refund", "arguments": {"amount": 1}}).__enter__()
    assert "layer_error" == blocked.value.decision.feedback()["problems"][0]["code"]
    other.execute("ROLLBACK")
    assert store.flush(10)

    assert not firewall.check_call({"name": "refund", "arguments": {"amount": 1}}).blocked


class Broken(MemoryStore):
    """A custom store that raises for a while."""

    fails = True

    def append(self, decision):
        if self.fails:
            raise OSError("away")
        super().append(decision)


def test_calls_are_blocked_while_a_store_raises(make_shield):
    """A call whose record is lost is blocked; the next one runs."""
    store = Broken()
    firewall = make_shield(store=store, on_log_loss="block")
    call = {"name": "refund", "arguments": {"amount": 1}}
    blocked = [firewall.check_call(call).blocked for _ in range(2)]
    store.fails = False
    blocked += [firewall.check_call(call).blocked for _ in range(2)]

    assert [True, True, False, False] == blocked


@pytest.mark.parametrize(
    ("declared", "blocked"),
    [
        ({"modes": {"parameter_mismatch": "audit"}}, True),
        ({"modes": {"refund": "audit"}}, False),
        ({"modes": {"refund": "audit", "parameter_mismatch": "audit"}}, False),
    ],
)
def test_a_layer_in_audit_does_not_loosen_the_log(make_shield, declared, blocked):
    """The mode of the tool, not that of the layer with the worst finding, requires the record."""
    firewall = make_shield(store=Broken(), on_log_loss="block", **declared)

    decision = firewall.check_call({"name": "refund", "arguments": {"amount": "x"}})
    assert (blocked, True) == (decision.blocked, decision.would_block)


def test_the_kill_switch_stops_the_block_of_an_unlogged_call(make_shield, monkeypatch):
    """The kill switch stops every block, including that of a call without a record."""
    monkeypatch.setenv("ABS_SHIELD_MODE", "audit")
    firewall = make_shield(store=Broken(), on_log_loss="block")

    decision = firewall.check_call({"name": "refund", "arguments": {"amount": 1}})
    assert (False, True) == (decision.blocked, decision.would_block)
