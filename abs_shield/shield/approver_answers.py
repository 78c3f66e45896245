"""The question to an approver about a blocked call, and the effect of its answer."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextvars import copy_context
from dataclasses import replace
from threading import Thread
from typing import Any

from abs_shield.core import Action, Decision
from abs_shield.core.digest import digest_of
from abs_shield.shield.approvals import Approvals, Approver
from abs_shield.shield.argument_copies import json_arguments
from abs_shield.shield.open_call import OpenCall

logger = logging.getLogger("abs_shield")
Reread = Callable[[], Mapping[str, Any] | None]
"""Reads the arguments of a call again; None if they cannot be read."""
_RAISED = "abs_shield's approver raised; the call stays blocked"


def awaits_approval(decision: Decision) -> bool:
    """Return whether the call can still be approved, even after the approver refused it."""
    return decision.blocked and decision.approval in ("required", "refused")


def ask_approver(approver: Approver, decision: Decision) -> Any:
    """Return the answer of an approver in sync code; None if it raises."""
    try:
        answer = approver(decision)
    except Exception:
        logger.exception(_RAISED)
        return None
    return _run_in_thread(answer) if inspect.isawaitable(answer) else answer


async def aask_approver(approver: Approver, decision: Decision) -> Any:
    """Return the answer of a sync or async approver; None if it raises."""
    try:
        answer = approver(decision)
        return await answer if inspect.isawaitable(answer) else answer
    except Exception:
        logger.exception(_RAISED)
        return None


def _run_in_thread(answer: Awaitable[Any]) -> Any:
    """Return the answer of an async approver, which runs in its own thread; None if it raises."""
    import asyncio  # imported lazily: slow, and sync programs do not need it

    answers: list[Any] = []

    async def wait() -> None:
        try:
            answers.append(await answer)
        except Exception:
            logger.exception(_RAISED)

    # A new thread, because this one may already run an event loop. It has the context of the call,
    # such as the current request.
    thread = Thread(
        target=copy_context().run, args=(asyncio.run, wait()), name="abs_shield-approver"
    )
    thread.start()
    thread.join()
    return answers[0] if answers else None


def apply_answer(
    opened: OpenCall, answer: object, approvals: Approvals, reread: Reread | None
) -> OpenCall:
    """
    Return a blocked call as the approver's answer leaves it: granted, refused or unchanged.

    Args:
        opened: The blocked call.
        answer: True grants it; None leaves the decision to `approve`, as does an approver that
            raised.
        approvals: The approvals of the Shield; a grant is used up.
        reread: Reads the arguments again: an approval does not cover changed ones.
    """
    if answer is None:
        return opened
    if answer is not True:
        return opened._replace(decision=replace(opened.decision, approval="refused"))
    if _has_changed(opened, reread):
        return opened
    approvals.use(opened.decision.id, opened.key)
    granted = replace(
        opened.decision, approval="granted", action=Action.FLAG, blocked=False,
        attempts_left=None, retryable=True,
    )  # fmt: skip
    return opened._replace(decision=granted)


def _has_changed(opened: OpenCall, reread: Reread | None) -> bool:
    """Return whether the arguments changed since they were judged, e.g. in a mutable object."""
    if reread is not None:
        now: Any = reread()
    elif opened.raw is not None:
        now = json_arguments(dict(opened.raw))
    else:
        return False
    name = opened.call.name
    return digest_of(name, now) != digest_of(name, opened.arguments)
