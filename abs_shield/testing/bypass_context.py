"""A context manager that turns the shield off: tools run unjudged, as if undecorated."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.shield.off_switch import SWITCH

logger = logging.getLogger("abs_shield")


def no_shield() -> AbstractContextManager[None]:
    """
    Turn off every Shield of this process, in all threads, until the block is left.

    Calls run unjudged but are recorded: each decision has the note ``shield_off`` and every layer
    ``unavailable``. It is for tests: the log warns, and no setting enables it. Of other
    processes, only those forked inside the block are affected.
    """
    return _NoShield()


class _NoShield(AbstractContextManager[None]):
    """Not a decorator, which around an async function would exit before the function runs."""

    def __init__(self) -> None:
        self._thrown: AbstractContextManager[None] | None = None

    # a second `__enter__` would lose the first, and the shield would stay off
    def __enter__(self) -> None:
        if self._thrown is not None:
            raise ShieldError("`no_shield()` is used once; write `with no_shield():` again")
        if not SWITCH.off:  # nested blocks warn once
            logger.warning("abs_shield is off in this process: calls run unjudged (`no_shield()`)")
        self._thrown = SWITCH.switched_off()
        self._thrown.__enter__()

    def __exit__(self, *raised: Any) -> None:
        assert self._thrown is not None
        self._thrown.__exit__(*raised)
