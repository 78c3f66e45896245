"""Probes in the background: the answer waits for none of them, and their report comes after."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextvars import copy_context
from threading import BoundedSemaphore, Thread
from typing import TYPE_CHECKING, Any

from abs_shield.answer.assembly import Checked
from abs_shield.answer.request import AnswerRequest
from abs_shield.model import aplay, play
from abs_shield.model.ask import Steps

if TYPE_CHECKING:
    import asyncio

Probed = Callable[[Checked], Any]
"""Told the whole report once the probes are in."""

MOST = 8
"""Answers that are probed at once; an answer that comes on top waits for its own probes."""
_ROOM = BoundedSemaphore(MOST)
_TASKS: set[asyncio.Task[None]] = set()
"""Event loops hold their tasks weakly."""

logger = logging.getLogger("abs_shield")


def room() -> bool:
    """Take one of the places; whoever took it begins, and the end gives it back."""
    return _ROOM.acquire(blocking=False)


def begin(steps: Steps[Checked], asked: AnswerRequest, probed: Probed) -> None:
    """Probe in a thread that the process does not wait for at its end."""

    def run() -> None:
        try:
            probed(play(steps, asked.config.judge, terms=asked.terms))
        except Exception:
            logger.exception("abs_shield: probes in the background failed")
        finally:
            _ROOM.release()

    context = copy_context()
    Thread(target=context.run, args=(run,), name="abs_shield probes", daemon=True).start()


def abegin(steps: Steps[Checked], asked: AnswerRequest, probed: Probed) -> None:
    """As `begin`, in a task of this event loop."""
    import asyncio  # sync programs start faster without it

    async def run() -> None:
        try:
            probed(await aplay(steps, asked.config.judge, terms=asked.terms))
        except Exception:
            logger.exception("abs_shield: probes in the background failed")
        finally:
            _ROOM.release()

    task = asyncio.get_running_loop().create_task(run())
    _TASKS.add(task)
    task.add_done_callback(_TASKS.discard)
