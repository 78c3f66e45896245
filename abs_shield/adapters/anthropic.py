"""The Anthropic SDK: the calls of a host's own loop over messages, and those of the tool runner."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from anthropic.lib.tools import ToolError

from abs_shield.core import Decision, ToolCall
from abs_shield.core.arguments import read_arguments
from abs_shield.errors import CallBlocked, ShieldError
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.shield.guard import Guard
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import Dispatch, feedback_text

R = TypeVar("R")

# A host's own loop --------------------------------------------------------------------------------


def run_tool_calls(
    message: Any,
    messages: Iterable[Any],
    *,
    firewall: Shield,
    session: Session | None = None,
    dispatch: Dispatch | None = None,
    system: Any = None,
) -> list[dict[str, Any]]:
    """
    Run every call of one reply; blocked ones are answered with feedback.

    Args:
        message: The ``Message``, beta or not; or the stream that was read to its end, which still
            has the arguments as the model wrote them.
        messages: The conversation that the model was sent. A growing list may be passed again and
            again.
        firewall: The Shield.
        session: The session; the current one, or a new one where None.
        dispatch: The host's own way to run a call; the registered functions where None.
        system: The request's system prompt, a text or text blocks.

    Returns:
        What to append to *messages* behind the reply: one message, or none.
    """
    reply = _whole(message)
    seen = _taken_in(reply, messages, Seam(firewall, session), system)
    told = firewall.run_tool_calls(_proposed(reply, message), session=seen, dispatch=dispatch)
    return _echoed(reply, told)


async def arun_tool_calls(
    message: Any,
    messages: Iterable[Any],
    *,
    firewall: Shield,
    session: Session | None = None,
    dispatch: Dispatch | None = None,
    system: Any = None,
) -> list[dict[str, Any]]:
    """As `run_tool_calls`; the calls run side by side, and *dispatch* may be async."""
    reply = _whole(message)
    seen = _taken_in(reply, messages, Seam(firewall, session), system)
    proposed = _proposed(reply, message)
    told = await firewall.arun_tool_calls(proposed, session=seen, dispatch=dispatch)
    return _echoed(reply, told)


def _taken_in(reply: Any, messages: Iterable[Any], seam: Seam, system: Any) -> Session:
    """The session, with all that the model was told."""
    session = seam.session(model=_member(reply, "model"))
    seam.hear(session, _heard(messages, system))
    return session


def _proposed(reply: Any, message: Any) -> dict[str, Any]:
    """The reply's calls alone, in a message's shape."""
    calls = [_call(block, raw) for block, raw in _uses(reply, message)]
    blocks = [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in calls]
    return {"role": "assistant", "content": blocks}


def _echoed(reply: Any, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results, each with the toolset that its call was for: the API compares the two."""
    families = {use.get("id"): use.get("toolset_name") for use, _ in _uses(reply, None)}
    for result in (result for message in told for result in message["content"]):
        if family := families.get(result["tool_use_id"]):
            result["toolset_name"] = family
    return told


# The tool runner ----------------------------------------------------------------------------------

_NEEDED = ("_params", "_get_last_message", "_run_tool", "_toolset_for")


def shielded_runner(runner: R, *, firewall: Shield, session: Session | None = None) -> R:
    """
    Put the firewall around a tool runner, before it is iterated.

    Args:
        runner: What ``client.beta.messages.tool_runner(...)`` gives: sync or async, streaming or
            not. It is changed in place.
        firewall: The Shield.
        session: The session of the run; the current one, that of the client's
            ``conversation_id``, or a new one where None.

    Returns:
        The same runner.

    Raises:
        ShieldError: This is no tool runner, or it has a firewall already.
    """
    lacking = [name for name in _NEEDED if not hasattr(runner, name)]
    if lacking:
        raise ShieldError(
            f"{type(runner).__name__} is no tool runner of a known kind: it has no `{lacking[0]}`; "
            "give what `client.beta.messages.tool_runner(...)` returns, or use `run_tool_calls`"
        )
    if "_run_tool" in vars(runner):
        raise ShieldError("this tool runner has a firewall already; a run has one")
    watch = _Watch(runner, firewall, session)
    around = _AsyncHooks if inspect.iscoroutinefunction(runner._run_tool) else _Hooks  # type: ignore[attr-defined]
    around(watch).put()
    return runner


