"""The lifecycle of a call: open, admit or block, run, close with its result."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, Any

from abs_shield.core import Action, Decision, Mode, ToolCall
from abs_shield.core.arguments import Malformed, read_arguments
from abs_shield.core.digest import digest_of
from abs_shield.core.layer_names import ANSWER
from abs_shield.policy import Policy
from abs_shield.session import Executed, Session
from abs_shield.session.pending_calls import PendingCall
from abs_shield.session.session_context import RUNNING
from abs_shield.session.session_record import record_of
from abs_shield.shield.answering import Began, answer_mode, decision_about
from abs_shield.shield.approvals import Approvals, Approver
from abs_shield.shield.dispatched import DISPATCHED
from abs_shield.shield.evaluator import Evaluator, OpenCall
from abs_shield.shield.listeners import LISTENERS
from abs_shield.shield.overrides import changed_text
from abs_shield.shield.ran import Ran
from abs_shield.shield.registry import Registry
from abs_shield.shield.reports import ReportLog
from abs_shield.shield.signature import Binding, at_the_door, in_json
from abs_shield.shield.verifying import Returned, Verifier, was_judged
from abs_shield.stores import Store
from abs_shield.telemetry import Hook, emit

if TYPE_CHECKING:
    from abs_shield.answer.assembly import Checked

logger = logging.getLogger("abs_shield")
_NO_LOG = (
    "decision log: it keeps no records at this moment, and the policy lets nothing run without"
)
Reread = Callable[[], Mapping[str, Any] | None]
_RAISED = "abs_shield's approver raised; the call stays blocked"

_MOST = 1_000
"""Calls of a turn around a dispatched one that are looked at."""


class Lifecycle:
    """Judges and records for one Shield; safe to share between threads and tasks."""

    def __init__(
        self,
        policy: Policy,
        registry: Registry,
        *,
        store: Store,
        hooks: Iterable[Hook],
        approver: Approver | None,
    ) -> None:
        self.policy = policy
        self.registry = registry
        self.store = store
        self._append = store.append
        self.reports = ReportLog(store)
        self._needs_log = policy.on_log_loss == "block"
        self.hooks = tuple(hooks)
        self.approver = approver
        self.approvals = Approvals()
        self._evaluator = Evaluator(policy, registry, self.approvals)
        self.verifier = Verifier(policy, registry, opened=self._evaluator.switch.opened)

    # Before the call -----------------------------------------------------------------------------

    def open(
        self,
        call: ToolCall,
        session: Session,
        *,
        siblings: tuple[ToolCall, ...] = (),
        binding: Binding | None = None,
        proposed: ToolCall | None = None,
        runs: bool = False,
    ) -> OpenCall:
        """
        Judge a call at its dispatch; a proposal of the same call is replaced.

        Args:
            call: The call.
            session: The session.
            siblings: Calls that run at this moment beside it, where no turn was shown.
            binding: The decorated function that Python calls; None of a call by name.
            proposed: The call as the model wrote it, where the host changed it since.
            runs: Whether it runs in this lifecycle: one run takes over one record.
        """
        raw: Any = call.arguments
        if type(raw) is not dict:
            raw = read_arguments(raw)
        raw, arguments = (raw, raw) if binding is not None else at_the_door(raw)
        if arguments is not call.arguments:
            call = _as_judged(call, raw, arguments)
        record = record_of(session)
        with record.lock:
            if proposed is not None:
                opened = self._changed(call, arguments, session, proposed, runs=runs)
            elif record.pending:
                opened = self._proposed(call, arguments, session, siblings, binding, runs=runs)
            else:
                known = record.calls.decided(call, arguments, runs=runs) if call.id else None
                nested = RUNNING.get() is not None and _inside(session)
                opened = self._evaluator.judge(
                    call, arguments, session, siblings=siblings, nested=nested, known=known,
                    binding=binding, inside=DISPATCHED.get() if nested else None,
                )  # fmt: skip
        return opened if arguments is raw else opened._replace(raw=raw)

    def _proposed(
        self,
        call: ToolCall,
        arguments: dict[str, Any] | Malformed,
        session: Session,
        siblings: tuple[ToolCall, ...],
        binding: Binding | None,
        *,
        runs: bool,
    ) -> OpenCall:
        """Judge a call of a run in which proposals are open; it may be one of them."""
        plain = {} if isinstance(arguments, Malformed) else arguments
        later: frozenset[str] = frozenset()
        record = record_of(session)
        pending = record.pending.consume(call, plain)
        if pending is not None:
            call = _as_proposed(call, pending)
            siblings, later = _around(pending, session)
        known = self._known(call, arguments, session, pending, runs=runs)
        nested = pending is None and _inside(session)
        if not (pending or nested or call.id):
            told = record.pending.find_id(call, plain)
            call = call if told is None else replace(call, id=told)
        return self._evaluator.judge(
            call, arguments, session, siblings=siblings, nested=nested, known=known,
            counted=pending is not None and pending.decision.blocked, later=later, binding=binding,
            inside=DISPATCHED.get() if nested else None,
        )  # fmt: skip

    @staticmethod
    def _known(
        call: ToolCall, arguments: Any, session: Session, pending: PendingCall | None, *, runs: bool
    ) -> str | None:
        """Return the id of the decision that a judgement of this very call has already."""
        if pending is not None:
            return pending.decision.id
        return record_of(session).calls.decided(call, arguments, runs=runs)

    def _changed(
        self,
        call: ToolCall,
        arguments: dict[str, Any] | Malformed,
        session: Session,
        proposed: ToolCall,
        *,
        runs: bool,
    ) -> OpenCall:
        """Judge what the host made of a proposal: what differs is the host's own word."""
        record, before = record_of(session), arguments_of(proposed)
        if not isinstance(arguments, Malformed):
            text = changed_text(arguments, before, raw=proposed.arguments)
            if text:
                record.vouch(text)
        siblings: tuple[ToolCall, ...] = ()
        later: frozenset[str] = frozenset()
        pending = record.pending.consume(proposed, before)
        if pending is not None:
            call = _as_proposed(call, pending)
            siblings, later = _around(pending, session)
        elif call.id and record.calls.decided(proposed, before):
            record.calls.shut(call.id)  # it passed as the model wrote it, and never ran so
        known = self._known(call, arguments, session, pending, runs=runs)
        return self._evaluator.judge(
            replace(call, logprobs=None), arguments, session, siblings=siblings,
            nested=pending is None and _inside(session), known=known,
            counted=pending is not None and pending.decision.blocked, later=later, changed=True,
        )  # fmt: skip

    def propose(
        self,
        call: ToolCall,
        session: Session,
        *,
        siblings: tuple[ToolCall, ...],
        turn: list[PendingCall],
    ) -> Decision:
        """Judge a call of a turn before any of it is dispatched, and add it to its *turn*."""
        raw, arguments = at_the_door(read_arguments(call.arguments))
        call = _as_judged(call, raw, arguments)
        record = record_of(session)
        with record.lock:
            opened = self._evaluator.judge(
                call, arguments, session, siblings=siblings, nested=False, known=None, runs=False
            )
            if _waits(opened.decision):
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
            for old in record.pending.propose(pending):
                old.settle()
        return opened.decision

    # At the door ---------------------------------------------------------------------------------

    def admit(
        self, opened: OpenCall, *, reread: Reread | None = None, runs: bool = False
    ) -> OpenCall:
        """
        Ask for an approval where one is needed, and record what was decided.

        Args:
            opened: The judged call.
            reread: Reads the arguments again that run; what has changed was not approved.
            runs: As in `open`.
        """
        if opened.decision.blocked:
            if self._asks(opened):
                opened = self._answered(opened, _settled(self._ask(opened)), reread)
            if _waits(opened.decision):
                self.approvals.wait(opened.decision.id, opened.key)
        return self._admitted(opened, runs=runs)

    async def aadmit(
        self, opened: OpenCall, *, reread: Reread | None = None, runs: bool = False
    ) -> OpenCall:
        """As `admit`; an async approver is awaited."""
        if opened.decision.blocked:
            if self._asks(opened):
                opened = self._answered(opened, await _awaited(self._ask(opened)), reread)
            if _waits(opened.decision):
                self.approvals.wait(opened.decision.id, opened.key)
        return self._admitted(opened, runs=runs)

    def _asks(self, opened: OpenCall) -> bool:
        return _waits(opened.decision) and self.approver is not None

    def _ask(self, opened: OpenCall) -> Any:
        assert self.approver is not None
        try:
            return self.approver(opened.decision)
        except Exception:
            logger.exception(_RAISED)
            return None

    def _answered(self, opened: OpenCall, said: object, reread: Reread | None) -> OpenCall:
        if said is None:  # it raised, or asks somebody who will answer later
            return opened
        if said is not True:
            return opened._replace(decision=replace(opened.decision, approval="refused"))
        if _has_changed(opened, reread):
            return opened
        self.approvals.forget(opened.decision.id)
        granted = replace(
            opened.decision, approval="granted", action=Action.FLAG, blocked=False,
            attempts_left=None, retryable=True,
        )  # fmt: skip
        return opened._replace(decision=granted)

    def _admitted(self, opened: OpenCall, *, runs: bool) -> OpenCall:
        call, decision, record = opened.call, opened.decision, record_of(opened.session)
        if call.id and record.calls.is_open(call.id, decision.id):
            return opened
        if self._needs_log:
            decision = self._logged(decision)
            opened = opened._replace(decision=decision)
        else:
            self._store(decision)
        if decision.blocked or opened.nested:
            if not opened.nested:
                record.stop(call, decision)
            record.add_decision(decision)
        else:
            judged = opened.arguments if opened.malformed is None else opened.malformed
            record.open(call, decision, arguments=judged, size=opened.size, runs=runs)
        self._tell(decision)
        return opened

    def _logged(self, decision: Decision) -> Decision:
        """Store a decision of a policy that needs its record; without one the call is blocked."""
        losing = self.store.losing
        if losing:
            decision = _unlogged(decision)
        return decision if self._store(decision) or losing else _unlogged(decision)

    def _store(self, decision: Decision) -> bool:
        """Store a decision; False where it was dropped. A store that raises is reported."""
        try:
            return self._append(decision) is not False
        except Exception:
            logger.exception("abs_shield could not store decision %s", decision.id)
            return False

    def record(self, decision: Decision, session: Session) -> None:
        """Keep a decision in its session and its store, and tell everybody."""
        record_of(session).add_decision(decision)
        self._store(decision)
        self._tell(decision)

    def _tell(self, decision: Decision) -> None:
        """Tell every hook and listener of a decision."""
        if self.hooks:
            emit(decision, self.hooks)
        if LISTENERS.all:
            LISTENERS.tell(decision, self)

    # After the call ------------------------------------------------------------------------------

    def close(
        self,
        call: ToolCall,
        arguments: Mapping[str, Any],
        value: Any,
        *,
        session: Session,
        ran: Ran,
    ) -> Decision:
        """Judge a result and take it into the session, once a call; a withheld one is not seen."""
        with record_of(session).lock:
            due = ran.nested or _is_due(call, session)
            if not due and (known := _judged_before(call, value, session, ran)) is not None:
                return known
            back = Returned(call, arguments, value, ran, session)
            try:
                decision = self.verifier.decide(back)
            except BaseException:  # the process is told to stop: the call has run
                self._take(call, arguments, None, session=session, ran=ran, due=due)
                raise
            seen = None if decision.blocked else value
            self._take(call, arguments, seen, session=session, ran=ran, due=due)
        if was_judged(decision):
            self.record(decision, session)
        return decision

    def answered(self, found: Checked, session: Session, *, began: Began, error: str = "") -> None:
        """Record what was found out of the answer that ends a run; *error* is our own failure."""
        fields = {"mode": self.mode_of(ANSWER), "policy_revision": self.policy.revision}
        record_of(session).add_report(found.report)
        decision = decision_about(found, session, fields, began=began, error=error)
        self.record(decision, session)
        self.reports.write(decision, found)

    def enforces_answers(self) -> bool:
        """Whether an answer that does not hold is stopped, and not only written down."""
        return self.mode_of(ANSWER) is Mode.STRICT

    def mode_of(self, check: str) -> Mode:
        """Return the mode of a check of answers at this moment."""
        return answer_mode(self.policy, check, opened=self._evaluator.switch.opened())

    def take(self, call: ToolCall, value: Any, *, session: Session, ran: Ran) -> None:
        """Take a result into the session that is not judged: it was written down, or made up."""
        with record_of(session).lock:
            due = ran.nested or _is_due(call, session)
            self._take(call, arguments_of(call), value, session=session, ran=ran, due=due)

    def _take(
        self,
        call: ToolCall,
        arguments: Mapping[str, Any],
        value: Any,
        *,
        session: Session,
        ran: Ran,
        due: bool,
    ) -> None:
        """Take a result in, where it is due: a transcript may have told of it before."""
        if not due:
            return
        record = record_of(session)
        executed = Executed(
            tool=call.name,
            arguments=arguments,
            value=None if ran.error else value,
            call_id=call.id,
            error=ran.error,
            at=record.clock(),
            turn=record.turns,
            nested=ran.nested,
            decision_id=ran.decision_id,
        )
        if ran.nested:
            record.add_execution(executed)
        else:
            record.add_result(executed, value)


