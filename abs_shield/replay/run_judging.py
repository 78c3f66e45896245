"""Replay recorded runs: judge their calls in order, each with the events before it."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

from abs_shield.core import Decision, ToolCall
from abs_shield.core.events import Event, Proposed, Returned
from abs_shield.core.fork_safety import new_id
from abs_shield.policy import Policy, configure
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.recorded_turns import RunClock, Turn, turns
from abs_shield.replay.run_reader import Run, runs
from abs_shield.replay.toolsets import Toolsets
from abs_shield.session import Sessions
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.execution_outcome import ExecutionOutcome
from abs_shield.stores import MemoryStore
from abs_shield.text.failure_results import is_failure_result

_MAX_SHIELDS = 256  # each has compiled schemas; runs of one file have a few toolsets


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """
    One recorded call and its decision.

    Attributes:
        call_index: Counts the run's tool calls from 0.
        call_id: The call's recorded id, or None.
        executed: Whether the file has a result of it, including a failed one.
        refused: Whether its result reports a failure.
        source: The run's source.
        success: Whether the run succeeded; None if unknown.
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
    Shields of one policy in audit mode, one for each distinct set of tools.

    Args:
        policy: The policy; None for all layers, with what can be inferred from the tools.
    """

    def __init__(self, policy: Policy | None = None) -> None:
        self.policy = configure(mode="audit") if policy is None else policy.audited()
        # shared, as runs of one session may have different tools
        self._sessions = Sessions.within(self.policy.limits)
        self._firewalls: OrderedDict[str, Shield] = OrderedDict()

    def of(self, run: Run) -> Shield:
        """Return the Shield with the policy's and the run's tools; the policy's take precedence."""
        if run.toolset not in self._firewalls:
            self._firewalls[run.toolset] = self._create(run)
            if len(self._firewalls) > _MAX_SHIELDS:  # the least recently used one
                self._firewalls.popitem(last=False)
        self._firewalls.move_to_end(run.toolset)
        return self._firewalls[run.toolset]

    def forget(self) -> None:
        """Forget every session, so that later runs start anew."""
        self._sessions.clear()

    def _create(self, run: Run) -> Shield:
        # no hooks: recorded calls must not appear in live logs and metrics
        firewall = Shield(self.policy, store=MemoryStore(1), sessions=self._sessions, hooks=None)
        # a tool of a recorded run may be broken, which is a layer's error
        firewall.registry.add_uncompiled(run.tools)
        return firewall


def judge_run(run: Run, firewall: Shield) -> Iterator[Judged]:
    """Judge each call that *run* proposes as it would have been judged live."""
    judge = _RunJudge(run, firewall)
    for event in turns(run.events):
        if not isinstance(event, Turn):
            judge.record(event)
            continue
        for proposed, result in zip(event.proposals, event.results, strict=True):
            yield judge.judge(proposed, result)
        for late in event.rest:
            judge.record(late)


class _RunJudge:
    """
    Judges one run by its Shield.

    Recorded ids may be missing or reused, so each call is judged under a new id.
    """

    def __init__(self, run: Run, firewall: Shield) -> None:
        self._run = run
        self._firewall = firewall
        self._session = firewall.session(run.session_id)
        self._clock = RunClock.of(self._session, run.events)
        self._pending: dict[str, tuple[ToolCall, str]] = {}
        self._index = 0

    def judge(self, proposed: Proposed, result: Returned | None) -> Judged:
        """Judge a call, then record its result."""
        recorded = proposed.calls[0]
        # a new id, as a recorded one may occur twice
        call = ToolCall(recorded.name, recorded.arguments, new_id(), recorded.logprobs)
        self._clock.move(proposed.at)
        decision = self._firewall.check_call(call, session=self._session)
        if result is not None:
            self._record_result(call, result, decision.id)
        elif recorded.id:  # its result may come in a later message
            self._pending[recorded.id] = (call, decision.id)
        return self._judged(recorded, decision, result)

    def record(self, event: Event) -> None:
        """Record an event; a late result is assigned to its call."""
        self._clock.move(event.at)
        if isinstance(event, Returned) and event.call_id in self._pending:
            call, decision_id = self._pending.pop(event.call_id)
            self._record_result(call, event, decision_id)
        else:
            record_of(self._session).record_event(event)

    def _record_result(self, call: ToolCall, result: Returned, decision_id: str) -> None:
        self._clock.move(result.at)
        # a run file has neither durations nor withheld results: nothing to verify
        execution = ExecutionOutcome(0.0, result.error, decision_id=decision_id)
        self._firewall.lifecycle.add_result(
            call, result.value, session=self._session, execution=execution
        )

    def _judged(self, recorded: ToolCall, decision: Decision, result: Returned | None) -> Judged:
        index = self._index
        self._index += 1
        return Judged(
            run_id=self._run.run_id,
            call_index=index,
            call_id=recorded.id,
            call=recorded,
            # the recorded ids again, for the reader
            decision=replace(decision, call_id=recorded.id, run_id=self._run.run_id),
            executed=result is not None,
            refused=result is not None and (result.error or is_failure_result(result.value)),
            source=self._run.source,
            success=self._run.success,
        )


logger = logging.getLogger("abs_shield")


def replay(
    paths: Iterable[str | PathLike[str]],
    *,
    policy: Policy | None = None,
    toolsets: Mapping[str, Any] | None = None,
    on_bad_line: Callable[[BadLine], object] | None = None,
) -> Iterator[Judged]:
    """
    Judge every proposed call of every run in order, in audit mode.

    Args:
        paths: Run files, plain or gzip; ``"-"`` is standard input.
        policy: The policy; None for all layers, with what can be inferred from each run's tools.
        toolsets: Lists of tools by the name of the toolset, for runs that name one.
        on_bad_line: Called with each invalid line, which is skipped; None logs a warning.

    Raises:
        OSError: A file cannot be opened or read.
        ValueError: One of *toolsets* cannot be read.
        PolicyError: A tool of the policy is invalid, or a rule does not match one. A run's own tool
            does not raise: a problem with it is a layer's error, and a rule that does not match
            it is skipped.
    """
    firewalls = Firewalls(policy)
    all_toolsets = Toolsets(toolsets)
    for run in runs((fspath(path) for path in paths), all_toolsets):
        if not isinstance(run, BadLine):
            yield from judge_run(run, firewalls.of(run))
        elif on_bad_line is None:
            logger.warning("%s; skipped", run)
        else:
            on_bad_line(run)
