"""Behaviour common to all stores."""

from __future__ import annotations

from threading import Thread
from time import time

import pytest

from abs_shield.core import (
    RAN,
    Action,
    Coverage,
    Finding,
    Mode,
    Outcome,
    Verdict,
)
from abs_shield.core.label import Label, Truth
from abs_shield.errors import StoreError
from abs_shield.stores import Store
from tests.stores.conftest import decision, ids


def test_every_store_implements_the_protocol(store):
    """Every store is an instance of the `Store` protocol."""
    assert isinstance(store, Store)


def test_an_empty_store_returns_no_decisions(store):
    """The length is 0, `decisions` returns an empty list, and `get` returns None."""
    assert (len(store), store.decisions(), store.get("d-1")) == (0, [], None)


def test_an_empty_store_is_falsy_but_not_none(store):
    """Code must compare a store with None, because an empty store has length 0."""
    assert not store
    assert store is not None


def test_decisions_are_returned_unchanged(store):
    """`decisions` returns equal decisions, oldest first, and `get` returns one by its id."""
    kept = [decision(1), decision(2, tool="transfer"), decision(3)]
    for one in kept:
        store.append(one)

    assert (kept, 3, kept[1]) == (store.decisions(), len(store), store.get("d-2"))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"session_id": "s-1"}, ["d-1", "d-3"]),
        ({"tool": "transfer"}, ["d-2", "d-3"]),
        ({"verdict": Verdict.HALLUCINATED}, ["d-3"]),
        ({"session_id": "s-1", "tool": "refund"}, ["d-1"]),
        ({"session_id": ""}, ["d-2"]),
        ({"session_id": "s-2"}, []),
        ({"limit": 2}, ["d-2", "d-3"]),
        ({"limit": 0}, []),
        ({"limit": 9}, ["d-1", "d-2", "d-3"]),
        ({"session_id": "s-1", "limit": 1}, ["d-3"]),
    ],
)
def test_decisions_can_be_filtered(store, wanted, found):
    """A decision must match all filters; a limit returns the newest decisions."""
    store.append(decision(1, session_id="s-1"))
    store.append(decision(2, tool="transfer"))
    store.append(decision(3, session_id="s-1", tool="transfer", verdict=Verdict.HALLUCINATED))

    assert ids(store.decisions(**wanted)) == found


def test_two_decisions_can_have_the_same_id(store):
    """The store keeps both, and `get` returns the newer one."""
    store.append(decision(1))
    store.append(decision(1, tool="transfer"))

    assert (len(store), store.get("d-1").tool) == (2, "transfer")


def test_a_returned_list_does_not_change(store):
    """A later append does not change a list that `decisions` returned before."""
    store.append(decision(1))
    decisions = store.decisions()
    store.append(decision(2))

    assert ids(decisions) == ["d-1"]


