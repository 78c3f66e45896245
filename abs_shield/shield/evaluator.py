"""The evaluation of one proposed call: every layer judges it, and a Decision is built."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter, time
from typing import Any

from abs_shield.core import Action, Decision, Mode, Subject, ToolCall, Verdict
from abs_shield.core.call_arguments import Malformed, plain_size
from abs_shield.core.decision import make_clean_decision, make_decision
from abs_shield.core.digest import digest_of
from abs_shield.core.fork_safety import new_id
from abs_shield.core.logprobs import mean_logprob
from abs_shield.plan import Proposal, ShieldTerms, ToolPlan
from abs_shield.policy import Policy
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield.approvals import Approvals, Key
from abs_shield.shield.attempts import UNBLOCKED, count_attempt
from abs_shield.shield.changed_calls import NOTE as CHANGED
from abs_shield.shield.dispatched_call import DispatchedCall, model_findings
from abs_shield.shield.enforcement import rule_on
from abs_shield.shield.internal_error import Fault, error_location
from abs_shield.shield.kill_switch import KillSwitch
from abs_shield.shield.off_switch import NOT_JUDGED, SWITCH
from abs_shield.shield.off_switch import NOTE as OFF
from abs_shield.shield.open_call import CallContext, OpenCall
from abs_shield.shield.tool_layers import CallJudgement, ToolLayers, layers_of, run_layers
from abs_shield.shield.tool_registry import Registry, available, plans_of

logger = logging.getLogger("abs_shield")
_MOST_PREPARED = 10_000
"""Maximum number of tools with prepared layers; each takes some hundred bytes."""


class Evaluator:
    """Judges the calls of one Shield."""

    def __init__(
        self, policy: Policy, registry: Registry, approvals: Approvals, switch: KillSwitch
    ) -> None:
        self.policy = policy
        self.registry = registry
        self.approvals = approvals
        self.switch = switch
        self._layers = layers_of(policy)
        self._terms = ShieldTerms(
            threshold=policy.threshold, window=policy.window, owner=registry,
            converts=policy.coercible == "flag", requires_schemas=policy.on_error == "block",
            plans=lambda record: plans_of(registry.tools_of(record)),
            kinds=lambda record: registry.tools_of(record).kinds(),
        )  # fmt: skip
        self._unknown_tool_layers = ToolLayers(self._layers, None, self._terms)
        # By id, because a plan is not hashable; the values reference the plan, so ids stay valid.
        self._prepared: dict[int, ToolLayers] = {}

    def judge(
        self,
        call: ToolCall,
        arguments: dict[str, Any] | Malformed,
        session: Session,
        context: CallContext,
    ) -> OpenCall:
        """
        Judge one call.

        Args:
            call: The call as the model wrote it.
            arguments: The parsed arguments, or the reason why they cannot be parsed.
            session: The session of the call; the caller holds its lock.
            context: The circumstances of the call.
        """
        started, at, record = perf_counter(), time(), record_of(session)
        siblings, nested, decision_id, _, _, _, binding, changed, _ = context
        malformed: Malformed | None = None
        if isinstance(arguments, Malformed):
            malformed, arguments = arguments, {}
        if SWITCH.off:
            decision = self._unjudged_decision(call, session, context, at=at)
            return OpenCall(call, arguments, session, decision, nested, _NO_KEY, malformed)
        plan = logprob = inside = rows = None
        judgement: CallJudgement | None = None
        size, fault, key = -1, "", _NO_KEY
        try:
            # Inside the `try`, because compiling a declaration may raise.
            plan = self.registry.plan_for(call.name, record, binding, nested)
            layers = self._prepared.get(id(plan)) or self._prepare(plan)
            if call.logprobs is not None:
                try:
                    logprob = mean_logprob(call.name, call.logprobs)
                except ValueError as error:
                    fault = str(error)
            special = siblings or nested or changed or fault or malformed
            # The fast path covers nearly all calls: a single plain call of an available tool.
            if not special and (session.tools is None or call.name in session.tools):
                shape = layers.shapes.get(tuple(arguments)) or layers.prepare(arguments)
                if shape is not None:
                    size = plain_size(arguments, names=shape.letters)
                    if size >= 0:
                        rows, coverage = layers.check(shape, arguments, record, logprob)
            # Also for huge or infinite numbers, which are not plain.
            if rows is None:
                size = plain_size(arguments)
            if rows is None or rows:
                proposal = self._proposal(
                    call, arguments, session, plan, context, logprob=logprob, fault=fault,
                    malformed=malformed, plain=size >= 0,
                )  # fmt: skip
                if rows is None:
                    judgement, inside = self._judge_fully(layers, proposal, session, context)
                else:
                    judgement = run_layers(rows, proposal, session, dict(coverage))
                    if not (judgement.findings or judgement.faults):
                        coverage, judgement = judgement.coverage, None
        # An internal error must never raise in the host.
        except Exception as error:
            logger.exception("abs_shield could not judge a call")
            fault_of_check = Fault("call check", error_location(error))
            plan, judgement = None, CallJudgement([], {}, [fault_of_check])
        if judgement is None:
            assert plan is not None  # a call of an unknown tool is judged fully
            mode = Mode.AUDIT if self.switch.stops_enforcement() else plan.mode
            decision = make_clean_decision(
                decision_id or new_id(), Subject.CALL, call.name, mode,
                self.policy.revision, at, (perf_counter() - started) * 1_000, coverage, session.id,
                record.run_id, call.id, session.agent, session.model,
            )  # fmt: skip
        else:
            decision, key, mode = self._decide(
                call, arguments if malformed is None else call.arguments, session, judgement, plan,
                context=context, at=at, started=started,
            )  # fmt: skip
        # Updated after the call is judged, once per call, and only with the model's own output.
        if logprob is not None and decision_id is None and not nested:
            record.likelihoods.update(logprob)
        # `tuple.__new__`, because a NamedTuple's own constructor takes three times as long.
        opened: OpenCall = tuple.__new__(OpenCall, (
            call, arguments, session, decision, nested, key, malformed, size, None, inside,
            mode,
        ))  # fmt: skip
        return opened

    def _judge_fully(
        self, layers: ToolLayers, proposal: Proposal, session: Session, context: CallContext
    ) -> tuple[CallJudgement, DispatchedCall | None]:
        """Judge any call by all layers; return the enclosing call, too, if it passed on values."""
        inside, passed_on = context.inside, frozenset[str]()
        if inside is not None and context.binding is not None:
            passed_on = inside.find_passed_values(
                proposal.arguments, context.binding, self.registry
            )
        judgement = layers.judge(
            proposal, session, nested=context.nested, changed=context.changed, passed_on=passed_on
        )
        if inside is None or not passed_on:
            return judgement, None
        judgement.findings = model_findings(judgement.findings, passed_on, inside)
        return judgement, inside

    def _prepare(self, plan: ToolPlan | None) -> ToolLayers:
        """Return the prepared layers of a tool; they reference the plan, so its id stays valid."""
        if plan is None:
            return self._unknown_tool_layers
        if len(self._prepared) >= _MOST_PREPARED:
            # All of them: tools come and go with sessions, and their order of use is not known.
            self._prepared.clear()
        layers = self._prepared[id(plan)] = ToolLayers(self._layers, plan, self._terms)
        return layers

    def _proposal(
        self,
        call: ToolCall,
        arguments: dict[str, Any],
        session: Session,
        plan: ToolPlan | None,
        context: CallContext,
        *,
        logprob: float | None,
        fault: str,
        malformed: Malformed | None,
        plain: bool,
    ) -> Proposal:
        tools = self.registry.of(session)
        names: Mapping[str, Any] = tools
        registered = False
        if session.tools is not None:
            names = available(tools, session.tools)
            # the model's list of tools does not restrict the calls of a tool's own code
            registered = plan is not None and not context.nested and call.name not in session.tools
        if registered:
            plan = None
        elif plan is None:
            plan = tools.anonymous_plan(call.name)
        return Proposal(
            call, arguments, malformed, plan, names, record_of(session).clock(), self._terms,
            registered, context.siblings, logprob, fault, plain=plain, later=context.later,
            plans=plans_of(tools),
        )  # fmt: skip

    def _decide(
        self,
        call: ToolCall,
        arguments: Any,
        session: Session,
        judgement: CallJudgement,
        plan: ToolPlan | None,
        *,
        context: CallContext,
        at: float,
        started: float,
    ) -> tuple[Decision, Key, Mode]:
        """Weigh the findings, count a blocked attempt, and build the Decision."""
        notes: tuple[str, ...] = ()
        # A tool that the session may not call is treated like one that does not exist.
        if plan is None or not (session.tools is None or call.name in session.tools):
            notes = () if call.name in self.registry.of(session) else _UNREGISTERED
            plan = self.registry.unregistered_plan(call.name)
        enforcement_off = self.switch.stops_enforcement()
        decision_id = context.decision_id or new_id()
        ruling = rule_on(judgement, plan, self.policy, enforcement_off=enforcement_off, at=at)
        key, attempts = _NO_KEY, UNBLOCKED
        if ruling.would_block:
            # The digest is slow, so it is computed only for a call that may be blocked.
            key = self._key(call, arguments, session)
            if ruling.approval and self.approvals.take(key, decision_id, keep=not context.runs):
                ruling = replace(ruling, approval="granted", action=Action.FLAG, blocked=False)
            if ruling.blocked:
                attempts = count_attempt(
                    session,
                    key,
                    self.policy.retries,
                    waits=bool(ruling.approval),
                    counted=context.counted,
                )
        decision = make_decision(
            id=decision_id,
            subject=Subject.CALL,
            tool=call.name,
            verdict=ruling.verdict,
            action=ruling.action,
            mode=ruling.mode,
            blocked=ruling.blocked,
            would_block=ruling.would_block,
            policy_revision=self.policy.revision,
            at=at,
            findings=ruling.findings,
            coverage=judgement.coverage,
            errors=tuple(map(str, judgement.faults)) if judgement.faults else (),
            session_id=session.id,
            run_id=record_of(session).run_id,
            call_id=call.id,
            agent=session.agent,
            model=session.model,
            approval=ruling.approval,
            retryable=attempts.retryable,
            attempts_left=attempts.left,
            notes=(*notes, CHANGED) if context.changed else notes,
            elapsed_ms=(perf_counter() - started) * 1_000,
        )
        return decision, key, Mode.AUDIT if enforcement_off else plan.mode

    def _key(self, call: ToolCall, arguments: Any, session: Session) -> Key:
        # Without a session, each call has a new session id; an approval must still match it.
        scope = "" if record_of(session).ephemeral else session.id
        return (scope, call.name, digest_of(call.name, arguments))

    def _unjudged_decision(
        self, call: ToolCall, session: Session, context: CallContext, *, at: float
    ) -> Decision:
        """Return the Decision of a call that is allowed unjudged, with all layers unavailable."""
        return make_decision(
            id=context.decision_id or new_id(),
            subject=Subject.CALL,
            tool=call.name,
            verdict=Verdict.CLEAN,
            action=Action.ALLOW,
            mode=Mode.AUDIT,
            blocked=False,
            would_block=False,
            policy_revision=self.policy.revision,
            at=at,
            coverage={layer.name: NOT_JUDGED for layer in self._layers},
            session_id=session.id,
            run_id=record_of(session).run_id,
            call_id=call.id,
            agent=session.agent,
            model=session.model,
            notes=(OFF,),
        )


_NO_KEY: Key = ("", "", b"")
_UNREGISTERED = ("unregistered",)
