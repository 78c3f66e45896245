"""Judges the calls of a recorded run in order, each with what came before it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from abs_shield.core import Decision, ToolCall
from abs_shield.core.events import Event, Proposed, Returned
from abs_shield.core.ids import new_id
from abs_shield.policy import Policy, configure
from abs_shield.replay.recorded_turns import Turn, turns
from abs_shield.replay.run_clock import RunClock
from abs_shield.replay.runs import Run
from abs_shield.session import Sessions
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.ran import Ran
from abs_shield.stores import MemoryStore
from abs_shield.text.failure import tells_failure

_KEPT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """
    One recorded call and what was decided about it.

    Attributes:
        call_index: Counts the run's tool calls from 0.
        call_id: The call's id as recorded; None where there was none.
        executed: Whether the file holds a result of it, a failed one included.
        refused: Whether the result that followed it tells of a failure.
        source: The run's source.
        success: Whether the run ended well; None where nobody knows.
    """

    run_id: str
    call_index: int
    call_id: str | None
    call: ToolCall
    decision: Decision
    executed: bool
    refused: bool = False
    source: str = ""
    success: bool | None = None


class Firewalls:
    """
    One `Shield` for each distinct set of tools, all of one policy in audit mode.

    Args:
        policy: None for all layers with what can be inferred from the tools.
    """

    def __init__(self, policy: Policy | None = None) -> None:
        self.policy = configure(mode="audit") if policy is None else policy.audited()
        self._sessions = Sessions.within(self.policy.limits)
        self._firewalls: OrderedDict[str, Shield] = OrderedDict()

    def of(self, run: Run) -> Shield:
        """
        Return the Shield that knows the policy's tools and the run's; the policy's tool wins.
        """
        if run.toolset not in self._firewalls:
            self._firewalls[run.toolset] = self._made(run)
            if len(self._firewalls) > _KEPT:
                self._firewalls.popitem(last=False)
        self._firewalls.move_to_end(run.toolset)
        return self._firewalls[run.toolset]

    def forget(self) -> None:
        """Forget every session: whatever comes next begins anew."""
        self._sessions.clear()

    def _made(self, run: Run) -> Shield:
        # yesterday's calls are no news to today's logs and metrics: no hooks
        firewall = Shield(self.policy, store=MemoryStore(1), sessions=self._sessions, hooks=None)
        for tool in run.tools:
            firewall.register(tool, tolerant=True)
        return firewall


def judge_run(run: Run, firewall: Shield) -> Iterator[Judged]:
    """Judge each call that *run* proposes as it would have been judged live."""
    bench = _Bench(run, firewall)
    for event in turns(run.events):
        if not isinstance(event, Turn):
            bench.take(event)
            continue
        for proposed, result in zip(event.proposals, event.results, strict=True):
            yield bench.judge(proposed, result)
        for late in event.rest:
            bench.take(late)


class _Bench:
    """
    One run before its Shield.

    Recorded ids may be missing or used again, so each call is judged under one of our own.
    """

    def __init__(self, run: Run, firewall: Shield) -> None:
        self._run = run
        self._firewall = firewall
        self._session = firewall.session(run.session_id)
        self._clock = RunClock.of(self._session, run.events)
        self._unanswered: dict[str, tuple[ToolCall, str]] = {}
        self._index = 0

    def judge(self, proposed: Proposed, result: Returned | None) -> Judged:
        """Judge a call, and then take its result as that of a call that ran."""
        recorded = proposed.calls[0]
        call = ToolCall(recorded.name, recorded.arguments, new_id(), recorded.logprobs)
        self._clock.move(proposed.at)
        decision = self._firewall.check_call(call, session=self._session)
        if result is not None:
            self._close(call, result, decision.id)
        elif recorded.id:
            self._unanswered[recorded.id] = (call, decision.id)
        return self._judged(recorded, decision, result)

    def take(self, event: Event) -> None:
        """Take what somebody said; a result that comes late goes to its call."""
        self._clock.move(event.at)
        if isinstance(event, Returned) and event.call_id in self._unanswered:
            call, decision_id = self._unanswered.pop(event.call_id)
            self._close(call, event, decision_id)
        else:
            record_of(self._session).take(event)

    def _close(self, call: ToolCall, result: Returned, decision_id: str) -> None:
        self._clock.move(result.at)
        # a run file tells neither how long a call took nor what was withheld: nothing to verify
        ran = Ran(0.0, result.error, decision_id=decision_id)
        self._firewall.lifecycle.take(call, result.value, session=self._session, ran=ran)

    def _judged(self, recorded: ToolCall, decision: Decision, result: Returned | None) -> Judged:
        index = self._index
        self._index += 1
        return Judged(
            run_id=self._run.run_id,
            call_index=index,
            call_id=recorded.id,
            call=recorded,
            decision=replace(decision, call_id=recorded.id, run_id=self._run.run_id),
            executed=result is not None,
            refused=result is not None and (result.error or tells_failure(result.value)),
            source=self._run.source,
            success=self._run.success,
        )