@pytest.mark.release
@pytest.mark.parametrize(
    "store",
    ["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.slow)],
    indirect=True,
)
def test_threads_can_append_and_read_concurrently(store):
    """Four threads that append and read lose no decision and raise no exception."""
    raised = []

    def write(start: int) -> None:
        try:
            for number in range(start, start + 250):
                store.append(decision(number))
                store.decisions(limit=1)
        except Exception as error:
            raised.append(error)

    threads = [Thread(target=write, args=(1_000 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (raised, len(store), len(set(ids(store.decisions())))) == ([], 1_000, 1_000)


def full_decision(number: int):
    """A decision with every field set, and with texts that databases reject."""
    finding = Finding(
        check="phantom_target",
        verdict=Verdict.SUSPICIOUS,
        strength=0.95,
        where="/arguments/id",
        detail="nul \x00, half \ud800, quote ' and \"",
        code="unseen_identifier",
        got="tx_\x00",
        allowed=("a", 1, None),
        evidence={"line": 3, "ratio": 0.1},
        mode=Mode.AUDIT,
    )
    return decision(
        number,
        tool="re\x00fund\ud83d" + "x" * 300,
        session_id="s\x00" + "y" * 300,
        verdict=Verdict.SUSPICIOUS,
        action=Action.FLAG,
        findings=(finding,),
        coverage={"phantom_tool": RAN, "x": Coverage(Outcome.ERROR, "broke")},
        errors=("x: broke",),
        elapsed_ms=0.25,
        probability=0.5,
        attempts_left=2,
        notes=("nested",),
    )


def escape(text: object) -> object:
    """Return *text* with what UTF-8 cannot encode as backslash escapes."""
    return str(text).encode("utf-8", "backslashreplace").decode()


def test_every_field_of_a_decision_is_stored(store):
    """This includes findings, coverage, errors, notes, and texts with NUL or lone surrogates."""
    store.append(full_decision(1))

    (decision,) = store.decisions(
        tool=full_decision(1).tool, session_id=full_decision(1).session_id
    )
    assert escape(full_decision(1)) == escape(decision).replace("\\\\", "\\")


def test_numbers_that_json_cannot_hold_are_stored(store):
    """A decision with NaN, infinity or a huge integer in a finding can be stored and read."""
    nan = Finding(
        check="x", verdict=Verdict.SUSPICIOUS, strength=1.0, where="", detail="", code="c",
        got=[float("nan"), float("inf"), 10**5_000],
    )  # fmt: skip
    store.append(decision(1, findings=(nan,)))

    assert (1, 1.0) == (len(store), store.get("d-1").findings[0].strength)


def test_a_scan_can_be_limited_to_a_time_range(store):
    """`since` is inclusive, and `until` is exclusive."""
    for number in range(5):
        store.append(decision(number))
    start = decision(0).at

    assert ["d-1", "d-2"] == ids(store.scan(since=start + 1, until=start + 3))
    assert 5 == len(list(store.scan()))


def test_labels_returns_the_newest_label_of_a_decision(store):
    """A decision can be labelled again, and decisions that were not flagged can be labelled."""
    store.append(decision(1))
    store.append(decision(2))
    store.label(Label(decision_id="d-1", truth=Truth.HALLUCINATED, at=1.0, by="ann"))
    store.label(Label(decision_id="d-1", truth=Truth.OK, at=2.0, by="bob", note="it's a test"))
    store.label(Label(decision_id="d-2", truth=Truth.HALLUCINATED, at=3.0))

    labels = store.labels()
    assert {"d-1": Truth.OK, "d-2": Truth.HALLUCINATED} == {k: v.truth for k, v in labels.items()}
    assert ("bob", "it's a test") == (labels["d-1"].by, labels["d-1"].note)


def test_a_label_for_an_unknown_decision_is_rejected(store):
    """A label with a mistyped id raises a StoreError."""
    with pytest.raises(StoreError, match="the log has no decision `d-9`"):
        store.label(Label(decision_id="d-9", truth=Truth.OK, at=1.0))


def test_prune_deletes_old_decisions(store):
    """`prune` deletes decisions before the given time and returns the number of deleted ones."""
    for number in range(6):
        store.append(decision(number))

    assert 4 == store.prune(decision(4).at)
    assert ["d-4", "d-5"] == ids(store.decisions())
    assert 0 == store.prune(decision(4).at)


def test_a_flushed_store_has_no_pending_records(store):
    """After a flush the store reports no pending and dropped records, no error and no gaps."""
    for number in range(100):
        store.append(decision(number))

    assert store.flush()
    assert ((0, 0, ""), False, []) == (store.status, store.losing, list(store.gaps()))


def test_a_store_can_be_closed_twice(store):
    """Both calls return True, and the decisions can still be read."""
    store.append(decision(1))

    assert (True, True) == (store.close(), store.close())
    assert ["d-1"] == ids(store.decisions())


YEAR_S = 365 * 86_400


def test_a_record_with_a_future_time_does_not_stop_retention(store):
    """A record with a wrong time is deleted if old records follow it."""
    now = time()
    for number, at in enumerate([4e9, *[now - YEAR_S] * 10, now - 1, now - YEAR_S, 4e9]):
        store.append(decision(number, at=at))

    assert 11 == store.prune(now - 90 * 86_400)
    assert ["d-11", "d-12", "d-13"] == ids(store.decisions())


def test_prune_keeps_records_that_follow_a_young_one(store):
    """`prune` deletes only a prefix of the log."""
    now = time()
    store.append(decision(1, at=now - 1))
    store.append(decision(2, at=now - YEAR_S))

    assert (0, 2) == (store.prune(now - 90 * 86_400), len(store))


def test_prune_deletes_a_record_whose_time_is_nan(store):
    """A scan returns the record before, and nothing raises."""
    store.append(decision(1, at=float("nan")))
    store.append(decision(2))

    assert 2 == len(list(store.scan()))
    assert 1 == store.prune(decision(2).at)
