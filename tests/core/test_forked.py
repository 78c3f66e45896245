"""Every lock of the package is usable in a forked child."""

from __future__ import annotations

import gc
import os
import re
import signal
from pathlib import Path
from threading import Event, Lock, RLock, Thread

import pytest

import abs_shield
from abs_shield.core.fork_safety import Renewed, renewed

ROOM = Path(abs_shield.__file__).parent
RENEWS_ITSELF = {"core/fork_safety.py", "stores/batch_writer.py"}
"""The registry, and a writer, which begins anew in a child as a whole."""


def exit_code(act) -> int:
    """Run *act* in a child; give its exit code, or minus the signal that ended it."""
    child = os.fork()
    if not child:
        signal.alarm(10)
        os._exit(0 if act() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def held_by_another_thread(lock) -> Event:
    taken, done = Event(), Event()

    def hold() -> None:
        with lock:
            taken.set()
            done.wait(30)

    Thread(target=hold, daemon=True).start()
    assert taken.wait(10)
    return done


@pytest.mark.parametrize("kind", [Lock, RLock])
def test_a_lock_of_another_thread_is_free_in_the_child(kind):
    """The thread that holds the lock does not exist in the child; the parent's lock stays held."""
    lock = renewed(kind())
    done = held_by_another_thread(lock)

    assert 0 == exit_code(lambda: lock.acquire(timeout=5))
    assert not lock.acquire(blocking=False)
    done.set()


def test_a_lock_of_the_forking_thread_stays_held():
    """The child releases the lock without an error, like the parent."""
    lock = renewed(RLock())
    with lock:
        child = os.fork()
        if not child:
            lock.release()
            os._exit(0 if not lock._is_owned() else 1)
        assert 0 == os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_locks_that_are_gone_are_forgotten():
    """A million sessions leave no million references; those that are there stay."""
    locks = Renewed()
    kept = [locks.keep(Lock()) for _ in range(10)]
    for _ in range(20_000):
        locks.keep(Lock())
    gc.collect()

    assert len(locks._locks) < 3_000
    assert set(map(id, kept)) <= {id(known()) for known in locks._locks}


def test_every_lock_of_the_package_is_renewed():
    """
    A new one that is not would hang a worker that is forked, once in a thousand times.

    One of asyncio is of an event loop, which no child goes on with.
    """
    bare = re.compile(r"(?<!renewed\()(?<!asyncio\.)\bR?Lock\(\)")
    match = {
        str(path.relative_to(ROOM))
        for path in ROOM.rglob("*.py")
        if bare.search(re.sub(r'""".*?"""', "", path.read_text("utf-8"), flags=re.DOTALL))
    }

    assert RENEWS_ITSELF == match
