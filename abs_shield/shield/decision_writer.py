"""Decisions written to the log, and calls that are blocked when the log loses theirs."""

from __future__ import annotations

import logging
from dataclasses import replace

from abs_shield.core import Action, Decision, Mode
from abs_shield.stores import Store

logger = logging.getLogger("abs_shield")
_NO_LOG = (
    "decision log: no record can be stored at present, and the policy blocks calls without one"
)


class DecisionWriter:
    """
    Writes decisions to the store of one Shield.

    Args:
        store: The decision log.
    """

    def __init__(self, store: Store) -> None:
        self._log = store
        # Looked up once: it is called for every decision.
        self._append = store.append

    def write(self, decision: Decision) -> bool:
        """Store a decision, and return whether it was stored; an exception is logged."""
        try:
            return self._append(decision) is not False
        except Exception:
            logger.exception("abs_shield could not store decision %s", decision.id)
            return False

    def write_or_block(self, decision: Decision, mode: Mode) -> Decision:
        """
        Store a decision; block the call if the record is lost, because the policy needs it.

        Args:
            decision: The decision about a call.
            mode: The mode of the tool.
        """
        # Read first: a store that loses decisions in the background still accepts them.
        losing = self._log.losing
        if losing:
            decision = _block_without_log(decision, mode)
        if self.write(decision) or losing:
            return decision
        return _block_without_log(decision, mode)


def _block_without_log(decision: Decision, mode: Mode) -> Decision:
    """Return a decision that blocks the call, because the policy requires a record of it."""
    # A layer in audit mode does not override the *mode* of the tool itself.
    if mode is Mode.STRICT:
        decision = replace(decision, mode=mode)
    return replace(
        decision,
        action=Action.BLOCK,
        blocked=decision.blocked or decision.mode is Mode.STRICT,
        would_block=True,
        errors=(*decision.errors, _NO_LOG),
    )