class _Watch:
    """What is known of one run: its session, and the decisions about the reply at hand."""

    def __init__(self, runner: Any, firewall: Shield, session: Session | None) -> None:
        self.runner = runner
        self.firewall = firewall
        self._seam = Seam(firewall, session)
        self._session: Session | None = None
        self._reply: Any = None
        self._open: dict[str | None, Decision] = {}
        self._early: set[str | None] = set()

    @property
    def session(self) -> Session:
        """The run's one session: without an id of the conversation, each new one is empty."""
        if self._session is None:
            spans = getattr(getattr(self.runner, "_client", None), "open_telemetry", None) or {}
            conversation = spans.get("conversation_id")
            self._session = self._seam.session(conversation, model=self.runner._params.get("model"))
        return self._session

    def look(self, reply: Any) -> None:
        """Judge a reply's calls, once, before the runner answers them."""
        if reply is None or reply is self._reply:
            return
        self._reply = reply
        uses = [*_uses(reply, self._stream())]
        self._take_in(use for use, _ in uses)
        calls = [_call(use, raw) for use, raw in uses]
        fresh = [call for call in calls if call.id not in self._early]
        self._early.clear()
        decisions = self.firewall.inspect_turn(fresh, session=self.session)
        self._open = {call.id: d for call, d in zip(fresh, decisions, strict=True)}

    def guard(self, block: Any) -> Guard:
        """Stand around a call that runs now; it may do so while its reply still streams."""
        use = _plain(block)
        if self._open.pop(use.get("id"), None) is None:
            self._early.add(use.get("id"))
            self._take_in([use])
        stream = self._stream()
        reply = None if stream is None else stream.current_message_snapshot
        written = [raw for each, raw in _uses(reply, stream) if each.get("id") == use.get("id")]
        call = _call(use, written[0] if written else None)
        return self.firewall.guard(call, session=self.session)

    def answered(self, response: Any) -> Any:
        """Put feedback where the runner itself answered a call that is blocked."""
        results = [] if response is None else response["content"]
        for place, result in enumerate(results):
            decision = self._open.get(result.get("tool_use_id"))
            if decision is not None and decision.blocked:
                said = {"content": feedback_text(decision), "is_error": True}
                results[place] = {**result, **said}
        self.session.settle()
        return response

    def _take_in(self, uses: Iterable[Mapping[str, Any]]) -> None:
        params = self.runner._params
        tools, families = _offered(params)
        tools += [{"name": _name(use)} for use in uses if use.get("toolset_name") in families]
        self._seam.offer(self.session, tools)
        self._seam.hear(self.session, _heard(params.get("messages", ()), params.get("system")))

    def _stream(self) -> Any:
        """The stream that the reply came from, where it was streamed."""
        final = getattr(self.runner, "_last_message", None)
        stream = getattr(final, "__self__", None)
        return stream if hasattr(stream, "current_message_snapshot") else None


@dataclass(frozen=True, slots=True)
class _StandIn:
    """Stands in for a tool, for one call."""

    name: str
    call: Callable[[Any], Any]


class _Hooks:
    """The runner's own methods, with the Shield around them."""

    def __init__(self, watch: _Watch) -> None:
        self.watch = watch
        runner = watch.runner
        self.generate, self.run_tool = runner.generate_tool_call_response, runner._run_tool
        self.toolset_for = runner._toolset_for

    def put(self) -> None:
        """Put these in place of the runner's."""
        runner = self.watch.runner
        runner.generate_tool_call_response = self.response
        runner._run_tool = self.tool
        runner._toolset_for = self.toolset

    def response(self) -> Any:
        self.watch.look(self.watch.runner._get_last_message())
        return self.watch.answered(self.generate())

    def tool(self, tool: Any, block: Any) -> Any:
        def call(given: Any) -> Any:
            with ExitStack() as stack:
                with _refusing():
                    guard = stack.enter_context(self.watch.guard(block))
                value = _kept(tool.call(given))
                guard.value = _read(value)
                return value

        return self.run_tool(_StandIn(tool.name, call), block)

    def toolset(self, block: Any) -> Any:
        found = self.toolset_for(block)
        return None if found is None else _Toolset(found, self.watch)


