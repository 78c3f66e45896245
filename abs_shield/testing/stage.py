"""Lets a script happen: everybody's words are heard, every call is judged by the real door."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from abs_shield.core import ToolCall
from abs_shield.core.events import Event, Returned
from abs_shield.core.ids import new_id
from abs_shield.errors import CallBlocked, ResultBlocked, ShieldError
from abs_shield.replay.recorded_turns import Turn
from abs_shield.replay.run_clock import RunClock
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.ran import Ran
from abs_shield.shield.registry import runner
from abs_shield.testing.decisions import Decisions
from abs_shield.testing.staging import Live, Scene
from abs_shield.text.show import escaped, shown


class Stage:
    """One session of one Shield, and the decisions of its calls so far."""

    def __init__(self, firewall: Shield, session: Session | None) -> None:
        if not isinstance(session, Session | None):
            raise ShieldError(f"`session` is {shown(session)}; open one with `firewall.session()`")
        self.session = firewall.session() if session is None else session
        self.decisions = Decisions()
        self._firewall = firewall
        self._unanswered: dict[str, ToolCall] = {}
        self._clock: RunClock | None = None

    def play(self, scenes: Sequence[Scene]) -> Iterator[ToolCall]:
        """Let the scenes happen; give each call whose real function has to be dispatched."""
        events = [event for scene in scenes for event in _events(scene)]
        if any(event.at is not None for event in events):
            self._clock = RunClock.of(self.session, events)
        for scene in scenes:
            match scene:
                case Live():
                    yield from self._made(scene)
                case Turn():
                    self._told(scene)
                case _:
                    self._take(scene)

    def dispatch(self, call: ToolCall) -> None:
        """Run the real function of a call; a generator to its end."""
        with suppress(CallBlocked, ResultBlocked):
            value = self._firewall.dispatch(
                call.name, call.arguments, call_id=call.id, session=self.session
            )
            if inspect.isasyncgen(value):
                raise ShieldError(f"tool `{escaped(call.name)}` is async; use `ascripted`")
            if inspect.isgenerator(value):
                list(value)
        self._decided(call)

    async def adispatch(self, call: ToolCall) -> None:
        """As `dispatch`, for async functions too."""
        with suppress(CallBlocked, ResultBlocked):
            value = await self._firewall.adispatch(
                call.name, call.arguments, call_id=call.id, session=self.session
            )
            if inspect.isasyncgen(value):
                async for _ in value:
                    pass
            elif inspect.isgenerator(value):
                list(value)
        self._decided(call)

    def _made(self, scene: Live) -> Iterator[ToolCall]:
        call = scene.call if scene.call.id else replace(scene.call, id=new_id())
        self._firewall.inspect_turn([call], session=self.session)
        tools = self._firewall.registry.of(self.session)
        if scene.result is None and runner(tools.get(call.name)) is not None:
            yield call
        else:
            self._judge(call, scene.result)

    def _told(self, turn: Turn) -> None:
        calls = [proposed.calls[0] for proposed in turn.proposals]
        calls = [call if call.id else replace(call, id=new_id()) for call in calls]
        self._move(turn.proposals)
        self._firewall.inspect_turn(calls, session=self.session)
        for call, returned in zip(calls, turn.results, strict=True):
            self._judge(call, returned)
        for late in turn.rest:
            self._take(late)

    def _judge(self, call: ToolCall, returned: Returned | None) -> None:
        decision = self._firewall.check_call(call, session=self.session)
        self.decisions.append(decision)
        if decision.blocked:
            return
        if returned is None:
            self._unanswered[call.id or ""] = call
        else:
            self._answer(call, returned)

    def _answer(self, call: ToolCall, returned: Returned) -> None:
        self._move([returned])
        ran = Ran(0.0, returned.error)  # nobody ran it: there is nothing to verify
        self._firewall.lifecycle.take(call, returned.value, session=self.session, ran=ran)

    def _take(self, event: Event) -> None:
        self._move([event])
        if isinstance(event, Returned) and event.call_id in self._unanswered:
            self._answer(self._unanswered.pop(event.call_id), event)
        else:
            record_of(self.session).take(event)

    def _move(self, events: Iterable[Event]) -> None:
        for event in events:
            if self._clock is not None:
                self._clock.move(event.at)

    def _decided(self, call: ToolCall) -> None:
        """Keep the newest decision under that call's id: calls from inside have none."""
        made = reversed(self.session.decisions)
        self.decisions.append(next(decision for decision in made if decision.call_id == call.id))


def _events(scene: Scene) -> Iterable[Event]:
    match scene:
        case Live():
            return () if scene.result is None else (scene.result,)
        case Turn():
            return (*scene.proposals, *filter(None, scene.results), *scene.rest)
        case _:
            return (scene,)
