"""Methods of a Shield that judge calls and results; a model's mistake never raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abs_shield.core import Decision, ToolCall
from abs_shield.policy import Policy
from abs_shield.session import Session
from abs_shield.session.pending_calls import PendingCall
from abs_shield.session.session_record import record_of
from abs_shield.shield.argument_copies import arguments_of
from abs_shield.shield.call_inputs import calls_in, single_call
from abs_shield.shield.dispatch_methods import Call
from abs_shield.shield.enforcement import Ruling, rule_again
from abs_shield.shield.execution_outcome import ExecutionOutcome
from abs_shield.shield.lifecycle import Lifecycle
from abs_shield.shield.tool_registry import Registry

_MOST_SIBLINGS = 1_000
"""Maximum number of earlier calls in a turn that layers read; they limit quadratic time."""


class JudgementMethods:
    """The methods of a `Shield` that judge calls and results."""

    registry: Registry
    lifecycle: Lifecycle

    if TYPE_CHECKING:

        def _session(self, session: Session | None) -> Session: ...

    def inspect_turn(self, calls: Any, *, session: Session | None = None) -> list[Decision]:
        """
        Judge all calls that the model proposed in one turn, before any of them runs.

        Args:
            calls: Calls of any shape, or an assistant message with calls.
            session: The session; None for the current one.

        Returns:
            The decisions, in the order of the calls.
        """
        shared = self._session(session)
        # Proposals of an earlier turn that were never dispatched are logged now.
        record_of(shared).settle()
        read = calls_in(calls)
        decisions: list[Decision] = []
        turn: list[PendingCall] = []
        # As they were judged, whatever becomes of the caller's arguments.
        judged: list[ToolCall] = []
        for call in read:
            siblings = tuple(judged[-_MOST_SIBLINGS:])
            decisions.append(self.lifecycle.propose(call, shared, siblings=siblings, turn=turn))
            judged.append(turn[-1].call)
        # The caller has no reference to this session, so nothing can be dispatched in it.
        if session is None and record_of(shared).ephemeral:
            record_of(shared).settle()
        return decisions

    def check_call(self, call: Call, *, session: Session | None = None) -> Decision:
        """
        Judge one call at its dispatch; run it unless ``decision.blocked``.

        Args:
            call: A `ToolCall`, or a call in the shape of any provider.
            session: The session; None for the current one.

        Returns:
            The decision about the call.
        """
        return self.lifecycle.admit(
            self.lifecycle.open(single_call(call), self._session(session))
        ).decision

    def check_result(
        self,
        call: Call,
        value: Any,
        *,
        elapsed_ms: float | None,
        error: bool = False,
        session: Session | None = None,
    ) -> Decision:
        """
        Judge the result of a call, and add it to the session once; use it unless
        ``decision.blocked``.

        Args:
            call: The call.
            value: The result, or the error.
            elapsed_ms: The duration in milliseconds; None if unknown, in which case the result
                is not verified.
            error: Whether the call failed; its value is then not verified.
            session: The session; None for the current one.

        Returns:
            A Decision about the result; its ``probability`` is that of a hallucination.
        """
        read = single_call(call)
        return self.lifecycle.close(
            read,
            arguments_of(read),
            value,
            session=self._session(session),
            execution=ExecutionOutcome(elapsed_ms, error),
        )

    def judge_as(self, decision: Decision, policy: Policy) -> Ruling:
        """
        Weigh the findings of a call again, by another policy. Nothing is recorded.

        Args:
            decision: The decision about the call.
            policy: The policy, for its threshold and its actions on findings; the modes are those
                of this Shield's policy.

        Returns:
            The action on the call, and the layers that block it.
        """
        plan = self.registry.plan(decision.tool) or self.registry.unregistered_plan(decision.tool)
        return rule_again(decision, plan, policy)
