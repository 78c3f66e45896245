"""Runs a block with the shield off: tools run unjudged, as if nobody had decorated them."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from types import TracebackType

from abs_shield.errors import ShieldError
from abs_shield.shield.off import SWITCH

logger = logging.getLogger("abs_shield")


def no_shield() -> AbstractContextManager[None]:
    """
    Turn every Shield of this process off until the block is left, all threads included.

    Calls run unjudged. Each is recorded all the same: its decision has the note ``shield_off`` and
    every layer ``unavailable``. It is for tests: the log warns, and no setting reaches it. Of
    other processes, only those forked inside the block are off.
    """
    return _NoShield()


class _NoShield(AbstractContextManager[None]):
    """Not a decorator: around an async function that would end before the function began."""

    def __init__(self) -> None:
        self._thrown: AbstractContextManager[None] | None = None

    def __enter__(self) -> None:
        if self._thrown is not None:
            raise ShieldError("`no_shield()` is used once; write `with no_shield():` again")
        if not SWITCH.off:
            logger.warning("abs_shield is off in this process: calls run unjudged (`no_shield()`)")
        self._thrown = SWITCH.thrown()
        self._thrown.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._thrown is not None
        self._thrown.__exit__(kind, error, traceback)
