"""Delivery of decisions to hooks; an exception in a hook never reaches the call."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from abs_shield.core import Decision

Hook = Callable[[Decision], None]
"""A callable that receives every decision. See `abs_shield.telemetry.Otel`."""

_LOGGER = logging.getLogger("abs_shield")
_MOST = 1_000  # bounds the memory used if a host creates a hook for each request
_reported: dict[tuple[int, type[Exception]], Hook] = {}
"""Logged exceptions by hook; holds the hook so that its id is not reused."""


def emit(decision: Decision, hooks: Iterable[Hook]) -> None:
    """
    Pass *decision* to every hook.

    An exception in a hook is logged once per exception type; the other hooks still run.

    Args:
        decision: The decision.
        hooks: Callables of one decision.
    """
    for hook in hooks:
        try:
            hook(decision)
        # a hook only observes: its failure must never change whether the call runs
        except Exception as error:
            _report(hook, error)


def _report(hook: Hook, error: Exception) -> None:
    key = (id(hook), type(error))
    if key in _reported:
        return
    if len(_reported) >= _MOST:
        _reported.clear()  # at worst, some exceptions are logged a second time
    _reported[key] = hook
    name = getattr(hook, "__qualname__", type(hook).__qualname__)
    _LOGGER.exception("hook `%s` raised %s; the call goes on", name, type(error).__name__)
