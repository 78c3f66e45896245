"""From one proposed call to its Decision: read, judged by every layer, weighed, counted."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter, time
from typing import Any, NamedTuple

from abs_shield.core import Action, Decision, Subject, ToolCall
from abs_shield.core.arguments import Malformed, plain_size
from abs_shield.core.digest import digest_of
from abs_shield.core.ids import new_id
from abs_shield.core.logprobs import mean_logprob
from abs_shield.plan import Proposal, Terms, ToolPlan
from abs_shield.policy import Policy
from abs_shield.session import Session
from abs_shield.session.record import SessionRecord, record_of
from abs_shield.shield.approvals import Approvals, Key
from abs_shield.shield.attempts import UNBLOCKED, Attempts, count
from abs_shield.shield.dispatched import Dispatched, about_values
from abs_shield.shield.judge import Fault, Judgement, judge, layers_of, place_of
from abs_shield.shield.off import SWITCH, unjudged
from abs_shield.shield.overrides import NOTE
from abs_shield.shield.quick import QuickWay, are_quick
from abs_shield.shield.registry import Registry, available, plans_of
from abs_shield.shield.ruling import Ruling, rule_on
from abs_shield.shield.signature import Binding
from abs_shield.shield.switch import KillSwitch

logger = logging.getLogger("abs_shield")
_MOST_QUICK = 10_000
"""Compiled tools whose short way is kept; it takes some hundred bytes beside its plan."""


class Opened(NamedTuple):
    """
    A call that was judged, and is not yet recorded, run or closed.

    Attributes:
        arguments: Its arguments as they were judged: JSON.
        raw: What the tool gets in their place, where the caller gave other Python values.
        inside: The call whose tool passes on values that the model wrote; None where none does.
    """

    call: ToolCall
    arguments: Mapping[str, Any]
    session: Session
    decision: Decision
    nested: bool
    key: Key
    malformed: Malformed | None = None
    size: int = -1
    raw: Mapping[str, Any] | None = None
    inside: Dispatched | None = None


class Bench:
    """Judges the calls of one Shield; keeps nothing of them but counts."""

    def __init__(self, policy: Policy, registry: Registry, approvals: Approvals) -> None:
        self.policy = policy
        self.registry = registry
        self.approvals = approvals
        self.switch = KillSwitch()
        self._layers = layers_of(policy)
        self._terms = Terms(
            threshold=policy.threshold, window=policy.window, owner=registry,
            converts=policy.coercible == "flag", requires_schemas=policy.on_error == "block",
            plans=lambda record: plans_of(registry.tools_of(record)),
        )  # fmt: skip
        self._hurries = are_quick(self._layers)
        self._quick: dict[int, QuickWay] = {}

    def judged(
        self,
        call: ToolCall,
        arguments: dict[str, Any] | Malformed,
        session: Session,
        *,
        siblings: tuple[ToolCall, ...],
        nested: bool,
        known: str | None,
        counted: bool = False,
        later: frozenset[str] = frozenset(),
        runs: bool = True,
        binding: Binding | None = None,
        changed: bool = False,
        inside: Dispatched | None = None,
    ) -> Opened:
        """
        Judge one call.

        Args:
            call: The call as the model wrote it.
            arguments: Its arguments as read, or why they could not be.
            session: The run it belongs to; its lock is held.
            siblings: Calls proposed before it in the same turn.
            nested: Whether another shielded tool calls it from code.
            known: Id of the Decision that a judgement of the same call has already.
            counted: Whether that judgement blocked it, so that an attempt is spent already.
            later: Ids of the calls proposed behind it in the same turn.
            runs: Whether it is dispatched now, so that an approval is used up.
            binding: The decorated function that Python calls; None of a call by name.
            changed: Whether the host changed it, so that it is not as the model wrote it.
            inside: The call whose tool makes this one, where it is nested.
        """
        if not (siblings or nested or changed) and type(arguments) is dict:
            opened = self._at_once(call, arguments, session, known, binding)
            if opened is not None:
                return opened
        started = perf_counter()
        at = time()
        malformed, plain = None, arguments
        if isinstance(plain, Malformed):
            malformed, plain = plain, {}
        if SWITCH.off:
            decision = unjudged(call, session, self.policy, known=known)
            return Opened(call, plain, session, decision, nested, _NO_KEY, malformed)
        logprob, size = None, -1
        passed_on: frozenset[str] = frozenset()
        try:
            size = plain_size(plain)
            found = self._plan(call.name, record_of(session), binding, nested=nested)
            proposal = self._proposal(
                call, plain, malformed, session, siblings, found, nested=nested
            )
            proposal.plain, proposal.later = size >= 0, later
            plan = proposal.tool or self.registry.unknown(call.name)
            logprob = proposal.logprob
            if inside is not None and binding is not None:
                passed_on = inside.values_in(plain, binding, self.registry)
            judgement = judge(
                self._layers, proposal, session, nested=nested, changed=changed,
                passed_on=passed_on,
            )  # fmt: skip
            if inside is not None and passed_on:
                judgement.findings = about_values(judgement.findings, passed_on, inside)
        except Exception as error:
            logger.exception("abs_shield could not judge a call")
            plan = self.registry.unknown(call.name)
            judgement = Judgement([], {}, [Fault("door", place_of(error))])
        ruling = rule_on(judgement, plan, self.policy, opened=self.switch.opened(), at=at)
        key, attempts = _NO_KEY, UNBLOCKED
        if ruling.would_block:
            key = self._key(call, call.arguments if malformed is not None else plain, session)
            ruling, attempts = self._stopped(ruling, key, session, counted=counted, runs=runs)
        if known is None and logprob is not None and not nested:
            record_of(session).likelihoods.update(logprob)
        decision = self._decision(known, call, session, ruling, judgement, attempts, at, started)
        if changed:
            decision = replace(decision, notes=(*decision.notes, NOTE))
        return Opened(
            call, plain, session, decision, nested, key, malformed, size,
            inside=inside if passed_on else None,
        )  # fmt: skip

    def _plan(
        self, name: str, record: SessionRecord, binding: Binding | None, *, nested: bool
    ) -> ToolPlan | None:
        """Return the plan by which a call of a session is judged; None of an unknown tool."""
        tools = self.registry.tools_of(record)
        if binding is None:
            return tools.plan(name)
        return self.registry.plan_of(binding, tools, nested=nested)

    def _at_once(
        self,
        call: ToolCall,
        arguments: dict[str, Any],
        session: Session,
        known: str | None,
        binding: Binding | None,
    ) -> Opened | None:
        """
        Judge a call that every layer finds clean at once; None where they have to look.

        Args:
            call: The call as the model wrote it; no other one was proposed in its turn.
            arguments: Its arguments as read.
            session: The run it belongs to; its lock is held.
            known: Id of the Decision that a judgement of the same call has already.
            binding: The decorated function that Python calls; None of a call by name.
        """
        started, at, name = perf_counter(), time(), call.name
        if SWITCH.off or (session.tools is not None and name not in session.tools):
            return None
        record = record_of(session)
        try:
            plan = self._plan(name, record, binding, nested=False)
            quick = self._quick.get(id(plan))
            if quick is None:
                quick = self._quick_way(plan)
            if quick is None or (size := quick.size(arguments)) < 0:
                return None
            logprob = None if call.logprobs is None else mean_logprob(name, call.logprobs)
            coverage = quick.coverage(arguments, record, logprob)
        except Exception:  # what breaks here breaks again where it is told of
            return None
        if coverage is None:
            return None
        if known is None and logprob is not None:
            record.likelihoods.update(logprob)
        fields = {
            "id": known or new_id(),
            "at": at,
            "coverage": coverage,
            "session_id": session.id,
            "run_id": record.run_id,
            "call_id": call.id,
            "agent": session.agent,
            "model": session.model,
            "elapsed_ms": (perf_counter() - started) * 1000,
        } | (quick.opened if self.switch.opened() else quick.decided)
        return Opened(call, arguments, session, Decision.of(fields), False, _NO_KEY, None, size)

    def _quick_way(self, plan: ToolPlan | None) -> QuickWay | None:
        """Compile the short way of a registered tool; None where there is none."""
        if plan is None or not self._hurries:
            return None
        if len(self._quick) >= _MOST_QUICK:
            self._quick.clear()
        # a plan that is kept here keeps its id
        quick = self._quick[id(plan)] = QuickWay(plan, self._layers, self.policy, self._terms)
        return quick

    def _stopped(
        self, ruling: Ruling, key: Key, session: Session, *, counted: bool, runs: bool
    ) -> tuple[Ruling, Attempts]:
        """Use up an approval, or count the attempt."""
        if ruling.approval and self.approvals.take(key, keep=not runs):
            ruling = replace(ruling, approval="granted", action=Action.FLAG, blocked=False)
        if not ruling.blocked:
            return ruling, UNBLOCKED
        waits = bool(ruling.approval)
        return ruling, count(session, key, self.policy.retries, waits=waits, counted=counted)

    def _proposal(
        self,
        call: ToolCall,
        arguments: dict[str, Any],
        malformed: Malformed | None,
        session: Session,
        siblings: tuple[ToolCall, ...],
        plan: ToolPlan | None,
        *,
        nested: bool,
    ) -> Proposal:
        tools = self.registry.of(session)
        names: Mapping[str, Any] = tools
        registered = False
        if session.tools is not None:
            names = available(tools, session.tools)
            # what the model may call says nothing of what a tool's own code calls
            registered = plan is not None and not nested and call.name not in session.tools
        if registered:
            plan = None
        elif plan is None:
            plan = tools.unnamed(call.name)
        logprob, fault = (None, "") if call.logprobs is None else _confidence(call)
        return Proposal(
            call, arguments, malformed, plan, names, record_of(session).clock(), self._terms,
            registered, siblings, logprob, fault, plans=plans_of(tools),
        )  # fmt: skip

    def _key(self, call: ToolCall, arguments: Any, session: Session) -> Key:
        scope = "" if record_of(session).ephemeral else session.id
        return (scope, call.name, digest_of(call.name, arguments))

    def _decision(
        self,
        known: str | None,
        call: ToolCall,
        session: Session,
        ruling: Ruling,
        judgement: Judgement,
        attempts: Attempts,
        at: float,
        started: float,
    ) -> Decision:
        fields = {
            "id": known or new_id(),
            "subject": Subject.CALL,
            "tool": call.name,
            "verdict": ruling.verdict,
            "action": ruling.action,
            "mode": ruling.mode,
            "blocked": ruling.blocked,
            "would_block": ruling.would_block,
            "policy_revision": self.policy.revision,
            "at": at,
            "coverage": judgement.coverage,
            "elapsed_ms": (perf_counter() - started) * 1000,
            "session_id": session.id,
            "run_id": session.run_id,
            "call_id": call.id,
            "agent": session.agent,
            "model": session.model,
        }
        if call.name not in self.registry.of(session):
            fields["notes"] = _UNREGISTERED
        if judgement.findings or judgement.faults:
            fields["findings"] = ruling.findings
            fields["errors"] = tuple(map(str, judgement.faults))
            fields["approval"] = ruling.approval
            fields["retryable"], fields["attempts_left"] = attempts
        return Decision.of(fields)


_NO_KEY: Key = ("", "", b"")
_UNREGISTERED = ("unregistered",)


def _confidence(call: ToolCall) -> tuple[float | None, str]:
    try:
        return mean_logprob(call.name, call.logprobs), ""
    except ValueError as error:
        return None, str(error)
