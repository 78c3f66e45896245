"""From one proposed call to its Decision: read, judged by every layer, weighed, counted."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter, time
from typing import Any

from abs_shield.core import Action, Decision, Subject, ToolCall
from abs_shield.core.arguments import Malformed
from abs_shield.core.ids import new_id
from abs_shield.core.logprobs import mean_logprob
from abs_shield.plan import Proposal, ToolPlan
from abs_shield.policy import Policy
from abs_shield.session import Session
from abs_shield.shield.approvals import Approvals, Key, digest
from abs_shield.shield.attempts import Attempts, count
from abs_shield.shield.judge import Fault, Judgement, judge, layers_of, place_of
from abs_shield.shield.registry import Registry, available
from abs_shield.shield.ruling import Ruling, rule_on
from abs_shield.shield.switch import KillSwitch

logger = logging.getLogger("abs_shield")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A call that was judged, and is not yet recorded, run or closed."""

    call: ToolCall
    arguments: Mapping[str, Any]
    session: Session
    decision: Decision
    nested: bool
    key: Key
    malformed: Malformed | None = None


class Bench:
    """Judges the calls of one Shield; keeps nothing of them but counts."""

    def __init__(self, policy: Policy, registry: Registry, approvals: Approvals) -> None:
        self.policy = policy
        self.registry = registry
        self.approvals = approvals
        self.switch = KillSwitch()
        self._layers = layers_of(policy)

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
        runs: bool = True,
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
            runs: Whether it is dispatched now, so that an approval is used up.
        """
        started = perf_counter()
        at = time()
        malformed = arguments if isinstance(arguments, Malformed) else None
        plain = {} if isinstance(arguments, Malformed) else arguments
        logprob = None
        try:
            plan, proposal = self._proposal(call, plain, malformed, session, siblings)
            logprob = proposal.logprob
            judgement = judge(self._layers, proposal, session, nested=nested)
        except Exception as error:
            logger.exception("abs_shield could not judge a call")
            plan = self.registry.unknown(call.name)
            judgement = Judgement([], {}, [Fault("door", place_of(error))])
        ruling = rule_on(judgement, plan, self.policy, opened=self.switch.opened(), at=at)
        judged = call.arguments if malformed is not None else plain
        key = self._key(call, judged, session, needed=ruling.would_block)
        if ruling.approval and self.approvals.take(key, keep=not runs):
            ruling = replace(ruling, approval="granted", action=Action.FLAG, blocked=False)
        attempts = count(
            session, call.name, key[2], self.policy.retries,
            blocked=ruling.blocked, approval=bool(ruling.approval), counted=counted,
        )  # fmt: skip
        decision = self._decision(
            known, call, session, ruling, judgement, attempts, plan, at=at, started=started
        )
        if known is None and logprob is not None and not nested:
            session.likelihoods.update(logprob)
        return Opened(
            call=call, arguments=plain, session=session, decision=decision, nested=nested, key=key,
            malformed=malformed,
        )  # fmt: skip

    def _proposal(
        self,
        call: ToolCall,
        arguments: dict[str, Any],
        malformed: Malformed | None,
        session: Session,
        siblings: tuple[ToolCall, ...],
    ) -> tuple[ToolPlan, Proposal]:
        names = self.registry if session.tools is None else available(self.registry, session.tools)
        registered = call.name in self.registry
        callable_here = registered and (session.tools is None or call.name in session.tools)
        known = self.registry[call.name].plan if callable_here else None
        plan = known or self.registry.unknown(call.name)
        logprob, fault = _confidence(call)
        judged = plan if callable_here or not len(self.registry) else None
        return plan, Proposal(
            call=call,
            arguments=arguments,
            malformed=malformed,
            tool=judged,
            available=names,
            threshold=self.policy.threshold,
            at=session.clock(),
            registered=registered and not callable_here,
            logprob=logprob,
            logprob_fault=fault,
            siblings=siblings,
            window=self.policy.window,
            owner=self.registry,
            unknown=_nobody if len(self.registry) else self.registry.unknown,
        )

    def _key(self, call: ToolCall, arguments: Any, session: Session, *, needed: bool) -> Key:
        if not needed:
            return ("", "", b"")
        scope = "" if session.ephemeral else session.id
        return (scope, call.name, digest(call.name, arguments))

    def _decision(
        self,
        known: str | None,
        call: ToolCall,
        session: Session,
        ruling: Ruling,
        judgement: Judgement,
        attempts: Attempts,
        plan: ToolPlan,
        *,
        at: float,
        started: float,
    ) -> Decision:
        return Decision(
            id=new_id() if known is None else known,
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
            errors=tuple(map(str, judgement.faults)),
            elapsed_ms=(perf_counter() - started) * 1000,
            session_id=session.id,
            run_id=session.run_id,
            call_id=call.id,
            agent=session.agent,
            model=session.model,
            retryable=attempts.retryable,
            attempts_left=attempts.left,
            approval=ruling.approval,
            notes=() if call.name in self.registry else ("unregistered",),
        )


def _nobody(tool: str) -> None:
    return None


def _confidence(call: ToolCall) -> tuple[float | None, str]:
    if call.logprobs is None:
        return None, ""
    try:
        return mean_logprob(call.name, call.logprobs), ""
    except ValueError as error:
        return None, str(error)
