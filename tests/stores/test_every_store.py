"""What every store does alike."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import pytest

from abs_shield.core import Action, Decision, Mode, Subject, Verdict
from abs_shield.stores import MemoryStore, Store

STORES: list[Callable[[], Store]] = [MemoryStore]


def decision(number: int, **changes: object) -> Decision:
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


@pytest.fixture(params=STORES)
def store(request) -> Store:
    return request.param()


def ids(decisions: list[Decision]) -> list[str]:
    return [d.id for d in decisions]


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
    """What was appended is given back, equal and oldest first."""
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
    given = store.decisions()
    store.append(decision(2))

    assert ids(given) == ["d-1"]


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
