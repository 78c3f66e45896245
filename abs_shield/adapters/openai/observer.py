"""One run of the tool runner as its session sees it: requests, responses, and blocked calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from operator import is_
from threading import Lock
from typing import Any

from abs_shield.adapters.answers import Sent
from abs_shield.adapters.openai.items import (
    KEPT_PROMPT,
    call_id,
    call_of,
    hear_hosted,
    is_call,
    unseen,
)
from abs_shield.core import ToolCall
from abs_shield.core.forked import renewed
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.guard import Guard
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import feedback_text

_PARTS = ("call_id", "name", "arguments")
_COMPACTED = ("Caller summary of omitted", "Omitted completed tool receipts: ")
"""How the SDK begins the messages that it writes where its host leaves out results."""


class RunObserver:
    """
    What is known of one run: its session, and the decisions about the response at hand.

    The runner ends a run at a call that it cannot run: of an unknown tool, or with arguments that
    it cannot read. Where such a call is blocked, the runner is given a call of *placeholder* in
    its place, which it answers with feedback; the model and the host see the call as it was.

    Args:
        runner: The runner of this run.
        firewall: The Shield.
        session: The session; None for the current one, or a new one.
        placeholder: The name of a registered tool that the model is not offered; None where a
            call that cannot run ends the run, as it does without a Shield.
        opening: The input of the run, where the SDK may leave out some of it; else None.
    """

    def __init__(
        self,
        runner: Any,
        *,
        firewall: Shield,
        session: Session | None,
        placeholder: str | None,
        opening: Iterable[Any] | None = None,
    ) -> None:
        self.firewall = firewall
        self.placeholder = placeholder
        self._functions = runner._functions
        self._names = {tool.get("name") for tool in runner._tools} - {None, placeholder}
        self._opening = opening
        self._seam = Seam(firewall, session)
        self._session: Session | None = None
        self._judged: set[str | None] = set()
        self._running: list[ToolCall] = []
        self._originals: dict[str | None, Any] = {}
        self._feedback: dict[str | None, str] = {}
        self._lock = renewed(Lock())

    # Requests ------------------------------------------------------------------------------------

    def request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Take in a request, and return it as the model is to be sent it."""
        sent = dict(request)
        if self.placeholder is not None:
            sent["tools"] = [t for t in sent["tools"] if t.get("name") != self.placeholder]
        if self._originals:
            sent["input"] = [self._written(item) for item in sent["input"]]
        if self._session is None:
            self._session = self._seam.session(model=sent.get("model"))
            self._hear(sent, self._opening or ())
        self._judged.clear()
        self._seam.offer(self._session, sent.get("tools") or ())
        self._hear(sent, sent.get("input") or ())
        record_of(self._session).derive(Sent).messages = sent.get("input") or ()
        if sent.get("prompt"):
            unseen(self._session, KEPT_PROMPT)
        return sent

    def _hear(self, request: Mapping[str, Any], items: Iterable[Any]) -> None:
        instructions = request.get("instructions")
        system = [{"role": "system", "content": instructions}] if instructions else []
        given = [item for item in items if self._opening is None or not _is_summary(item)]
        if given and self._session is not None:
            self._seam.hear(self._session, [*system, *given])

    def _written(self, item: Any) -> Any:
        """Return an item as the model wrote it."""
        known = self._originals.get(item.get("call_id")) if isinstance(item, Mapping) else None
        if known is None or item.get("type") != "function_call":
            return item
        if "namespace" in item:
            item = {**item, "namespace": known.namespace}
        return {**item, "name": known.name, "arguments": known.arguments}

    # Responses -----------------------------------------------------------------------------------

    def response(self, response: Any) -> Any:
        """Judge the calls of a response, and return it as the runner can go on with it."""
        output = getattr(response, "output", None)
        if not isinstance(output, list):
            return response
        runnable = self.judged(output)
        return response if runnable is None else response.model_copy(update={"output": runnable})

    def judged(self, items: list[Any]) -> list[Any] | None:
        """Judge the calls that were not judged yet; return other items where some cannot run."""
        session = self._session
        if session is None:
            return None
        for item in items:
            hear_hosted(item, session)
        with self._lock:  # an eager call may begin at this moment, in another thread
            fresh = [item for item in items if is_call(item) and call_id(item) not in self._judged]
            self._judged |= {call_id(item) for item in fresh}
            calls = [call_of(item) for item in fresh]
            decisions = self.firewall.inspect_turn(calls, session=session)
        for item, decision in zip(fresh, decisions, strict=True):
            if decision.blocked and self._is_answerable(item):
                self._originals[call_id(item)] = item
                self._feedback[call_id(item)] = feedback_text(decision)
        replaced = [self._replaced(item) for item in items]
        return None if all(map(is_, items, replaced)) else replaced

    def can_run(self, item: Any) -> bool:
        """Return whether the runner itself would run a call."""
        name = getattr(item, "name", None)
        if not isinstance(name, str) or name not in self._names:
            return False
        function = self._functions.get(name)
        return function is None or _is_readable(function, getattr(item, "arguments", None))

    def _is_answerable(self, item: Any) -> bool:
        """Return whether the model can be shown a call that would end the run."""
        whole = all(isinstance(getattr(item, part, None), str) for part in _PARTS)
        return self.placeholder is not None and whole and not self.can_run(item)

    def _replaced(self, item: Any) -> Any:
        if not is_call(item) or call_id(item) not in self._originals:
            return item
        update = {"name": self.placeholder, "arguments": "{}"}
        if getattr(item, "namespace", None) is not None:
            update["namespace"] = self.placeholder
        return item.model_copy(update=update)

    def restored(self, shown: Any) -> Any:
        """Return an item, a response, an event or a turn as the model wrote it."""
        if not self._originals:
            return shown
        if is_call(shown):
            replaced = shown.name == self.placeholder
            return self._originals.get(call_id(shown), shown) if replaced else shown
        for part in ("item", "response"):
            if (inner := getattr(shown, part, None)) is not None:
                return _with(shown, part, self.restored(inner))
        output = getattr(shown, "output", None)
        if not isinstance(output, list):
            return shown
        items = [self.restored(item) for item in output]
        return shown if all(map(is_, items, output)) else _with(shown, "output", items)

    # Calls ---------------------------------------------------------------------------------------

    def feedback(self, item: Any) -> str | None:
        """Return what a call is answered with that the runner cannot run; None of any other."""
        return self._feedback.get(call_id(item))

    def guard(self, item: Any) -> Guard:
        """Stand around a call that runs now; an eager one may run before its turn is judged."""
        call = call_of(item)
        with self._lock:
            siblings = () if call.id in self._judged else tuple(self._running)
            self._judged.add(call.id)
        return self.firewall.guard(call, session=self._session, siblings=siblings)

    @contextmanager
    def running(self, item: Any) -> Iterator[None]:
        """Stand around the tool itself: what begins meanwhile runs beside it."""
        call = call_of(item)
        with self._lock:
            self._running.append(call)
        try:
            yield
        finally:
            with self._lock:
                self._running.remove(call)

    @contextmanager
    def step(self) -> Iterator[None]:
        """End the run where its next turn does not come."""
        try:
            yield
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """The run is over: what was proposed and never dispatched is logged."""
        if self._session is not None:
            record_of(self._session).settle()


def _is_summary(item: Any) -> bool:
    content = item.get("content") if isinstance(item, Mapping) else None
    return isinstance(content, str) and content.startswith(_COMPACTED)


def _with(shown: Any, part: str, value: Any) -> Any:
    """Return a copy with another part; the same object where the part is the same."""
    if getattr(shown, part) is value:
        return shown
    if is_dataclass(shown) and not isinstance(shown, type):
        return replace(shown, **{part: value})
    return shown.model_copy(update={part: value})


def _is_readable(function: Any, arguments: Any) -> bool:
    model = getattr(getattr(function, "_parsed_tool", None), "model", None)
    try:
        if model is not None:
            model.model_validate_json(arguments)
            return True
        return isinstance(json.loads(arguments), dict)
    except Exception:  # a model of the host's may raise what it likes
        return False
