"""The lifecycle of a call: open, admit or block, run, and close with a result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

from abs_shield.core import Decision, Mode, ToolCall
from abs_shield.core.call_arguments import Malformed, read_arguments
from abs_shield.core.vocabularies import ANSWER
from abs_shield.policy import Policy
from abs_shield.session import Session
from abs_shield.session.call_states import make_executed
from abs_shield.session.pending_calls import PendingCall
from abs_shield.session.session_context import RUNNING
from abs_shield.session.session_record import record_of
from abs_shield.shield.answer_decision import CheckStart, answer_mode, report_decision
from abs_shield.shield.approvals import Approvals, Approver
from abs_shield.shield.approver_answers import (
    Reread,
    aask_approver,
    apply_answer,
    ask_approver,
    awaits_approval,
)
from abs_shield.shield.argument_copies import arguments_of, copy_arguments, with_judged_arguments
from abs_shield.shield.call_proposal import (
    find_decision_id,
    record_host_values,
    with_proposal_id,
    with_turn,
)
from abs_shield.shield.decision_writer import DecisionWriter
from abs_shield.shield.dispatched_call import DISPATCHED_CALL, is_nested
from abs_shield.shield.execution_outcome import ExecutionOutcome
from abs_shield.shield.kill_switch import KillSwitch
from abs_shield.shield.listeners import LISTENERS
from abs_shield.shield.open_call import ALONE, CallContext, OpenCall
from abs_shield.shield.report_log import ReportLog
from abs_shield.shield.result_check import CallResult, ResultVerifier, is_recorded_separately
from abs_shield.shield.result_identity import earlier_decision, is_another_call, is_result_due
from abs_shield.shield.tool_registry import Registry
from abs_shield.stores import Store
from abs_shield.telemetry import Hook, emit

if TYPE_CHECKING:
    from abs_shield.answer.report_assembly import Checked
    from abs_shield.shield.evaluator import Evaluator

_NUMBERS = count(1)
"""Numbers of the Shields of this process; two may judge a call of one session."""


class Lifecycle:
    """Judges and records the calls of one Shield; safe to share between threads and tasks."""

    def __init__(
        self,
        policy: Policy,
        registry: Registry,
        *,
        store: Store,
        hooks: Iterable[Hook],
        approver: Approver | None,
    ) -> None:
        self._number = next(_NUMBERS)
        self.policy = policy
        self.registry = registry
        self.store = store
        writer = DecisionWriter(store)
        self._write, self._write_or_block = writer.write, writer.write_or_block
        self.reports = ReportLog(store)
        self._needs_log = policy.on_log_loss == "block"
        self.hooks = tuple(hooks)
        self.approver = approver
        self.approvals = Approvals()
        self._switch = KillSwitch()
        self.verifier = ResultVerifier(
            policy, registry, enforcement_off=self._switch.stops_enforcement
        )
        if policy.pii is not None:  # invalid settings raise while the Shield is created
            _ = self._evaluator

    @cached_property
    def _evaluator(self) -> Evaluator:
        # Imported lazily, because the layers are slow to import; the first registered tool
        # imports them, so that no call waits for it.
        from abs_shield.shield.evaluator import Evaluator

        return Evaluator(self.policy, self.registry, self.approvals, self._switch)

    def open(
        self,
        call: ToolCall,
        session: Session,
        context: CallContext = ALONE,
        *,
        proposed: ToolCall | None = None,
        runs: bool = False,
    ) -> OpenCall:
        """
        Judge a call at its dispatch; a pending proposal of the same call is replaced.

        Args:
            call: The call.
            session: The session.
            context: The circumstances of the call that its dispatcher knows: the siblings, if their
                turn was not inspected, and the decorated function that Python calls.
            proposed: The call as the model wrote it, if the host has changed it since.
            runs: Whether the call runs now; each run uses one earlier decision of the same call.
        """
        raw: Any = call.arguments
        if type(raw) is not dict:
            raw = read_arguments(raw)
        # A decorated function's arguments were copied when they were bound.
        raw, arguments = (raw, raw) if context.binding is not None else copy_arguments(raw)
        if arguments is not call.arguments:
            call = with_judged_arguments(call, arguments)
        record = record_of(session)
        # One call of a session at a time: layers read the state that earlier calls have changed.
        with record.lock:
            if proposed is not None:
                opened = self._open_changed(call, arguments, session, proposed, runs=runs)
            elif record.pending:
                opened = self._open_proposed(call, arguments, session, context, runs=runs)
            else:
                # Usually nothing is pending; then only an id links a call to an earlier decision.
                decision_id = (
                    record.calls.find_decision(call, arguments, runs=runs) if call.id else None
                )
                if decision_id is not None:
                    context = context._replace(decision_id=decision_id)
                if RUNNING.get() is not None and is_nested(call, session):
                    context = context._replace(nested=True, inside=DISPATCHED_CALL.get())
                opened = self._evaluator.judge(call, arguments, session, context)
        return opened if arguments is raw else opened._replace(raw=raw)

    def _open_proposed(
        self,
        call: ToolCall,
        arguments: dict[str, Any] | Malformed,
        session: Session,
        context: CallContext,
        *,
        runs: bool,
    ) -> OpenCall:
        """Judge a call of a session with pending proposals; it may be one of them."""
        plain = {} if isinstance(arguments, Malformed) else arguments
        record = record_of(session)
        pending = record.pending.consume(call, plain)
        if pending is not None:
            call, context = with_proposal_id(call, pending), with_turn(context, pending)
        decision_id = find_decision_id(call, arguments, session, pending, runs=runs)
        nested = pending is None and is_nested(call, session)
        if not (pending or nested or call.id):
            # The host may dispatch without the id of the call, but its result is matched by id.
            call_id = record.pending.find_id(call, plain)
            call = call if call_id is None else replace(call, id=call_id)
        context = context._replace(
            nested=nested, decision_id=decision_id, inside=DISPATCHED_CALL.get() if nested else None
        )
        return self._evaluator.judge(call, arguments, session, context)

    def _open_changed(
        self,
        call: ToolCall,
        arguments: dict[str, Any] | Malformed,
        session: Session,
        proposed: ToolCall,
        *,
        runs: bool,
    ) -> OpenCall:
        """Judge a proposal that the host changed; changed values count as provided by the host."""
        record, before = record_of(session), arguments_of(proposed)
        if not isinstance(arguments, Malformed):
            record_host_values(arguments, before, raw=proposed.arguments, record=record)
        context = CallContext(changed=True)
        pending = record.pending.consume(proposed, before)
        if pending is not None:
            call, context = with_proposal_id(call, pending), with_turn(context, pending)
        elif call.id and (passed := record.calls.find_decision(proposed, before, runs=True)):
            # The call was admitted as the model wrote it, but does not run in that form.
            record.calls.close(call.id, passed)
        context = context._replace(
            nested=pending is None and is_nested(call, session),
            decision_id=find_decision_id(call, arguments, session, pending, runs=runs),
        )
        # The log-probabilities are those of the model's own call.
        return self._evaluator.judge(replace(call, logprobs=None), arguments, session, context)

    def propose(
        self,
        call: ToolCall,
        session: Session,
        *,
        siblings: tuple[ToolCall, ...],
        turn: list[PendingCall],
    ) -> Decision:
        """Judge a call of a turn before any call of it is dispatched, and add it to *turn*."""
        _, arguments = copy_arguments(read_arguments(call.arguments))
        call = with_judged_arguments(call, arguments)
        record = record_of(session)
        with record.lock:
            opened = self._evaluator.judge(
                call, arguments, session, CallContext(siblings, runs=False)
            )
            if awaits_approval(opened.decision):
                self.approvals.wait(opened.decision.id, opened.key)
            pending = PendingCall(
                call=call,
                arguments=opened.arguments,
                decision=opened.decision,
                settle_with=lambda decision: self.record(decision, session),
                turn=turn,
                place=len(turn),
            )
            turn.append(pending)
            record.add_proposal(pending.decision, first=not pending.place)
            # Proposals beyond the limit are evicted, oldest first, and logged as they are.
            for old in record.pending.propose(pending):
                old.settle()
        return opened.decision

    def admit(
        self, opened: OpenCall, *, reread: Reread | None = None, runs: bool = False
    ) -> OpenCall:
        """
        Ask for an approval if one is needed, and record the decision.

        Args:
            opened: The judged call.
            reread: Reads the arguments again before the call runs; an approval does not cover
                changed arguments.
            runs: As in `open`.
        """
        if self.approver is not None and awaits_approval(opened.decision):
            with self._record_if_interrupted(opened, runs=runs):
                answer = ask_approver(self.approver, opened.decision)
            opened = apply_answer(opened, answer, self.approvals, reread)
        return self._record_admission(opened, runs=runs)

    async def aadmit(
        self, opened: OpenCall, *, reread: Reread | None = None, runs: bool = False
    ) -> OpenCall:
        """Admit a call like `admit`; the approver may be async."""
        if self.approver is not None and awaits_approval(opened.decision):
            with self._record_if_interrupted(opened, runs=runs):
                answer = await aask_approver(self.approver, opened.decision)
            opened = apply_answer(opened, answer, self.approvals, reread)
        return self._record_admission(opened, runs=runs)

    @contextmanager
    def _record_if_interrupted(self, opened: OpenCall, *, runs: bool) -> Iterator[None]:
        """Record the blocked call if the task is cancelled while it waits for the approver."""
        try:
            yield
        except BaseException:
            self._record_admission(opened, runs=runs)
            raise

    def _record_admission(self, opened: OpenCall, *, runs: bool) -> OpenCall:
        call, decision, record = opened.call, opened.decision, record_of(opened.session)
        if decision.blocked and awaits_approval(decision):
            self.approvals.wait(decision.id, opened.key)
        # The call was admitted earlier, e.g. by `check_call` before a guard.
        admitted = call.id if call.id and record.calls.is_open(call.id, decision.id) else None
        if admitted and not decision.blocked:
            # Another Shield's record says nothing about this policy.
            if record.calls.is_recorded_by(admitted, decision.id, self._number):
                return opened
            record.calls.add_shield(admitted, decision.id, self._number)
        if self._needs_log:
            decision = self._write_or_block(decision, opened.mode)
            opened = opened._replace(decision=decision)
        else:
            self._write(decision)
        if admitted and decision.blocked:
            # Blocked now, e.g. because a rule's state has changed: the call ends here.
            record.calls.close(admitted, decision.id)
        if decision.blocked or opened.nested or admitted:
            # A nested call is not a step of the model: it replaces no proposal and opens no call.
            if decision.blocked and not opened.nested:
                record.stop(call, decision)
            record.add_decision(decision)
        else:
            judged = opened.arguments if opened.malformed is None else opened.malformed
            record.open(
                call, decision, arguments=judged, size=opened.size, runs=runs, shield=self._number
            )
        self._notify(decision)
        return opened

    def record(self, decision: Decision, session: Session) -> None:
        """Add a decision to its session and its store, and notify hooks and listeners."""
        record_of(session).add_decision(decision)
        self._write(decision)
        self._notify(decision)

    def _notify(self, decision: Decision) -> None:
        """Notify every hook and listener of a decision."""
        # Tested here for speed: most Shields have no listener.
        if self.hooks:
            emit(decision, self.hooks)
        if LISTENERS.all:
            LISTENERS.notify(decision, self)

    def close(
        self,
        call: ToolCall,
        arguments: Mapping[str, Any],
        value: Any,
        *,
        session: Session,
        execution: ExecutionOutcome,
    ) -> Decision:
        """Judge a result, and add it to the session once per call, without a withheld value."""
        record = record_of(session)
        with record.lock:
            # Under one lock, so that other calls see this one either as running or as executed.
            record.running.stop(execution.decision_id)
            is_due = execution.nested or is_result_due(call, session)
            if not is_due:
                earlier = earlier_decision(call, value, session, execution)
                if earlier is not None:
                    return earlier
                is_due = is_another_call(call, arguments, value, session, execution)
            returned = CallResult(call, arguments, value, execution, session)
            try:
                decision = self.verifier.decide(returned)
            except BaseException:  # e.g. KeyboardInterrupt: the call has run all the same
                self._add_result(
                    call, arguments, None, session=session, execution=execution, is_due=is_due
                )
                raise
            # A withheld value is never added, or a later call could use it as evidence.
            visible = None if decision.blocked else value
            self._add_result(
                call, arguments, visible, session=session, execution=execution, is_due=is_due
            )
        # Outside the lock, because hooks and stores may be slow.
        if is_recorded_separately(decision):
            self.record(decision, session)
        return decision

    def record_answer(
        self, result: Checked, session: Session, *, began: CheckStart, error: str = ""
    ) -> None:
        """Record the check of an answer; *error* is the internal error of the check, if any."""
        fields = {"mode": self.mode_of(ANSWER), "policy_revision": self.policy.revision}
        record_of(session).add_report(result.report)
        decision = report_decision(result, session, fields, began=began, error=error)
        self.record(decision, session)
        self.reports.write(decision, result)

    def enforces_answers(self) -> bool:
        """Return whether an answer that fails its check is blocked, and not only recorded."""
        return self.mode_of(ANSWER) is Mode.STRICT

    def mode_of(self, check: str) -> Mode:
        """Return the current mode of a check of answers."""
        return answer_mode(self.policy, check, enforcement_off=self._switch.stops_enforcement())

    def add_result(
        self, call: ToolCall, value: Any, *, session: Session, execution: ExecutionOutcome
    ) -> None:
        """Add a result to the session without judging it, e.g. from a recorded run."""
        with record_of(session).lock:
            is_due = execution.nested or is_result_due(call, session)
            self._add_result(
                call, arguments_of(call), value, session=session, execution=execution, is_due=is_due
            )

    def _add_result(
        self,
        call: ToolCall,
        arguments: Mapping[str, Any],
        value: Any,
        *,
        session: Session,
        execution: ExecutionOutcome,
        is_due: bool,
    ) -> None:
        """Add a result to the session if it is due: a transcript may have contained it already."""
        if not is_due:
            return
        record = record_of(session)
        executed = make_executed(
            call.name, arguments, None if execution.error else value, call.id, execution.error,
            record.clock(), record.turns, execution.nested, execution.decision_id,
        )  # fmt: skip
        if execution.nested:
            record.add_execution(executed)
        else:
            record.add_result(executed, value)
