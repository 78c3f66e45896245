"""A process that forks while its threads judge calls: every child can judge calls."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from abs_shield import Shield, shield
from abs_shield.session.session_record import mentions_of, record_of
from tests.core.test_forked import exit_code, held_by_another_thread

CALL = {"name": "refund", "arguments": {"id": "tx_1"}}


def firewall() -> Shield:
    guard = Shield(shield.configure(mode="audit"), hooks=None)
    guard.register({"name": "refund", "parameters": {"type": "object"}})
    return guard


def judge_call(made: Shield) -> bool:
    with made.session("shared") as session:
        session.user("Refund tx_1.")
        made.check_call(CALL)
        return len(made.store.decisions()) > 0


@pytest.mark.slow
def test_children_of_a_busy_parent_judge_and_record():
    """No lock of the store, a session or the registry is held in a child."""
    guard, stop = firewall(), Event()

    def work() -> None:
        while not stop.is_set():
            judge_call(guard)

    threads = [Thread(target=work, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    codes = {exit_code(lambda: judge_call(guard)) for _ in range(30)}
    stop.set()
    for thread in threads:
        thread.join()

    assert {0} == codes


def test_no_lock_blocks_a_call_in_a_child():
    """Each lock is held by another thread during the fork."""
    guard = firewall()
    judge_call(guard)
    session = guard.session("shared")
    mentions = mentions_of(session)
    locks = [
        guard.store._lock, guard.sessions._lock, guard.registry._lock,
        guard.lifecycle.approvals._lock,
        record_of(session).lock, mentions._lock, mentions._index._index._lock,
    ]  # fmt: skip
    done = [held_by_another_thread(lock) for lock in {id(lock): lock for lock in locks}.values()]

    assert 0 == exit_code(lambda: judge_call(guard))
    for one in done:
        one.set()
