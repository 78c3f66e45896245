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


def test_it_is_a_store(store):
    """It has what the protocol asks for."""
    assert isinstance(store, Store)


def test_an_empty_store_is_empty(store):
    """Nothing is found, and nothing raises."""
    assert (len(store), store.decisions(), store.get("d-1")) == (0, [], None)


def test_an_empty_store_is_falsy_and_still_a_choice(store):
    """A store is told from None by `is None`: an empty one has length 0."""
    assert not store
    assert store is not None


def test_records_come_back_as_they_were(store):
    """Appended records are returned equal, oldest first."""
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
def test_records_are_found_by_what_they_say(store, wanted, found):
    """Filters must all match; a limit keeps the newest."""
    store.append(decision(1, session_id="s-1"))
    store.append(decision(2, tool="transfer"))
    store.append(decision(3, session_id="s-1", tool="transfer", verdict=Verdict.HALLUCINATED))

    assert ids(store.decisions(**wanted)) == found


def test_the_same_id_again_is_another_record(store):
    """Both are kept; by its id the newer one is found."""
    store.append(decision(1))
    store.append(decision(1, tool="transfer"))

    assert (len(store), store.get("d-1").tool) == (2, "transfer")


def test_what_was_given_stays_as_it_was(store):
    """A list that was given back does not grow with the store."""
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
def test_threads_may_append_and_read(store):
    """Four writers and a reader lose nothing, and no thread raises."""
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


def rich(number: int):
    """A decision with everything in it, texts included that no database likes."""
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


def plain(text: object) -> object:
    """A text as UTF-8 can say it."""
    return str(text).encode("utf-8", "backslashreplace").decode()


def test_everything_in_a_decision_comes_back(store):
    """Findings, coverage, errors and notes, and texts with NUL and half characters."""
    store.append(rich(1))

    (decision,) = store.decisions(tool=rich(1).tool, session_id=rich(1).session_id)
    assert plain(rich(1)) == plain(decision).replace("\\\\", "\\")


def test_numbers_that_json_does_not_know_are_kept_as_text(store):
    """NaN and an endless number do not stop the log."""
    nan = Finding(
        check="x", verdict=Verdict.SUSPICIOUS, strength=1.0, where="", detail="", code="c",
        got=[float("nan"), float("inf"), 10**5_000],
    )  # fmt: skip
    store.append(decision(1, findings=(nan,)))

    assert (1, 1.0) == (len(store), store.get("d-1").findings[0].strength)


def test_a_scan_gives_the_decisions_of_a_time(store):
    """From the first moment on, up to but without the second."""
    for number in range(5):
        store.append(decision(number))
    start = decision(0).at

    assert ["d-1", "d-2"] == ids(store.scan(since=start + 1, until=start + 3))
    assert 5 == len(list(store.scan()))


def test_the_newest_label_of_a_decision_holds(store):
    """Operators may change their mind, and label what was not flagged as well."""
    store.append(decision(1))
    store.append(decision(2))
    store.label(Label(decision_id="d-1", truth=Truth.HALLUCINATED, at=1.0, by="ann"))
    store.label(Label(decision_id="d-1", truth=Truth.OK, at=2.0, by="bob", note="it's a test"))
    store.label(Label(decision_id="d-2", truth=Truth.HALLUCINATED, at=3.0))

    labels = store.labels()
    assert {"d-1": Truth.OK, "d-2": Truth.HALLUCINATED} == {k: v.truth for k, v in labels.items()}
    assert ("bob", "it's a test") == (labels["d-1"].by, labels["d-1"].note)


def test_a_label_needs_its_decision(store):
    """A mistyped id is not kept quietly."""
    with pytest.raises(StoreError, match="the log has no decision `d-9`"):
        store.label(Label(decision_id="d-9", truth=Truth.OK, at=1.0))


def test_what_is_old_can_be_pruned(store):
    """Younger decisions stay, and their count is given."""
    for number in range(6):
        store.append(decision(number))

    assert 4 == store.prune(decision(4).at)
    assert ["d-4", "d-5"] == ids(store.decisions())
    assert 0 == store.prune(decision(4).at)


def test_a_flushed_store_has_nothing_waiting(store):
    """Everything is kept for good, nothing was lost, and nothing is wrong."""
    for number in range(100):
        store.append(decision(number))

    assert store.flush()
    assert ((0, 0, ""), False, []) == (store.status, store.losing, list(store.gaps()))


def test_a_closed_store_says_what_it_does_not_keep(store):
    """Closing twice is not an error."""
    store.append(decision(1))

    assert (True, True) == (store.close(), store.close())
    assert ["d-1"] == ids(store.decisions())


YEAR_S = 365 * 86_400


def test_a_record_from_the_future_holds_no_retention_up(store):
    """A clock that was wrong once: old records behind it prove that it is old as well."""
    now = time()
    for number, at in enumerate([4e9, *[now - YEAR_S] * 10, now - 1, now - YEAR_S, 4e9]):
        store.append(decision(number, at=at))

    assert 11 == store.prune(now - 90 * 86_400)
    assert ["d-11", "d-12", "d-13"] == ids(store.decisions())


def test_a_young_record_keeps_what_stands_behind_it(store):
    """Pruning deletes only a prefix, in every store."""
    now = time()
    store.append(decision(1, at=now - 1))
    store.append(decision(2, at=now - YEAR_S))

    assert (0, 2) == (store.prune(now - 90 * 86_400), len(store))


def test_a_time_that_is_no_number_counts_as_old(store):
    """Retention deletes it; nothing raises."""
    store.append(decision(1, at=float("nan")))
    store.append(decision(2))

    assert 2 == len(list(store.scan()))
    assert 1 == store.prune(decision(2).at)
