"""The observer of one run of the tool runner: its requests, responses, and blocked calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from operator import is_
from threading import Lock
from typing import Any

from abs_shield.adapters.answer_rewriting import SentConversation
from abs_shield.adapters.openai.response_items import (
    STORED_PROMPT,
    call_id,
    call_of,
    is_call,
    mark_unread_once,
    record_hosted_tools,
)
from abs_shield.core import ToolCall
from abs_shield.core.fork_safety import renewed
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.guard import Guard
from abs_shield.shield.tool_call_loop import feedback_text

_CALL_FIELDS = ("call_id", "name", "arguments")
_SUMMARY_PREFIXES = ("Caller summary of omitted", "Omitted completed tool receipts: ")
"""Prefixes of the messages that the SDK inserts when the host omits results."""


class RunObserver:
    """
    State of one run: its session, and the decisions about the current response.

    The runner ends a run at a call that it cannot run: a call of an unknown tool, or with
    arguments that it cannot parse. If such a call is blocked, the runner receives a call of
    *placeholder* instead, which is answered with feedback; the model and the host receive the
    original call.

    Args:
        runner: The runner of this run.
        firewall: The Shield.
        session: The session; None for the current one, or a new one.
        placeholder: The name of a registered tool that is not offered to the model; None to end the
            run at a call that cannot run, as without a Shield.
        run_input: The input of the run, if the SDK may omit parts of it; else None.
    """

    def __init__(
        self,
        runner: Any,
        *,
        firewall: Shield,
        session: Session | None,
        placeholder: str | None,
        run_input: Iterable[Any] | None = None,
    ) -> None:
        self.firewall = firewall
        self.placeholder = placeholder
        self._functions = runner._functions
        self._names = {tool.get("name") for tool in runner._tools} - {None, placeholder}
        self._run_input = run_input
        self._adapter = AdapterSession(firewall, session)
        self._session: Session | None = None
        self._judged: set[str | None] = set()
        self._running: list[ToolCall] = []
        self._originals: dict[str | None, Any] = {}
        self._feedback: dict[str | None, str] = {}
        self._lock = renewed(Lock())

    # Requests ------------------------------------------------------------------------------------

    def record_request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Record a request, and return the request that is sent to the model."""
        sent = dict(request)
        if self.placeholder is not None:
            sent["tools"] = [t for t in sent["tools"] if t.get("name") != self.placeholder]
        if self._originals:
            sent["input"] = [self._as_written(item) for item in sent["input"]]
        if self._session is None:
            self._session = self._adapter.session(model=sent.get("model"))
            self._record(sent, self._run_input or ())
        # ids are unique only within a response
        self._judged.clear()
        self._adapter.offer(self._session, sent.get("tools") or ())
        self._record(sent, sent.get("input") or ())
        record_of(self._session).derive(SentConversation).messages = sent.get("input") or ()
        if sent.get("prompt"):
            mark_unread_once(self._session, STORED_PROMPT)
        return sent

    def _record(self, request: Mapping[str, Any], items: Iterable[Any]) -> None:
        instructions = request.get("instructions")
        system = [{"role": "system", "content": instructions}] if instructions else []
        visible = [item for item in items if self._run_input is None or not _is_summary(item)]
        if visible and self._session is not None:
            self._adapter.add_messages(self._session, [*system, *visible])

    def _as_written(self, item: Any) -> Any:
        """Return an item as the model wrote it."""
        original = self._originals.get(item.get("call_id")) if isinstance(item, Mapping) else None
        if original is None or item.get("type") != "function_call":
            return item
        if "namespace" in item:
            item = {**item, "namespace": original.namespace}
        return {**item, "name": original.name, "arguments": original.arguments}

    # Responses -----------------------------------------------------------------------------------

    def judge_response(self, response: Any) -> Any:
        """Judge the calls of a response, and return the response for the runner."""
        output = getattr(response, "output", None)
        if not isinstance(output, list):
            return response
        runnable = self.judge(output)
        return response if runnable is None else response.model_copy(update={"output": runnable})

    def judge(self, items: list[Any]) -> list[Any] | None:
        """Judge new calls; return the items for the runner if some blocked calls were replaced."""
        session = self._session
        if session is None:
            return None
        for item in items:
            record_hosted_tools(item, session)
        with self._lock:  # an eager call may start concurrently, in another thread
            new_calls = [
                item for item in items if is_call(item) and call_id(item) not in self._judged
            ]
            self._judged |= {call_id(item) for item in new_calls}
            calls = [call_of(item) for item in new_calls]
            decisions = self.firewall.inspect_turn(calls, session=session)
        for item, decision in zip(new_calls, decisions, strict=True):
            if decision.blocked and self._is_answerable(item):
                self._originals[call_id(item)] = item
                self._feedback[call_id(item)] = feedback_text(decision)
        replaced = [self._with_placeholder(item) for item in items]
        return None if all(map(is_, items, replaced)) else replaced

    def can_run(self, item: Any) -> bool:
        """Return whether the runner itself would run a call."""
        name = getattr(item, "name", None)
        if not isinstance(name, str) or name not in self._names:
            return False
        function = self._functions.get(name)
        return function is None or _is_readable(function, getattr(item, "arguments", None))

    def _is_answerable(self, item: Any) -> bool:
        """Return whether a call that would end the run can be replaced by the placeholder."""
        is_complete = all(isinstance(getattr(item, part, None), str) for part in _CALL_FIELDS)
        return self.placeholder is not None and is_complete and not self.can_run(item)

    def _with_placeholder(self, item: Any) -> Any:
        if not is_call(item) or call_id(item) not in self._originals:
            return item
        update = {"name": self.placeholder, "arguments": "{}"}
        if getattr(item, "namespace", None) is not None:
            update["namespace"] = self.placeholder
        return item.model_copy(update=update)

    def restore(self, shown: Any) -> Any:
        """Return an item, a response, an event or a turn with the original calls."""
        if not self._originals:
            return shown
        if is_call(shown):
            replaced = shown.name == self.placeholder
            return self._originals.get(call_id(shown), shown) if replaced else shown
        for part in ("item", "response"):
            if (inner := getattr(shown, part, None)) is not None:
                return _with_field(shown, part, self.restore(inner))
        output = getattr(shown, "output", None)
        if not isinstance(output, list):
            return shown
        items = [self.restore(item) for item in output]
        return shown if all(map(is_, items, output)) else _with_field(shown, "output", items)

    # Calls ---------------------------------------------------------------------------------------

    def feedback(self, item: Any) -> str | None:
        """Return the feedback for a blocked call that the runner cannot run; None for others."""
        return self._feedback.get(call_id(item))

    def guard(self, item: Any) -> Guard:
        """
        Return the guard of a call that runs now, maybe before its turn is judged.
        """
        call = call_of(item)
        with self._lock:
            # if the turn was judged as a whole, its calls were judged as siblings
            siblings = () if call.id in self._judged else tuple(self._running)
            self._judged.add(call.id)
        return self.firewall.guard(call, session=self._session, siblings=siblings)

    @contextmanager
    def mark_running(self, item: Any) -> Iterator[None]:
        """Mark a call as running; calls that start meanwhile are its siblings."""
        call = call_of(item)
        with self._lock:
            self._running.append(call)
        try:
            yield
        finally:
            with self._lock:
                self._running.remove(call)

    @contextmanager
    def end_on_error(self) -> Iterator[None]:
        """End the run if its next turn fails."""
        try:
            yield
        # includes KeyboardInterrupt and GeneratorExit: a host that stops reading ends the run
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """End the run, and log calls that were proposed but not dispatched."""
        if self._session is not None:
            record_of(self._session).settle()


def _is_summary(item: Any) -> bool:
    content = item.get("content") if isinstance(item, Mapping) else None
    return isinstance(content, str) and content.startswith(_SUMMARY_PREFIXES)


def _with_field(shown: Any, part: str, value: Any) -> Any:
    """Return a copy with another value of a field; the same object if the value is the same."""
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
    except Exception:  # a model of the host may raise any error
        return False