class _AsyncHooks(_Hooks):
    """As `_Hooks`, for an async runner."""

    async def response(self) -> Any:
        self.watch.look(await self.watch.runner._get_last_message())
        return self.watch.answered(await self.generate())

    async def tool(self, tool: Any, block: Any) -> Any:
        async def call(given: Any) -> Any:
            async with AsyncExitStack() as stack:
                with _refusing():
                    guard = await stack.enter_async_context(self.watch.guard(block))
                value = _kept(await tool.call(given))
                guard.value = _read(value)
                return value

        return await self.run_tool(_StandIn(tool.name, call), block)

    def toolset(self, block: Any) -> Any:
        found = self.toolset_for(block)
        return None if found is None else _AsyncToolset(found, self.watch)


@contextmanager
def _refusing() -> Iterator[None]:
    """Refuse a blocked call in the SDK's own way: the text is the tool's result."""
    try:
        yield
    except CallBlocked as blocked:
        raise ToolError(feedback_text(blocked.decision)) from None


@dataclass(frozen=True, slots=True)
class _Toolset:
    """Stands in for a toolset, for one call of a member."""

    toolset: Any
    watch: _Watch

    def tool_result(self, block: Any) -> Any:
        try:
            with ExitStack() as stack:
                with _refusing():
                    guard = stack.enter_context(self.watch.guard(block))
                result = self.toolset.tool_result(block)
                guard.value = _outcome(result)
                return result
        except _Failed as failed:
            return failed.result
        except ToolError as refused:
            return _refusal(block, refused)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.toolset, name)


class _AsyncToolset(_Toolset):
    """As `_Toolset`, for an async runner."""

    async def tool_result(self, block: Any) -> Any:
        try:
            async with AsyncExitStack() as stack:
                with _refusing():
                    guard = await stack.enter_async_context(self.watch.guard(block))
                result = await self.toolset.tool_result(block)
                guard.value = _outcome(result)
                return result
        except _Failed as failed:
            return failed.result
        except ToolError as refused:
            return _refusal(block, refused)


class _Failed(Exception):
    """A toolset answered with an error, of which the guard has to hear."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        super().__init__(str(_read(result.get("content"))))
        self.result = result


def _outcome(result: Mapping[str, Any]) -> Any:
    if result.get("is_error"):
        raise _Failed(result)
    return _read(result.get("content"))


def _refusal(block: Any, refused: ToolError) -> dict[str, Any]:
    of = {"tool_use_id": block.id, "toolset_name": block.toolset_name}
    return {"type": "tool_result", **of, "content": refused.content, "is_error": True}


def _kept(value: Any) -> Any:
    """A tool's value, which may be read twice."""
    return list(value) if isinstance(value, Iterator) else value


def _read(value: Any) -> Any:
    """A tool's value as the model reads it: its text, where it has nothing else."""
    if not isinstance(value, (list, tuple)):
        return value
    blocks = [_plain(block) for block in value]
    if all(block.get("type") == "text" for block in blocks):
        return "\n".join(str(block.get("text") or "") for block in blocks)
    return [block for block in blocks if block.get("type") not in _UNREAD]


# What the SDK's objects say -----------------------------------------------------------------------

_UNREAD = frozenset({"image", "document"})
_DROPPED = frozenset({"cache_control", "citations"})
"""What hosts move from block to block, and no model reads."""
_CHANGES = frozenset({"tool_addition", "tool_removal"})
_FAMILY = re.compile(r"^(?P<family>\w+?)_toolset(_\d{8})?$")


def _whole(message: Any) -> Any:
    """The message of a stream that was read to its end; any other as it is."""
    return getattr(message, "current_message_snapshot", message)


