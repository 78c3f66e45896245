"""The lifecycle of a call: open, admit or block, run, and close with a result."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import replace
from itertools import count
from threading import Thread
from typing import TYPE_CHECKING, Any

from abs_shield.core import Action, Decision, Mode, ToolCall
from abs_shield.core.call_arguments import Malformed, read_arguments, same
from abs_shield.core.digest import digest_of
from abs_shield.core.vocabularies import ANSWER
from abs_shield.policy import Policy
from abs_shield.session import Executed, Session
from abs_shield.session.call_states import make_executed
from abs_shield.session.pending_calls import PendingCall
from abs_shield.session.session_context import RUNNING
from abs_shield.session.session_record import record_of
from abs_shield.shield.answer_decision import CheckStart, answer_mode, report_decision
from abs_shield.shield.approvals import Approvals, Approver
from abs_shield.shield.argument_copies import copy_arguments, json_arguments
from abs_shield.shield.changed_calls import changed_text
from abs_shield.shield.dispatched_call import DISPATCHED_CALL
from abs_shield.shield.evaluator import ALONE, CallContext, Evaluator, OpenCall
from abs_shield.shield.execution_outcome import ExecutionOutcome
from abs_shield.shield.listeners import LISTENERS
from abs_shield.shield.report_log import ReportLog
from abs_shield.shield.result_check import CallResult, ResultVerifier, is_recorded_separately
from abs_shield.shield.tool_registry import Registry
from abs_shield.stores import Store
from abs_shield.telemetry import Hook, emit

if TYPE_CHECKING:
    from abs_shield.answer.report_assembly import Checked

logger = logging.getLogger("abs_shield")
_NO_LOG = (
    "decision log: no record can be stored at present, and the policy blocks calls without one"
)
Reread = Callable[[], Mapping[str, Any] | None]
_RAISED = "abs_shield's approver raised; the call stays blocked"

_MOST = 1_000
"""Maximum number of calls that are read before and after a call in its turn.

