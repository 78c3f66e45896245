"""The public functions that take input from outside, each with input of the grammar."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

from abs_shield import CallBlocked, Shield, ShieldError, Tool, ToolCall, shield, shielded
from abs_shield.answer import check_answer
from abs_shield.replay import replay
from abs_shield.shield.adapter_session import AdapterSession
from tests.hostile.grammar import Input

Action = Callable[[], Any]
LIST = {"type": "array", "items": {"type": "string"}}
ANSWER = "The orders come to 4711 dollars; row x17 says 51, and Ann paid 12 of 13 on 2024-01-02."
_TOOL, _SCHEMA = 50, 2_000
"""Characters of what stands around a tool; of a schema that is checked by."""
_TASK = "Please act on tx_12345 for Ann."
_ANY = {"type": "object", "properties": {"value": {}, "order_id": {}}}


def firewall(parameters: Any = None, **declared: Any) -> Shield:
    schema = parameters or {"type": "object", "properties": {"order_id": LIST, "value": {}}}
    tools = [Tool(name="act", parameters=schema)]
    return Shield(shield.configure(mode="strict", tools=tools, **declared), hooks=None)


def _checked(one: Input, size: int) -> Action:
    guard = firewall(_ANY)
    session = guard.session()
    session.user(_TASK)
    call = ToolCall("act", {"value": one.value(size), "order_id": one.value(size // 2)})
    return lambda: guard.check_call(call, session=session)


def _compiled(one: Input, size: int) -> Action:
    parameters = one.parameters(size)

    def act() -> None:
        with suppress(ShieldError):
            guard = firewall(parameters)
            guard.check_call(ToolCall("act", {"value": "tx_1"}))

    return act


def _by_schema(one: Input, size: int) -> Action:
    """Check arguments of growing size against a schema of constant size."""
    with suppress(ShieldError):
        guard = firewall(one.parameters(_SCHEMA))
        arguments = {"value": one.texts(size), **dict.fromkeys(one.texts(size // 2), 1)}
        return lambda: guard.check_call(ToolCall("act", arguments))
    return lambda: None


def _inspected(one: Input, size: int) -> Action:
    guard = firewall(_ANY)
    session = guard.session()
    session.user(_TASK)
    turn = [
        ToolCall("act", {"order_id": text}, f"c{n}")
        for n, text in enumerate(one.texts(size, _around_text(one, lambda text: _message(0, text))))
    ]
    return lambda: guard.inspect_turn(turn, session=session)


def _guarded(one: Input, size: int) -> Action:
    guard = Shield(shield.configure(tools=[Tool(name="act", parameters=_ANY)]), hooks=None)
    session = guard.session()
    session.user(_TASK)
    values = [one.value(part) for part in _halves(size)]

    def act() -> None:
        for value in values:
            with guard.guard(ToolCall("act", {"order_id": value}), session=session) as running:
                running.value = value

    return act


def _dispatched(one: Input, size: int) -> Action:
    guard = Shield(shield.configure(), hooks=None)

    @shielded(guard)
    def act(order_id: Any = None) -> Any:
        return {"id": order_id}

    session = guard.session()
    session.user(_TASK)
    value = one.value(size)

    def both() -> None:
        with session:
            with suppress(CallBlocked):  # of a value too large to be judged
                guard.dispatch("act", {"order_id": value})
            with suppress(CallBlocked):
                act(value)

    return both


def _verified(one: Input, size: int) -> Action:
    """Verify two results of a call; the second one is compared with the first."""
    guard = firewall(_ANY)
    session = guard.session()
    session.user(_TASK)
    call, values = ToolCall("act", {"value": 1}), [one.value(part) for part in _halves(size)]

    def act() -> None:
        for value in values:
            guard.check_result(call, value, elapsed_ms=1, session=session)

    return act


def _undo_call(one: Input, size: int) -> Action:
    """Read the ids in the result of a call, and check calls that undo it."""
    tools = [Tool(name=name, parameters=_ANY) for name in ("create_order", "delete_order")]
    guard = Shield(shield.configure(tools=tools), hooks=None)
    session = guard.session()
    session.user(_TASK)
    calls, value = ToolCall("create_order", {"value": "x"}), one.value(size)
    undone = [ToolCall("delete_order", {"order_id": text}) for text in one.texts(size)[:3]]

    def act() -> None:
        with guard.guard(calls, session=session) as running:
            running.value = value
        for call in undone:
            guard.check_call(call, session=session)

    return act


def _user_text(one: Input, size: int) -> Action:
    guard, text, result = firewall(_ANY), one.text(size), one.value(size)
    session = guard.session()

    def act() -> None:
        session.user(text)
        session.tool_result("look", result)
        guard.check_call(ToolCall("act", {"order_id": ["tx_99999"]}), session=session)

    return act


def _answered(one: Input, size: int) -> Action:
    guard = firewall(_ANY)
    session = guard.session()
    session.user(_TASK)
    session.tool_result("look", {"id": "tx_12345", "total": 4711})
    answer = one.text(size)
    return lambda: guard.check_answer(answer, session=session)


def _grounded(one: Input, size: int) -> Action:
    evidence = one.texts(size)
    return lambda: check_answer(ANSWER, evidence=evidence)


def _replayed(one: Input, size: int) -> Action:
    """Replay a run file of that size with a user message, calls and results."""
    around = _around_text(one, lambda text: [*_messages([text])][1:])
    messages = [*_messages(one.texts(size, around))]
    return replay_of({"messages": messages, "tools": [{"name": "act", "parameters": _ANY}]})


def replay_of(record: dict[str, Any]) -> Action:
    """Return an action that replays a run file; the file is deleted with the action."""
    folder = mkdtemp(prefix="abs-shield-hostile")
    path = Path(folder) / "run.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")

    def action() -> Any:
        return [*replay([path])]

    finalize(action, rmtree, folder)
    return action


def _messages(texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    yield {"role": "user", "content": _TASK}
    for n, text in enumerate(texts):
        yield {"role": "assistant", "tool_calls": [_message(n, text)]}
        yield {"role": "tool", "tool_call_id": f"c{n}", "content": text}


def _message(n: int, text: str) -> dict[str, Any]:
    """Return a call as a model writes it."""
    arguments = json.dumps({"order_id": text})
    return {"id": f"c{n}", "function": {"name": "act", "arguments": arguments}}


def _around_text(one: Input, message: Callable[[str], Any]) -> int:
    """Return the number of bytes of the message of a text in a file, less the text's width."""
    # Far on, where the numbers of the texts have as many digits as most of them.
    return len(json.dumps(message(one.text(one.width, start=1_000_000)))) - one.width


