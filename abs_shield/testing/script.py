"""Scripted sessions: messages, calls and results played against a real Shield."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from abs_shield.core import ToolCall
from abs_shield.core.events import Event, Returned
from abs_shield.core.fork_safety import new_id
from abs_shield.errors import CallBlocked, ResultBlocked, ShieldError
from abs_shield.policy import Policy
from abs_shield.replay.recorded_turns import RunClock, Turn
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.execution_outcome import ExecutionOutcome
from abs_shield.shield.tool_registry import runner
from abs_shield.testing.decision_list import Decisions
from abs_shield.testing.expectations import shield_of
from abs_shield.testing.script_steps import ScriptedCall, ScriptItem, Step, script_items
from abs_shield.text.safe_display import escaped, shown


class ScriptRunner:
    """A session of a Shield that plays a script, with the decisions of its calls so far."""

    def __init__(self, firewall: Shield, session: Session | None) -> None:
        if not isinstance(session, Session | None):
            raise ShieldError(f"`session` is {shown(session)}; open one with `firewall.session()`")
        self.session = firewall.session() if session is None else session
        self.decisions = Decisions()
        self._firewall = firewall
        self._pending: dict[str, ToolCall] = {}
        self._clock: RunClock | None = None

    def play(self, items: Sequence[ScriptItem]) -> Iterator[ToolCall]:
        """Play the items; yield each call whose registered function has to be dispatched."""
        # of all items, before the first is played: the clock starts at the earliest time
        events = [event for item in items for event in _events(item)]
        # a script without times runs at the time of today, like a live session
        if any(event.at is not None for event in events):
            self._clock = RunClock.of(self.session, events)
        for item in items:
            match item:
                case ScriptedCall():
                    yield from self._run_scripted_call(item)
                case Turn():
                    self._replay_turn(item)
                case _:
                    self._take(item)

    def dispatch(self, call: ToolCall) -> None:
        """Run the registered function of a call; a generator to its end."""
        # a block is a decision to return, not an error of the script
        with suppress(CallBlocked, ResultBlocked):
            value = self._firewall.dispatch(
                call.name, call.arguments, call_id=call.id, session=self.session
            )
            if inspect.isasyncgen(value):
                raise ShieldError(f"tool `{escaped(call.name)}` is async; use `ascripted`")
            if inspect.isgenerator(value):
                list(value)  # a generator's result is judged when it ends
        self._add_decision(call)

    async def adispatch(self, call: ToolCall) -> None:
        """Run the registered function of a call, async or not."""
        with suppress(CallBlocked, ResultBlocked):
            value = await self._firewall.adispatch(
                call.name, call.arguments, call_id=call.id, session=self.session
            )
            if inspect.isasyncgen(value):
                async for _ in value:
                    pass
            elif inspect.isgenerator(value):
                list(value)
        self._add_decision(call)

    def _run_scripted_call(self, item: ScriptedCall) -> Iterator[ToolCall]:
        # an id connects the decision, the pending call and a late result
        call = item.call if item.call.id else replace(item.call, id=new_id())
        # before the judgement, as a layer may compare the calls of one turn
        self._firewall.inspect_turn([call], session=self.session)
        tools = self._firewall.registry.of(self.session)
        if item.result is None and runner(tools.get(call.name)) is not None:
            yield call
        else:
            self._check(call, item.result)

    def _replay_turn(self, turn: Turn) -> None:
        calls = [proposed.calls[0] for proposed in turn.proposals]
        calls = [call if call.id else replace(call, id=new_id()) for call in calls]
        self._advance_clock(turn.proposals)
        self._firewall.inspect_turn(calls, session=self.session)
        for call, returned in zip(calls, turn.results, strict=True):
            self._check(call, returned)
        for late in turn.rest:
            self._take(late)

    def _check(self, call: ToolCall, returned: Returned | None) -> None:
        decision = self._firewall.check_call(call, session=self.session)
        self.decisions.append(decision)
        if decision.blocked:
            return
        if returned is None:
            self._pending[call.id or ""] = call  # its result may be a later message
        else:
            self._return_value(call, returned)

    def _return_value(self, call: ToolCall, returned: Returned) -> None:
        self._advance_clock([returned])
        # no function ran, so there is no result to verify and no time was measured
        execution = ExecutionOutcome(0.0, returned.error)
        self._firewall.lifecycle.add_result(
            call, returned.value, session=self.session, execution=execution
        )

    def _take(self, event: Event) -> None:
        self._advance_clock([event])
        if isinstance(event, Returned) and event.call_id in self._pending:
            self._return_value(self._pending.pop(event.call_id), event)
        else:
            record_of(self.session).record_event(event)

    def _advance_clock(self, events: Iterable[Event]) -> None:
        for event in events:
            if self._clock is not None:
                self._clock.move(event.at)

    def _add_decision(self, call: ToolCall) -> None:
        """Add the newest decision with the call's id; nested calls have no id."""
        # newest first: a script may use one id again
        newest_first = reversed(self.session.decisions)
        self.decisions.append(
            next(decision for decision in newest_first if decision.call_id == call.id)
        )


def _events(item: ScriptItem) -> Iterable[Event]:
    match item:
        case ScriptedCall():
            return () if item.result is None else (item.result,)
        case Turn():
            return (*item.proposals, *filter(None, item.results), *item.rest)
        case _:
            return (item,)


def scripted(
    firewall: Shield | Policy, steps: Iterable[Step], *, session: Session | None = None
) -> Decisions:
    """
    Play *steps* in order, and return one decision for each call.

    A ``call(...)`` is judged like the model's. A following ``result(...)`` is its result; without
    one its registered function runs, and its exceptions propagate. Calls inside messages never
    run a function, as their results are in the messages. A blocked call has no result.

    Args:
        firewall: The Shield, or the policy that the tools were decorated with.
        steps: Values of `user`, `system`, `assistant`, `call` and `result`, a `ToolCall`, or
            messages in any provider's shape.
        session: The session to continue; None for a new one.

    Raises:
        UnreadableMessage: A step has an unknown shape.
        ShieldError: A function is async; use `ascripted`.

    >>> from abs_shield import Shield, Tool, shield
    >>> from abs_shield.testing import call, scripted, user
    >>> firewall = Shield(shield.configure(tools=[Tool(name="refund")]), hooks=None)
    >>> scripted(firewall, [user("Refund tx_1!"), call("refund", id="tx_1"), call("refnud")])
    [refund: allowed; refnud: blocked (phantom_tool unknown_tool at /name)]
    """
    runner, items = ScriptRunner(shield_of(firewall), session), script_items(steps)
    with runner.session:
        for call in runner.play(items):
            runner.dispatch(call)
    return runner.decisions


async def ascripted(
    firewall: Shield | Policy, steps: Iterable[Step], *, session: Session | None = None
) -> Decisions:
    """Play *steps* as `scripted` does, with async functions and approvers as well."""
    runner, items = ScriptRunner(shield_of(firewall), session), script_items(steps)
    async with runner.session:
        for call in runner.play(items):
            await runner.adispatch(call)
    return runner.decisions
