"""The check of a call's result, and the Decision about it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import RLock
from time import perf_counter, time
from typing import TYPE_CHECKING, Any, NamedTuple

from abs_shield.core import (
    Action,
    Coverage,
    Decision,
    Mode,
    Outcome,
    Subject,
    ToolCall,
)
from abs_shield.core.decision import NO_COVERAGE, make_clean_decision
from abs_shield.core.fork_safety import IMPORTING, new_id, renewed
from abs_shield.core.vocabularies import VERIFICATION
from abs_shield.errors import PolicyError, ShieldError
from abs_shield.policy import Policy, Verification
from abs_shield.policy.tool_declaration import LONGEST_NAME
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord, record_of
from abs_shield.shield.execution_outcome import IN_PARTS, UNKNOWN, ExecutionOutcome
from abs_shield.shield.internal_error import error_location
from abs_shield.shield.off_switch import NOT_JUDGED, SWITCH
from abs_shield.shield.result_ruling import (
    coverage_of,
    decision_fields,
    findings_of,
    suppression_filter,
)
from abs_shield.shield.tool_entry import Entry
from abs_shield.shield.tool_registry import Registry
from abs_shield.text.safe_display import escaped

if TYPE_CHECKING:
    from abs_shield.plan import ToolPlan
    from abs_shield.verification import VerificationEngine, VerificationResult

logger = logging.getLogger("abs_shield")

_FAILED = Coverage(Outcome.UNAVAILABLE, "the call failed")
_UNDECLARED = Coverage(Outcome.UNAVAILABLE, "the policy does not judge results")
_NO_RESULT = Coverage(
    Outcome.UNAVAILABLE, "no result: the host passed none, or a generator was not read to its end"
)
_IN_PARTS = Coverage(Outcome.UNAVAILABLE, "no single result: the generator yielded several items")
_UNTIMED = Coverage(Outcome.UNAVAILABLE, "the duration of the call is unknown")
_LONGEST_MS = 1e15  # about 30,000 years: only a broken clock shows this
_ToolEntry = Entry | PolicyError | None
"""A tool's entry; an error if its declaration is wrong; None if it is not registered."""


class CallResult(NamedTuple):
    """A call, its result and the outcome of its execution."""

    call: ToolCall
    arguments: Mapping[str, Any]
    value: Any
    execution: ExecutionOutcome
    session: Session