def _registered(one: Input, size: int) -> Action:
    guard, texts = firewall(_ANY), one.texts(size, _around(one))
    described = [
        {"name": f"{text}{n}", "description": text, "inputSchema": one.parameters(60)}
        for n, text in enumerate(texts)
    ]

    def act() -> None:
        for tool in described:
            with suppress(ShieldError):
                guard.register(tool)

    return act


def _nearest_names(one: Input, size: int) -> Action:
    """Search for the nearest names of an unknown tool and of unknown arguments."""
    names = [f"{text}{n}"[:500] for n, text in enumerate(one.texts(size // 2))]
    known = {
        "type": "object",
        "properties": {name: {} for name in names},
        "additionalProperties": False,
    }
    guard = firewall(known)
    wrong, tool = {f"x{name}": 1 for name in names}, one.text(size // 2)

    def act() -> None:
        guard.check_call(ToolCall("act", wrong))
        guard.check_call(ToolCall(tool, {}))

    return act


def _listed(one: Input, size: int) -> Action:
    """Register the tools that an MCP server lists."""
    guard = firewall(_ANY)
    session, adapter = guard.session(), AdapterSession(guard)
    listed = [
        {"name": f"{text}{n}", "description": text, "inputSchema": one.parameters(60)}
        for n, text in enumerate(one.texts(size, _around(one)))
    ]
    return lambda: adapter.offer(session, listed)


def _around(one: Input) -> int:
    """Return the number of characters of a tool other than its name."""
    return one.width + len(json.dumps(one.parameters(60))) + _TOOL


def _halves(size: int) -> tuple[int, int]:
    return size // 2, size // 2 + 1


ENTRANCES: dict[str, Callable[[Input, int], Action]] = {
    "check_call": _checked,
    "schema: compile": _compiled,
    "schema: check": _by_schema,
    "inspect_turn": _inspected,
    "guard": _guarded,
    "dispatch, decorated call": _dispatched,
    "check_result": _verified,
    "ids of results": _undo_call,
    "session.user, session.tool_result": _user_text,
    "check_answer": _answered,
    "check_answer: evidence": _grounded,
    "replay": _replayed,
    "register": _registered,
    "nearest names": _nearest_names,
    "MCP listing": _listed,
}