Without a limit, the time for a turn grows with the square of its calls.
"""


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
        # Looked up once: it is called for every decision.
        self._append = store.append
        self.reports = ReportLog(store)
        self._needs_log = policy.on_log_loss == "block"
        self.hooks = tuple(hooks)
        self.approver = approver
        self.approvals = Approvals()
        self._evaluator = Evaluator(policy, registry, self.approvals)
        self.verifier = ResultVerifier(
            policy, registry, enforcement_off=self._evaluator.switch.stops_enforcement
        )

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
            call = _with_judged_arguments(call, arguments)
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
                if RUNNING.get() is not None and _is_nested(call, session):
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
            call = _with_proposal_id(call, pending)
            siblings, later = _turn_neighbours(pending)
            context = context._replace(
                siblings=siblings, later=later, counted=pending.decision.blocked
            )
        decision_id = self._decision_id(call, arguments, session, pending, runs=runs)
        nested = pending is None and _is_nested(call, session)
        if not (pending or nested or call.id):
            # The host may dispatch without the id of the call, but its result is matched by id.
            call_id = record.pending.find_id(call, plain)
            call = call if call_id is None else replace(call, id=call_id)
        context = context._replace(
            nested=nested, decision_id=decision_id, inside=DISPATCHED_CALL.get() if nested else None
        )
        return self._evaluator.judge(call, arguments, session, context)

    @staticmethod
    def _decision_id(
        call: ToolCall, arguments: Any, session: Session, pending: PendingCall | None, *, runs: bool
    ) -> str | None:
        """Return the id of an earlier decision about this call; None without one."""
        if pending is not None:
            return pending.decision.id
        return record_of(session).calls.find_decision(call, arguments, runs=runs)

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
            text = changed_text(arguments, before, raw=proposed.arguments)
            if text:
                record.record_mention(text)
        siblings: tuple[ToolCall, ...] = ()
        later: frozenset[str] = frozenset()
        pending = record.pending.consume(proposed, before)
        if pending is not None:
            call = _with_proposal_id(call, pending)
            siblings, later = _turn_neighbours(pending)
        elif call.id and (passed := record.calls.find_decision(proposed, before, runs=True)):
            # The call was admitted as the model wrote it, but does not run in that form.
            record.calls.close(call.id, passed)
        decision_id = self._decision_id(call, arguments, session, pending, runs=runs)
        context = CallContext(
            siblings, pending is None and _is_nested(call, session), decision_id,
            counted=pending is not None and pending.decision.blocked, later=later, changed=True,
        )  # fmt: skip
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
        call = _with_judged_arguments(call, arguments)
        record = record_of(session)
        with record.lock:
            opened = self._evaluator.judge(
                call, arguments, session, CallContext(siblings, runs=False)
            )
            if _awaits_approval(opened.decision):
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
        if self.approver is not None and _awaits_approval(opened.decision):
            with self._record_if_interrupted(opened, runs=runs):
                answer = _sync_answer(self._ask_approver(opened))
            opened = self._with_approval(opened, answer, reread)
        return self._record_admission(opened, runs=runs)

    async def aadmit(
        self, opened: OpenCall, *, reread: Reread | None = None, runs: bool = False
    ) -> OpenCall:
        """Admit a call like `admit`; the approver may be async."""
        if self.approver is not None and _awaits_approval(opened.decision):
            with self._record_if_interrupted(opened, runs=runs):
                answer = await _async_answer(self._ask_approver(opened))
            opened = self._with_approval(opened, answer, reread)
        return self._record_admission(opened, runs=runs)

    @contextmanager
    def _record_if_interrupted(self, opened: OpenCall, *, runs: bool) -> Iterator[None]:
        """Record the blocked call if the task is cancelled while it waits for the approver."""
        try:
            yield
        except BaseException:
            self._record_admission(opened, runs=runs)
            raise

    def _ask_approver(self, opened: OpenCall) -> Any:
        assert self.approver is not None
        try:
            return self.approver(opened.decision)
        except Exception:
            logger.exception(_RAISED)
            return None

    def _with_approval(self, opened: OpenCall, answer: object, reread: Reread | None) -> OpenCall:
        if answer is None:  # the approver raised, or left the decision to `approve`
            return opened
        if answer is not True:
            return opened._replace(decision=replace(opened.decision, approval="refused"))
        if _has_changed(opened, reread):
            return opened
        self.approvals.use(opened.decision.id, opened.key)
        granted = replace(
            opened.decision, approval="granted", action=Action.FLAG, blocked=False,
            attempts_left=None, retryable=True,
        )  # fmt: skip
        return opened._replace(decision=granted)

    def _record_admission(self, opened: OpenCall, *, runs: bool) -> OpenCall:
        call, decision, record = opened.call, opened.decision, record_of(opened.session)
        if decision.blocked and _awaits_approval(decision):
            self.approvals.wait(decision.id, opened.key)
        # The call was admitted earlier, e.g. by `check_call` before a guard.
        admitted = call.id if call.id and record.calls.is_open(call.id, decision.id) else None
        if admitted and not decision.blocked:
            # Another Shield's record says nothing about this policy.
            if record.calls.is_recorded_by(admitted, decision.id, self._number):
                return opened
            record.calls.add_shield(admitted, decision.id, self._number)
        if self._needs_log:
            decision = self._store_or_block(decision, opened.mode)
            opened = opened._replace(decision=decision)
        else:
            self._store(decision)
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

    def _store_or_block(self, decision: Decision, mode: Mode) -> Decision:
        """Store a decision; block the call if the record is lost, because the policy needs it."""
        # Read first: a store that loses decisions in the background still accepts them.
        losing = self.store.losing
        if losing:
            decision = _block_without_log(decision, mode)
        if self._store(decision) or losing:
            return decision
        return _block_without_log(decision, mode)

    def _store(self, decision: Decision) -> bool:
        """Store a decision, and return whether it was stored; an exception is logged."""
        try:
            return self._append(decision) is not False
        except Exception:
            logger.exception("abs_shield could not store decision %s", decision.id)
            return False

    def record(self, decision: Decision, session: Session) -> None:
        """Add a decision to its session and its store, and notify hooks and listeners."""
        record_of(session).add_decision(decision)
        self._store(decision)
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
            is_due = execution.nested or _is_due(call, session)
            if not is_due:
                earlier = _earlier_decision(call, value, session, execution)
                if earlier is not None:
                    return earlier
                is_due = _is_another_call(call, arguments, value, session, execution)
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
        return answer_mode(
            self.policy, check, enforcement_off=self._evaluator.switch.stops_enforcement()
        )

    def add_result(
        self, call: ToolCall, value: Any, *, session: Session, execution: ExecutionOutcome
    ) -> None:
        """Add a result to the session without judging it, e.g. from a recorded run."""
        with record_of(session).lock:
            is_due = execution.nested or _is_due(call, session)
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


def arguments_of(call: ToolCall) -> Mapping[str, Any]:
    """Return a call's arguments as they are judged; empty if they are not an object."""
    read = json_arguments(read_arguments(call.arguments))
    return {} if isinstance(read, Malformed) else read


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


def _with_judged_arguments(call: ToolCall, arguments: dict[str, Any] | Malformed) -> ToolCall:
    """
    Return the call with a copy of its arguments, which the caller may change after the judgement.

    Arguments that are text, or no object, stay unchanged.
    """
    if isinstance(arguments, Malformed) or isinstance(call.arguments, (str, bytes, bytearray)):
        return call
    return ToolCall(call.name, arguments, call.id, call.logprobs)


