"""The store in memory is a ring of limited size that counts dropped decisions."""

from __future__ import annotations

import pytest

from abs_shield import Shield, shield
from abs_shield.core import Action, Decision, Mode, Subject, Verdict
from abs_shield.core.label import Label, Truth
from abs_shield.errors import StoreError
from abs_shield.stores import MemoryStore


def decision(number: int) -> Decision:
    return Decision(
        id=f"d-{number}",
        subject=Subject.CALL,
        tool="refund",
        verdict=Verdict.CLEAN,
        action=Action.ALLOW,
        mode=Mode.STRICT,
        blocked=False,
        would_block=False,
        policy_revision="4f1c",
        at=0.0,
    )


def test_the_oldest_decisions_are_dropped():
    """A ring of three keeps the newest three of five records, and counts the others."""
    store = MemoryStore(most=3)
    for number in range(5):
        store.append(decision(number))

    kept = [d.id for d in store.decisions()]
    assert (kept, store.status.dropped, store.get("d-0")) == (["d-2", "d-3", "d-4"], 2, None)


def test_a_ring_with_room_drops_nothing():
    """A ring that is exactly full has dropped nothing."""
    store = MemoryStore(most=2)
    store.append(decision(1))
    store.append(decision(2))

    assert (len(store), store.status.dropped) == (2, 0)


def test_a_ring_of_size_0_is_rejected():
    """A store that cannot hold a record is an error of the user."""
    with pytest.raises(StoreError, match="most=0"):
        MemoryStore(most=0)


def test_a_negative_limit_is_rejected():
    """A slice would silently return the wrong end."""
    with pytest.raises(StoreError, match="limit=-1"):
        MemoryStore().decisions(limit=-1)


def test_labels_of_dropped_decisions_are_dropped():
    """There are at most twice as many labels as decisions, however long a service runs."""
    store = MemoryStore(most=10)
    for number in range(2_000):
        store.append(decision(number))
        store.label(Label(decision_id=f"d-{number}", truth=Truth.OK, at=1.0))

    assert [f"d-{n}" for n in range(1_990, 2_000)] == list(store.labels())
    assert len(store._labels) <= 2 * 10 + 64


def test_the_default_size_is_ten_thousand():
    """A Shield without a store uses it; a long process then needs some megabytes."""
    store = Shield(shield.configure(), hooks=None).store
    for number in range(10_001):
        store.append(decision(number))

    kept = [d.id for d in store.decisions(limit=None)]
    assert (10_000, "d-1", 1) == (len(kept), kept[0], store.status.dropped)