def _uses(reply: Any, stream: Any) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Each call of a reply, and its arguments as they were streamed."""
    content = _member(reply, "content")
    for place, block in enumerate(content if isinstance(content, (list, tuple)) else ()):
        plain = _plain(block)
        if plain.get("type") == "tool_use":
            yield plain, _streamed(stream, place)


def _streamed(stream: Any, place: int) -> str | None:
    """
    The JSON of one block as the model wrote it.

    The SDK completes JSON that is cut off, and shows the whole text nowhere else.
    """
    for kind in type(stream).__mro__:
        texts = getattr(stream, f"_{kind.__name__}__json_bufs", None)
        if isinstance(texts, Mapping) and place in texts:
            return bytes(texts[place]).decode("utf-8", "replace")
    return None


def _call(use: Mapping[str, Any], raw: str | None) -> ToolCall:
    """The call of a block; its arguments are text where the SDK made something else of it."""
    given = use.get("input")
    arguments = raw if raw and read_arguments(raw) != given else given
    call_id = use.get("id")
    return ToolCall(_name(use), arguments, None if call_id is None else str(call_id))


def _name(use: Mapping[str, Any]) -> str:
    """A tool's name; that of a toolset's member has the toolset before it, and a dot."""
    family, name = use.get("toolset_name"), str(use.get("name") or "")
    return f"{family}.{name}" if family else name


def _offered(params: Mapping[str, Any]) -> tuple[list[dict[str, Any]], set[str]]:
    """The tools that the model may call as the conversation stands, and the toolsets."""
    known = {_tool_name(tool): tool for tool in map(_plain, params.get("tools") or ())}
    gone: set[str] = set()
    for change in _changes(params.get("messages") or ()):
        tool = _plain(change.get("tool"))
        defined = _plain(tool["definition"]) if "definition" in tool else tool
        name = _tool_name(defined)
        if change["type"] == "tool_removal":
            gone.add(name)
            continue
        gone.discard(name)
        if defined is not tool:
            known[name] = defined
    left = {name: tool for name, tool in known.items() if name not in gone}
    return list(left.values()), {name for name, tool in left.items() if "name" not in tool}


def _tool_name(tool: Mapping[str, Any]) -> str:
    """A tool's name; a toolset has none but the one in its type."""
    family = _FAMILY.match(str(tool.get("type")))
    return str(tool.get("name") or (family["family"] if family else ""))


def _changes(messages: Iterable[Any]) -> Iterator[dict[str, Any]]:
    for message in messages:
        if _member(message, "role") == "system":
            blocks = map(_plain, _blocks(_member(message, "content")))
            yield from (block for block in blocks if block.get("type") in _CHANGES)


def _heard(messages: Iterable[Any], system: Any = None) -> list[dict[str, Any]]:
    """The conversation; the same message gives the same here, wherever hosts cache it."""
    told = [] if system is None else [{"role": "system", "content": system}]
    return [_message(message) for message in (*told, *messages)]


def _message(message: Any) -> dict[str, Any]:
    blocks = map(_plain, _blocks(_member(message, "content")))
    told = [_text(block) for block in blocks if block.get("type") not in _CHANGES]
    return {"role": _member(message, "role"), "content": told}


def _text(block: dict[str, Any]) -> dict[str, Any]:
    """A block that is text under another name, as text; a result with plain blocks."""
    source = block.get("source")
    match block.get("type"):
        case "tool_result" if isinstance(block.get("content"), (list, tuple)):
            return {**block, "content": [_text(_plain(part)) for part in block["content"]]}
        case "document" if isinstance(source, Mapping) and source.get("type") == "text":
            said = [block.get("title"), block.get("context"), source.get("data")]
        case "search_result":
            parts = map(_plain, _blocks(block.get("content")))
            said = [block.get("title"), source, *(part.get("text") for part in parts)]
        case _:
            return block
    return {"type": "text", "text": "\n".join(str(each) for each in said if each)}


def _blocks(content: Any) -> list[Any]:
    if content is None:
        return []
    return list(content) if isinstance(content, (list, tuple)) else [content]


def _plain(block: Any) -> dict[str, Any]:
    """A block as a dict, without what no model reads; what cannot be read has its class's name."""
    if isinstance(block, str):
        return {"type": "text", "text": block}
    try:
        dump = getattr(block, "model_dump", None)
        if dump is not None and not isinstance(block, Mapping):
            block = dump(mode="json", exclude_none=True, warnings=False)
        return {k: v for k, v in dict(block).items() if k not in _DROPPED and v is not None}
    except Exception:  # an object of the host's may break when it is read
        return {"type": type(block).__name__}


def _member(part: Any, name: str) -> Any:
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)
