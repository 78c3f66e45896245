"""Background probes: the answer is returned before them, and their report follows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import BoundedSemaphore, Thread
from typing import TYPE_CHECKING, Any

from abs_shield.answer.answer_request import AnswerRequest
from abs_shield.answer.report_assembly import Checked
from abs_shield.model import aplay, play
from abs_shield.model.ask import Steps

if TYPE_CHECKING:
    import asyncio

Probed = Callable[[Checked], Any]
"""Called with the complete result after the probes."""

# each holds a thread or a task, and asks the model
MOST = 8
"""Answers probed concurrently; with all slots taken, an answer waits for its own probes."""
_SLOTS = BoundedSemaphore(MOST)
_TASKS: set[asyncio.Task[None]] = set()
"""Strong references, since event loops reference their tasks weakly."""

logger = logging.getLogger("abs_shield")


def take_slot() -> bool:
    """Return whether a free slot was taken; `begin` and `abegin` release it at their end."""
    return _SLOTS.acquire(blocking=False)


def begin(steps: Steps[Checked], request: AnswerRequest, probed: Probed) -> None:
    """Run the probes in a daemon thread, which does not delay the end of the process."""

    def run() -> None:
        with _slot():
            probed(play(steps, request.config.judge, terms=request.terms))

    context = copy_context()  # the probes run with the trace of their answer
    Thread(target=context.run, args=(run,), name="abs_shield probes", daemon=True).start()


def abegin(steps: Steps[Checked], request: AnswerRequest, probed: Probed) -> None:
    """Run the probes in a task of this event loop."""
    import asyncio  # sync programs start faster without it

    async def run() -> None:
        with _slot():
            probed(await aplay(steps, request.config.judge, terms=request.terms))

    task = asyncio.get_running_loop().create_task(run())
    _TASKS.add(task)
    task.add_done_callback(_TASKS.discard)


@contextmanager
def _slot() -> Iterator[None]:
    """Log what fails, and release the slot."""
    try:
        yield
    # a failure has no caller to whom it could be raised
    except Exception:
        logger.exception("abs_shield: probes in the background failed")
    finally:
        _SLOTS.release()
