"""The switch that tests throw: while it is off, calls run unjudged, and their records say so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import time

from abs_shield.core import Action, Coverage, Decision, Mode, Outcome, Subject, ToolCall, Verdict
from abs_shield.core.forked import renewed
from abs_shield.core.ids import new_id
from abs_shield.policy import Policy
from abs_shield.session import Session
from abs_shield.shield.judge import layers_of

NOTE = "shield_off"
"""Stands in `Decision.notes` of a call that nobody judged."""

NOT_JUDGED = Coverage(Outcome.UNAVAILABLE, "the shield is off")


class OffSwitch:
    """One for the process, all its threads included; no environment and no policy throws it."""

    __slots__ = ("_depth", "_lock", "off")

    def __init__(self) -> None:
        self.off = False
        self._depth = 0
        self._lock = renewed(Lock())

    @contextmanager
    def thrown(self) -> Iterator[None]:
        """Stay off until the last such block is left."""
        self._move(1)
        try:
            yield
        finally:
            self._move(-1)

    def _move(self, step: int) -> None:
        with self._lock:
            self._depth += step
            self.off = self._depth > 0


SWITCH = OffSwitch()


def unjudged(call: ToolCall, session: Session, policy: Policy, *, known: str | None) -> Decision:
    """Record that *call* passes without being judged: every layer is unavailable."""
    return Decision(
        id=new_id() if known is None else known,
        subject=Subject.CALL,
        tool=call.name,
        verdict=Verdict.CLEAN,
        action=Action.ALLOW,
        mode=Mode.AUDIT,
        blocked=False,
        would_block=False,
        policy_revision=policy.revision,
        at=time(),
        coverage={name: NOT_JUDGED for name, _ in layers_of(policy)},
        session_id=session.id,
        run_id=session.run_id,
        call_id=call.id,
        agent=session.agent,
        model=session.model,
        notes=(NOTE,),
    )
