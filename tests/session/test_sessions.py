"""The sessions of a process are kept by id, within bounds."""

from __future__ import annotations

from threading import Thread

from abs_shield import Session
from abs_shield.session import Sessions


def opened(sessions: Sessions, session_id: str) -> Session:
    return sessions.get(session_id, lambda: Session(session_id))


def test_the_same_id_is_the_same_session() -> None:
    """A session goes on under its id."""
    sessions = Sessions()

    assert opened(sessions, "a") is opened(sessions, "a")


def test_the_least_recently_used_goes() -> None:
    """The bound is kept, and what was used last stays."""
    sessions = Sessions(most=2)
    a, b = opened(sessions, "a"), opened(sessions, "b")
    opened(sessions, "a")
    opened(sessions, "c")

    kept = (a is opened(sessions, "a"), b is opened(sessions, "b"))
    assert (len(sessions), *kept) == (2, True, False)


def test_threads_get_one_session() -> None:
    """Threads that ask for one id at once share one session."""
    sessions = Sessions()
    got: list[Session] = []
    threads = [Thread(target=lambda: got.append(opened(sessions, "a"))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(got), len({id(session) for session in got})) == (20, 1)