def arguments_of(call: ToolCall) -> Mapping[str, Any]:
    """Return a call's arguments as they are judged; empty where they are no object."""
    read = in_json(read_arguments(call.arguments))
    return {} if isinstance(read, Malformed) else read


def _unlogged(decision: Decision) -> Decision:
    """The same decision where the policy lets nothing run that leaves no record."""
    return replace(
        decision,
        action=Action.BLOCK,
        blocked=decision.blocked or decision.mode is Mode.STRICT,
        would_block=True,
        errors=(*decision.errors, _NO_LOG),
    )


def _as_judged(call: ToolCall, raw: Any, arguments: Any) -> ToolCall:
    """A call with the arguments that are written down: bounded ones, and a text as it came."""
    if arguments is raw or isinstance(call.arguments, (str, bytes, bytearray)):
        return call
    return replace(call, arguments=arguments)


def _as_proposed(call: ToolCall, pending: PendingCall) -> ToolCall:
    """A dispatched call with what its proposal knew: the id, the log-probabilities."""
    logprobs = pending.call.logprobs if call.logprobs is None else call.logprobs
    return replace(call, id=call.id or pending.call.id, logprobs=logprobs)


def _around(pending: PendingCall, session: Session) -> tuple[tuple[ToolCall, ...], frozenset[str]]:
    """
    The calls of a dispatched call's turn: those before it, and the ids of those behind it.

    Where calls run side by side, they are dispatched in any order. One before it that is neither
    blocked nor back yet counts as it did when the turn was judged; one behind it never does.
    """
    turn, place = pending.turn, pending.place
    if len(turn) < 2:
        return (), frozenset()
    calls = record_of(session).calls
    before = (p for p in turn[max(0, place - _MOST) : place] if p.call.id)
    under_way = (p for p in before if not (p.decision.blocked or calls.ended(p.call.id)))
    later = (p.call.id for p in turn[place + 1 : place + _MOST])
    return tuple(p.call for p in under_way), frozenset(call_id for call_id in later if call_id)