class ResultVerifier:
    """Judges the results of one Shield's calls with its verification engine."""

    def __init__(
        self, policy: Policy, registry: Registry, *, enforcement_off: Callable[[], bool]
    ) -> None:
        self._policy = policy
        self._registry = registry
        self._enforcement_off = enforcement_off
        self._engine: VerificationEngine | None = None
        self._lock = renewed(RLock())

    @property
    def engine(self) -> VerificationEngine | None:
        """The engine, created at its first use; None if the policy does not judge results."""
        if self._engine is None and self._policy.verification is not False:
            self._create_engine(self._policy.verification)
        return self._engine

    def _create_engine(self, declared: Verification) -> None:
        # Imported lazily, because it is slow. Under the lock, so that a forked child never has a
        # partially imported module.
        with IMPORTING:
            from abs_shield.verification import VerificationEngine

        with self._lock:
            if self._engine is None:
                self._engine = VerificationEngine.of(declared)

    def decide(self, returned: CallResult) -> Decision:
        """Judge the result of a call, and return the Decision under the policy."""
        begun, at = perf_counter(), time()
        call, session, execution = returned.call, returned.session, returned.execution
        record = record_of(session)
        entry = self._entry(call.name, record)
        plan = (
            entry.plan if isinstance(entry, Entry) else self._registry.unregistered_plan(call.name)
        )
        # Like a layer, verification may have its own mode for a tool.
        mode = Mode.AUDIT if self._enforcement_off() else plan.modes.get(VERIFICATION, plan.mode)
        reason = self._unjudged_reason(execution)
        fields: dict[str, Any] | None = None
        probability, retryable = None, True
        if reason is not None:
            coverage: Mapping[str, Coverage] = {VERIFICATION: reason}
        else:
            judged = self._verify(returned, plan, entry)
            if isinstance(judged, str):
                fields = self._error_fields(judged, mode, execution)
            else:
                coverage, probability = coverage_of(judged), judged.posterior
                retryable = not plan.writes
                findings = findings_of(judged, plan, mode, delivered=execution.delivered)
                if findings or judged.verdict != "accept":
                    fields = decision_fields(judged, mode, delivered=execution.delivered)
                    fields |= {"coverage": coverage, "findings": findings}
        elapsed_ms = (perf_counter() - begun) * 1e3
        decision = make_clean_decision(
            new_id(), Subject.RESULT, call.name, mode, self._policy.revision, at, elapsed_ms,
            NO_COVERAGE if fields else coverage, session.id, record.run_id, call.id, session.agent,
            session.model, probability, retryable,
        )  # fmt: skip
        return decision if fields is None else replace(decision, **fields)

    def _unjudged_reason(self, execution: ExecutionOutcome) -> Coverage | None:
        if SWITCH.off:
            return NOT_JUDGED
        if self._policy.verification is False:
            return _UNDECLARED
        if execution.error:
            return _FAILED
        if execution.judges is UNKNOWN:
            return _NO_RESULT
        if execution.judges is IN_PARTS:
            return _IN_PARTS
        ms = execution.elapsed_ms
        if ms is None:  # a host that does not time its tools
            return _UNTIMED
        # negative if the host's clock was set back; the engine rejects values that are not numbers
        return None if not isinstance(ms, (int, float)) or 0 <= ms < _LONGEST_MS else _UNTIMED

    def _entry(self, name: str, record: SessionRecord) -> _ToolEntry:
        try:
            return self._registry.entry_for(name, record)
        except PolicyError as error:
            return error

    def _verify(
        self, returned: CallResult, plan: ToolPlan, entry: _ToolEntry
    ) -> VerificationResult | str:
        """Return the engine's verdict on a result, or the text of an internal error."""
        call, execution, profile = returned.call, returned.execution, plan.tool.profile
        name, session = call.name[:LONGEST_NAME], returned.session
        record = record_of(session)
        try:
            # A wrong declaration is reported like any other error of the check.
            if isinstance(entry, PolicyError):
                raise entry
            engine = self._engine or self.engine
            assert engine is not None
            assert execution.elapsed_ms is not None
            # `is`: a tool that was compiled again may have another profile.
            if profile is not None and engine.profile(name) is not profile:
                engine.register_tool_profile(name, profile)
            injected = entry is not None and entry.binding is not None and entry.binding.injected
            # Equal arguments may have different results in different sessions.
            by_session = bool(injected) or self._registry.is_of_session(call.name, record)
            return engine.verify(
                name,
                args=returned.arguments,
                result=returned.value if execution.judges is None else execution.judges,
                execution_time_ms=execution.elapsed_ms,
                session_id=None if record.ephemeral else session.id,
                by_session=by_session,
                suppressed=suppression_filter(plan) if plan.suppress else None,
            )
        except Exception as error:
            # The package's own messages contain no values of a call; other exceptions may.
            text = str(error) if isinstance(error, ShieldError) else error_location(error)
            text = f"{VERIFICATION}: {text}"
            logger.error("abs_shield could not judge a result of `%s`: %s", escaped(name), text)
            return text

    def _error_fields(
        self, message: str, mode: Mode, execution: ExecutionOutcome
    ) -> dict[str, Any]:
        """
        Return the fields of a Decision after an internal error, which is not a verdict.

        Strict mode withholds an unjudged result, unless the caller already has it.
        """
        action = Action.FLAG if execution.delivered else Action.BLOCK
        if self._policy.on_error == "allow":
            action = Action.ALLOW
        would_block = action is Action.BLOCK
        return {
            "action": action,
            "would_block": would_block,
            "blocked": would_block and mode is Mode.STRICT,
            "coverage": {VERIFICATION: Coverage(Outcome.ERROR, message)},
            "errors": (message,),
        }


def is_recorded_separately(decision: Decision) -> bool:
    """
    Return whether a result needs a record of its own, besides that of the call.

    True if the result was judged, if its check failed, or if a generator yielded several items.
    """
    in_parts = decision.coverage.get(VERIFICATION) is _IN_PARTS
    return decision.probability is not None or bool(decision.errors) or in_parts
