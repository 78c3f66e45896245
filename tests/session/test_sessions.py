"""The sessions of a process are cached by id, within bounds."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from threading import Thread

import pytest

from abs_shield import Session
from abs_shield.session import Sessions
from abs_shield.session.session_record import record_of


def open_session(sessions: Sessions, session_id: str) -> Session:
    return sessions.get(session_id, lambda: Session(session_id))


def test_the_same_id_is_the_same_session() -> None:
    """A second request with the same id returns the same session."""
    sessions = Sessions()

    assert open_session(sessions, "a") is open_session(sessions, "a")


def test_the_least_recently_used_session_is_dropped() -> None:
    """The number of sessions is bounded, and the most recently used ones are stored."""
    sessions = Sessions(most=2)
    for session_id in ("a", "b"):
        open_session(sessions, session_id).user("Hello")
    open_session(sessions, "a")
    open_session(sessions, "c")

    assert (2, 1, 0) == (
        len(sessions),
        open_session(sessions, "a").turns,
        open_session(sessions, "b").turns,
    )


def test_threads_get_one_session() -> None:
    """Threads that request one id concurrently receive the same session."""
    sessions = Sessions()
    got: list[Session] = []
    threads = [Thread(target=lambda: got.append(open_session(sessions, "a"))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(got), len({id(session) for session in got})) == (20, 1)


def open_large_session(sessions: Sessions, session_id: str) -> Session:
    """Return a session with a large result."""
    session = open_session(sessions, session_id)
    session.user("Please find my orders.")
    session.tool_result("find", [{"id": f"tx_{n}", "note": "to the door"} for n in range(500)])
    return session


def allocated_bytes(make: Callable[[], object]) -> int:
    """Return the bytes that *make* allocates."""
    tracemalloc.start()
    try:
        result = make()
        return tracemalloc.get_traced_memory()[0] if result else 0
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_sessions_stay_within_their_memory() -> None:
    """For any number of ids, concurrent or in sequence, the newest sessions are stored."""
    open_large_session(Sessions(), "warm")
    sessions = Sessions(memory_bytes=4 * 1024 * 1024)
    size = allocated_bytes(
        lambda: [open_large_session(sessions, f"s{n}") and None for n in range(60)]
    )

    assert size < 12 * 1024 * 1024, "about 500 kB a session"
    assert 2 < len(sessions) < 20
    assert open_large_session(sessions, "s59").turns == 2


def test_sessions_that_grow_side_by_side_are_measured() -> None:
    """The growth of a session after its request is counted."""
    sessions = Sessions(memory_bytes=2 * 1024 * 1024)
    together = [open_session(sessions, f"s{n}") for n in range(20)]
    while together:
        together.pop().tool_result("find", [{"id": f"tx_{n}"} for n in range(500)])
    for n in range(20):
        open_session(sessions, f"later{n}")

    assert sessions.held_bytes <= 2 * 1024 * 1024
    assert not open_session(sessions, "s0").executed


def rows(made: Session, most: int) -> None:
    made.tool_result("find", [{"id": f"tx_{n}", "total": n / 7} for n in range(most)])


def talk(made: Session) -> None:
    for n in range(200):
        made.user(f"Please look at order tx_{n} and tell me where it is now.")
        made.assistant("It is on the way, and will be there on Monday. " * 3)


def repeated_results(made: Session) -> None:
    for _ in range(20):
        made.tool_result("find", "The order tx_1 is at the door. " * 300)


def repeated_questions(made: Session) -> None:
    for _ in range(20):
        made.user("Where is my order tx_12345 now, please? " * 500)


def thoughts(made: Session) -> None:
    for n in range(500):
        made.assistant(f"I am thinking about {n} " * 10)


KINDS: dict[str, Callable[[Session], None]] = {
    "empty": lambda made: None,
    "20 rows": lambda made: rows(made, 20),
    "2,000 rows": lambda made: rows(made, 2_000),
    "the same rows again and again": lambda made: [rows(made, 200) for _ in range(20)] and None,
    "talk": talk,
    "one word": lambda made: made.user("word " * 40_000),
    "one letter": lambda made: made.user("a" * 100_000),
    "repeated questions": repeated_questions,
    "repeated results": repeated_results,
    "thoughts": thoughts,
    "Cyrillic": lambda made: made.user(" ".join(f"Заказ номер {n}" for n in range(3_000))),
    "paths": lambda made: made.tool_result("ls", "\n".join(f"/srv/b{n}/c-{n}" for n in range(999))),
    "many ids": lambda made: made.tool_result("ls", " ".join(f"tx_{n}" for n in range(20_000))),
    "a result too large": lambda made: made.tool_result("read", "word " * 70_000),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_size_of_a_session_is_about_what_it_holds(kind: str) -> None:
    """The estimate is within a factor of three of the allocated memory."""

    def session() -> Session:
        run_session = Session("s")
        run_session.user("Please find my orders.")
        KINDS[kind](run_session)
        run_session.origin("tx_4711")  # an index is filled by its first query
        return run_session

    estimate, size = record_of(session()).memory_bytes, allocated_bytes(session)
    assert size / 3 < estimate < size * 3


def test_sessions_of_sub_agents_count() -> None:
    """Their memory is counted as long as they exist, including their own sub-agents."""
    parent = Session("s")
    alone = record_of(parent).memory_bytes
    child = parent.child()
    grandchild = child.child()
    grandchild.user("word " * 10_000)
    record_of(grandchild).record_mention(" ".join(f"tx_{n}" for n in range(5_000)))
    size, together = record_of(grandchild).memory_bytes, record_of(parent).memory_bytes
    del child, grandchild

    assert alone + size < together < alone + 2 * size
    assert alone == record_of(parent).memory_bytes


def test_the_memory_of_sub_agents_makes_older_sessions_drop() -> None:
    """The memory of sub-agents counts towards their parent's session."""
    sessions = Sessions(memory_bytes=1024 * 1024)
    open_session(sessions, "old")
    children = [open_session(sessions, "new").child() for _ in range(5)]
    for child in children:
        record_of(child).record_mention(" ".join(f"tx_{n}" for n in range(5_000)))
    open_session(sessions, "new")

    assert (1, True) == (len(sessions), sessions.held_bytes > 1024 * 1024)