def _is_due(call: ToolCall, session: Session) -> bool:
    """Whether a result of *call* is still to come, or nobody knew of the call."""
    calls = record_of(session).calls
    if not call.id:
        return calls.shut_loose(call.name)
    return call.id in calls.opened or not calls.ended(call.id)


def _judged_before(call: ToolCall, value: Any, session: Session, ran: Ran) -> Decision | None:
    """
    What was decided of this very result; None of one that was not judged yet.

    A guard holds what its own call returned. A host may say the same twice, and may use an id
    again for another call, whose result is another one.
    """
    if ran.decision_id is not None or not call.id:
        return None
    known = record_of(session).result_decision(call.id)
    if known is None or known.blocked:
        return None
    seen = next((one for one in reversed(session.executed) if one.call_id == call.id), None)
    return known if seen is not None and _is_same(seen.value, value) else None


def _is_same(seen: Any, value: Any) -> bool:
    try:
        return bool(seen is value or seen == value)
    except Exception:  # objects of the host's that compare with nothing
        return False


def _inside(session: Session) -> bool:
    """Whether a tool of *session* runs in this context; a sub-agent's session is another."""
    running = RUNNING.get()
    return running is not None and (running is session or record_of(session).ephemeral)


def _has_changed(opened: OpenCall, reread: Reread | None) -> bool:
    """Whether what runs is no longer what was judged: an object of the caller's may change."""
    if reread is not None:
        now: Any = reread()
    elif opened.raw is not None:
        now = in_json(dict(opened.raw))
    else:
        return False
    name = opened.call.name
    return digest_of(name, now) != digest_of(name, opened.arguments)


def _waits(decision: Decision) -> bool:
    """Whether an operator may still approve the call, also one whom the approver refused it."""
    return decision.blocked and decision.approval in ("required", "refused")


async def _awaited(said: Any) -> Any:
    """The answer of a sync or async approver; None where it raises."""
    try:
        return await said if inspect.isawaitable(said) else said
    except Exception:
        logger.exception(_RAISED)
        return None


def _settled(said: Any) -> Any:
    """The answer of an async approver to a sync call: run on a thread of its own."""
    if not inspect.isawaitable(said):
        return said
    import asyncio  # sync programs start faster without it

    answers: list[Any] = []

    def run() -> None:
        answers.append(asyncio.run(_awaited(said)))

    thread = Thread(target=run, name="abs_shield-approver")
    thread.start()
    thread.join()
    return answers[0] if answers else None