def _with_proposal_id(call: ToolCall, pending: PendingCall) -> ToolCall:
    """Return a dispatched call with the id and log-probabilities of its proposal."""
    logprobs = pending.call.logprobs if call.logprobs is None else call.logprobs
    return replace(call, id=call.id or pending.call.id, logprobs=logprobs)


def _turn_neighbours(
    pending: PendingCall,
) -> tuple[tuple[ToolCall, ...], frozenset[str]]:
    """
    Return the calls before a dispatched call in its turn, and the keys of those after it.

    Concurrent calls may be dispatched in any order. An earlier call of the turn that is neither
    blocked nor finished still counts as earlier; a later call of the turn never does.
    """
    turn, place = pending.turn, pending.place
    if len(turn) < 2:
        return (), frozenset()
    before = [p for p in turn[max(0, place - _MOST) : place] if p.call.id]
    under_way = (p for p in before if not (p.decision.blocked or p.is_answered or p.is_over))
    behind = turn[place + 1 : place + _MOST]
    # A model may reuse an id: it identifies a later call only if no earlier call has it.
    ids = {p.call.id for p in behind} - {p.call.id for p in (*before, pending)}
    later = {p.decision.id for p in behind} | {call_id for call_id in ids if call_id}
    return tuple(p.call for p in under_way), frozenset(later)


def _is_due(call: ToolCall, session: Session) -> bool:
    """Return whether the call has no result yet; True as well if the call is unknown."""
    calls = record_of(session).calls
    if not call.id:
        return calls.close_without_id(call.name)
    return call.id in calls.open_calls or not calls.has_ended(call.id)


def _earlier_decision(
    call: ToolCall, value: Any, session: Session, execution: ExecutionOutcome
) -> Decision | None:
    """
    Return the earlier decision about this result; None if it was not judged yet.

    A guard reports its result only once. Without a guard, the host may report a result twice, or
    reuse an id for another call with another result.
    """
    if execution.decision_id is not None or not call.id:
        return None
    decision = record_of(session).result_decision(call.id)
    if decision is None or decision.blocked:
        return None
    executed = _newest_execution(call.id, session)
    return decision if executed is not None and _is_same(executed.value, value) else None


def _newest_execution(call_id: str, session: Session) -> Executed | None:
    """Return the newest executed call with this id, because ids may be reused."""
    executions = record_of(session).executions
    return next((one for one in reversed(executions) if one.call_id == call_id), None)


def _is_another_call(
    call: ToolCall,
    arguments: Mapping[str, Any],
    value: Any,
    session: Session,
    execution: ExecutionOutcome,
) -> bool:
    """
    Return whether a call reuses the id of a different call that has ended.

    False if a transcript contained the ended call, because a transcript may write its result in
    another form.
    """
    if execution.decision_id is not None or not call.id:
        return False
    executed = _newest_execution(call.id, session)
    if executed is None or not record_of(session).calls.has_ended_unannounced(call.id):
        return False
    if executed.tool != call.name or executed.error is not execution.error:
        return True
    if executed.arguments and not same(executed.arguments, arguments):
        return True
    return type(executed.value) is type(value) and not _is_same(executed.value, value)


def _is_same(recorded: Any, value: Any) -> bool:
    try:
        return bool(recorded is value or recorded == value)
    except Exception:  # the host's objects may not support comparison
        return False


def _is_nested(call: ToolCall, session: Session) -> bool:
    """
    Return whether the code of a tool of *session* makes this call; a sub-agent's session differs.
    """
    running = RUNNING.get()
    if running is None or not (running is session or record_of(session).ephemeral):
        return False
    # a task may outlive the tool that started it; there, a call with an id is a model's own
    outer = DISPATCHED_CALL.get()
    return not (call.id and outer is not None and outer.is_over)


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


def _awaits_approval(decision: Decision) -> bool:
    """Return whether the call can still be approved, even after the approver refused it."""
    return decision.blocked and decision.approval in ("required", "refused")


async def _async_answer(answer: Any) -> Any:
    """Return the answer of a sync or async approver; None if it raises."""
    try:
        return await answer if inspect.isawaitable(answer) else answer
    except Exception:
        logger.exception(_RAISED)
        return None


def _sync_answer(answer: Any) -> Any:
    """Return the answer of an approver in sync code; an async approver runs in its own thread."""
    if not inspect.isawaitable(answer):
        return answer
    import asyncio  # imported lazily: slow, and sync programs do not need it

    answers: list[Any] = []

    def run() -> None:
        answers.append(asyncio.run(_async_answer(answer)))

    # A new thread, because this one may already run an event loop. It has the context of the call,
    # such as the current request.
    thread = Thread(target=copy_context().run, args=(run,), name="abs_shield-approver")
    thread.start()
    thread.join()
    return answers[0] if answers else None