def test_an_idle_session_is_dropped() -> None:
    """A session is dropped after `idle_s` seconds without a request."""
    now = [0.0]
    sessions = Sessions(idle_s=60, clock=lambda: now[0])
    for session_id in ("a", "b"):
        open_session(sessions, session_id).user("Hello")
    now[0] = 50
    open_session(sessions, "b")
    now[0] = 100

    assert (1, 0) == (open_session(sessions, "b").turns, open_session(sessions, "a").turns)


def test_a_session_in_use_is_not_duplicated() -> None:
    """A request for a dropped session that is still in use returns the same object."""
    sessions = Sessions(most=1)
    a = open_session(sessions, "a")
    open_session(sessions, "b")

    assert open_session(sessions, "a") is a


def test_a_session_in_use_is_not_duplicated_by_concurrent_requests() -> None:
    """Entries are in the order of their times, even if one request overtakes another."""
    now, others = [0.0], [Thread(target=lambda: open_session(sessions, "b"))]

    def clock() -> float:
        read = now[0]
        if others:
            other = others.pop()
            now[0] += 1
            other.start()
            other.join(0.05)
        return read

    sessions = Sessions(idle_s=60, clock=clock)
    a = open_session(sessions, "a")
    now[0] = 60.5

    assert open_session(sessions, "a") is a


@pytest.mark.slow
@pytest.mark.release
def test_many_dropped_ids_are_recognised() -> None:
    """All dropped ids of a server with one id for each run are recognised."""
    sessions = Sessions(most=1)
    open_session(sessions, "a").user("Refund tx_9003, please.")
    for n in range(60_000):
        sessions.get(f"s{n}", Session)
    again, new = open_session(sessions, "a"), open_session(sessions, "new")
    for session in (again, new):
        session.user("Yes, do it.")

    assert "was dropped" in str(again.origin("tx_9003"))
    assert new.origin("tx_9003") is None


def test_a_miss_in_a_dropped_session_is_unknown() -> None:
    """A new session begins, in which a missing value may have been mentioned before."""
    sessions = Sessions(most=1)
    open_session(sessions, "a").user("Refund tx_9003, please.")
    open_session(sessions, "b").user("Hello")
    again, new = open_session(sessions, "a"), Session("c")
    again.user("Yes, do it.")
    new.user("Yes, do it.")

    assert "was dropped" in str(again.origin("tx_9003"))
    assert new.origin("tx_9003") is None


def test_a_dropped_session_is_restored_by_its_transcript() -> None:
    """A miss counts if the whole conversation is added again."""
    sessions = Sessions(most=1)
    open_session(sessions, "a").user("Refund tx_9003, please.")
    open_session(sessions, "b")
    again = open_session(sessions, "a")
    again.add([])
    again.add(
        [
            {"role": "user", "content": "Refund tx_9003, please."},
            {"role": "assistant", "content": "Shall I?"},
            {"role": "user", "content": "Yes, do it."},
        ]
    )

    assert (str(again.origin("tx_9003")), again.origin("tx_4711")) == ("the user", None)


def test_an_id_from_an_object_identity_may_be_reused() -> None:
    """The object is referenced as long as its session; later another may have the same identity."""
    sessions, run = Sessions(most=1), object()
    first = sessions.get("run", lambda: Session(), of=run)
    open_session(sessions, "b")
    second = sessions.get("run", lambda: Session(), of=object())
    second.user("Hello")

    assert first is not second
    assert second.origin("tx_9003") is None
