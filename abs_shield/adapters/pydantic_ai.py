"""pydantic-ai: a capability that judges every turn and stands around every tool's run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai import DeferredToolRequests, RunContext
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering, Instrumentation
from pydantic_ai.exceptions import (
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    SkipToolExecution,
    SkipToolValidation,
    ToolFailed,
    ToolRetryError,
)
from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryInfo,
    TextContent,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets.abstract import ToolsetTool

from abs_shield.core import Decision, ToolCall
from abs_shield.core.messages import decoded
from abs_shield.errors import CallBlocked
from abs_shield.session import Session
from abs_shield.session.scope import RUNNING
from abs_shield.shield import Shield
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import content_of, feedback_text

_ANYTHING = TypeAdapter(Any).validator
_SILENT = frozenset(
    {
        "tool-availability-delta",
        "capability-load-delta",
        "model-settings-delta",
        "instruction-baseline",
    }
)
"""Parts that hold names and marks of the framework, and no text for the model."""
_KEPT_ELSEWHERE = ("openai_previous_response_id", "openai_conversation_id")
"""Settings that name a conversation which the provider keeps."""


class ShieldCapability(AbstractCapability[Any]):
    """
    Put before an agent's tools: ``Agent(model, capabilities=[ShieldCapability(firewall)])``.

    One object may serve many agents and many runs at once. It goes outside all other
    capabilities but the one that opens the spans, so that it reads what the model wrote, and what
    the model will read.

    Args:
        firewall: The Shield.
        session: The session of every run; None for the current one, or that of the conversation.
    """

    def __init__(self, firewall: Shield, *, session: Session | None = None) -> None:
        self._firewall = firewall
        self._seam = Seam(firewall, session)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Say that an agent's spec file cannot name it: a Shield has no text form."""
        return None

    def get_ordering(self) -> CapabilityOrdering:
        """Go outside of what changes arguments and results, inside of the span of the call."""
        return CapabilityOrdering(position="outermost", wrapped_by=[Instrumentation])

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> Any:
        """Log what was proposed and never ran; calls that wait for an answer stay open."""
        waits = False
        try:
            result = await handler()
            waits = isinstance(result.output, DeferredToolRequests)
        finally:
            if not waits:
                self._session(ctx).settle()
        return result

    async def after_model_request(
        self,
        ctx: RunContext[Any],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        """Judge every call of one response before any of them is validated or run."""
        session = self._session(ctx, response.model_name)
        self._seam.hear(session, _conversation(request_context.messages))
        session.run_id = ctx.run_id or session.run_id
        for reason in _unseen(response, request_context.model_settings or {}):
            if reason not in session.opaque_reasons:
                session.opaque(reason)
        asked = request_context.model_request_parameters
        offered = {tool.name: tool for tool in asked.function_tools} | ctx.tools
        self._seam.offer(session, _shapes(offered.values()))
        outputs = {tool.name for tool in asked.output_tools}
        logprobs = _logprobs(response)
        calls = [
            _proposed(part, logprobs)
            for part in response.parts
            if isinstance(part, ToolCallPart) and part.tool_name not in outputs
        ]
        _answer_phantoms(ctx, self._firewall.inspect_turn(calls, session=session))
        return response

    async def wrap_tool_validate(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: str | dict[str, Any],
        handler: Any,
    ) -> dict[str, Any]:
        """Leave a blocked call unvalidated: it is judged again, and answered, at its dispatch."""
        if isinstance(tool_def, _Phantom):
            return _Unvalidated(handler, args)
        blocked = self._blocked(ctx, call)
        if blocked is None:
            return await handler(args)  # type: ignore[no-any-return]
        if tool_def.defer and not ctx.tool_call_approved:
            raise ToolFailed(feedback_text(blocked))  # it would be handed out, and not dispatched
        return _Unvalidated(handler, args)

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Any,
    ) -> Any:
        """Stand around one run: a blocked call is answered, and no retry of the user's is spent."""
        session = self._session(ctx)
        inside = RUNNING.get() is session
        self._catch_up(session, ctx, call, tool_def)
        guard = self._firewall.guard(_proposed(call), session=session)
        try:
            await guard.__aenter__()
        except CallBlocked as blocked:
            raise _refusal(blocked.decision, call, inside=inside) from None
        try:
            value = await handler(await _validated(ctx, call, args))
        except (CallDeferred, ApprovalRequired):
            guard.leave()  # it has not run: the decision holds until it is resumed
            raise
        except SkipToolExecution as skipped:
            guard.value = _read(call, skipped.result)
            await guard.__aexit__(None, None, None)
            raise
        except BaseException as error:
            await guard.__aexit__(type(error), error, error.__traceback__)
            raise
        guard.value = _read(call, value)
        await guard.__aexit__(None, None, None)
        return value

    # Inside --------------------------------------------------------------------------------------

    def _session(self, ctx: RunContext[Any], model: str | None = None) -> Session:
        """The session of the run; of a run inside another run's tool, a child of that one's."""
        running = RUNNING.get()
        if running is not None and running.run_id == ctx.run_id:
            return running  # a tool of this very run calls another one
        return self._seam.session(
            ctx.conversation_id or ctx.run_id,
            run=ctx.run_id,
            agent=getattr(ctx.agent, "name", None),
            model=model,
            parent=running,
        )

    def _blocked(self, ctx: RunContext[Any], call: ToolCallPart) -> Decision | None:
        """The decision about a call's proposal, where that was blocked."""
        newest = reversed(self._session(ctx).decisions)
        found = next((d for d in newest if d.call_id == call.tool_call_id), None)
        return found if found is not None and found.blocked else None

    def _catch_up(
        self, session: Session, ctx: RunContext[Any], call: ToolCallPart, tool_def: ToolDefinition
    ) -> None:
        """Take in what a call stands on that no model request came before: a resumed one."""
        if any(decision.call_id == call.tool_call_id for decision in session.decisions):
            return
        if not session.turns:
            self._seam.hear(session, _conversation(ctx.messages))
            session.run_id = ctx.run_id or session.run_id
        known = session.tools
        self._seam.offer(session, _shapes([*ctx.tools.values(), tool_def]))
        session.tools = (known or frozenset()) | (session.tools or frozenset())


# Phantoms and refusals ---------------------------------------------------------------------------


class _Phantom(ToolDefinition):
    """Stands for a tool that does not exist, so that its call reaches `wrap_tool_execute`."""


class _Unvalidated(dict[str, Any]):
    """Stands for the arguments of a call that was blocked before the framework validated it."""

    def __init__(self, validate: Any, raw: str | dict[str, Any]) -> None:
        super().__init__()
        self.validate = validate
        self.raw = raw


def _answer_phantoms(ctx: RunContext[Any], decisions: Iterable[Decision]) -> None:
    """Give the framework a tool, for this step, for each blocked name that it does not know."""
    manager = ctx.tool_manager
    if manager is None or manager.tools is None:
        return
    phantoms = {
        decision.tool: ToolsetTool(
            toolset=manager.toolset,
            tool_def=_Phantom(name=decision.tool),
            max_retries=manager.default_max_retries,
            args_validator=_ANYTHING,
        )
        for decision in decisions
        if decision.blocked and decision.tool not in manager.tools
    }
    if phantoms:
        manager.tools = {**manager.tools, **phantoms}


async def _validated(
    ctx: RunContext[Any], call: ToolCallPart, args: dict[str, Any]
) -> dict[str, Any]:
    """Validate now what was blocked when it was proposed, and is blocked no longer."""
    if not isinstance(args, _Unvalidated):
        return args
    manager = ctx.tool_manager
    if manager is not None and isinstance(ctx.tools.get(call.tool_name), _Phantom):
        manager.tools = {k: v for k, v in (manager.tools or {}).items() if k != call.tool_name}
        judged = await manager.validate_tool_call(call)  # the framework's own answer to it
        raise judged.validation_error or ModelRetry(f"no tool is named {call.tool_name!r}")
    try:
        return await args.validate(args.raw)  # type: ignore[no-any-return]
    except SkipToolValidation as skipped:
        return dict(skipped.validated_args)
    except Exception as error:
        # the framework wraps an approval that a tool's own validator asks for
        raise getattr(error, "deferral", None) or error from None


def _refusal(decision: Decision, call: ToolCallPart, *, inside: bool) -> Exception:
    """
    How a blocked call is answered.

    A result that asks for another try keeps the run going where the same turn gave a final
    output. What cannot be tried again is a failure, and so is a call of a tool's own code, which
    takes no other answer.
    """
    text = feedback_text(decision)
    if inside or not decision.retryable:
        return ToolFailed(text)  # type: ignore[no-any-return]
    part = ToolReturnPart(
        call.tool_name,
        json.loads(text),
        call.tool_call_id,
        tool_kind=call.tool_kind,
        outcome="retried",
        retry=RetryInfo("model_retry"),
    )
    return ToolRetryError(part)  # type: ignore[no-any-return]


# What the framework says, in the shapes that are read here ---------------------------------------


def _proposed(call: ToolCallPart, logprobs: Any = None) -> ToolCall:
    """The call as the model wrote it; nothing written is no argument."""
    return ToolCall(call.tool_name, call.args or {}, call.tool_call_id, logprobs)


def _logprobs(response: ModelResponse) -> list[Any] | None:
    """The tokens' log-probabilities: OpenAI's as they are, Google's in OpenAI's shape."""
    tokens = (response.provider_details or {}).get("logprobs")
    if isinstance(tokens, Mapping):
        chosen = tokens.get("chosen_candidates") or ()
        tokens = [
            {"token": token.get("token"), "logprob": token.get("log_probability")}
            for token in chosen
            if isinstance(token, Mapping)
        ]
    return tokens if isinstance(tokens, list) and tokens else None


def _shapes(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    return [
        {
            "name": tool.name,
            "description": tool.description or "",
            "parameters": tool.parameters_json_schema,
        }
        for tool in tools
        if tool.kind != "output" and not isinstance(tool, _Phantom)
    ]


def _unseen(response: ModelResponse, settings: Mapping[str, Any]) -> Iterator[str]:
    """Say what the model knows and this process does not."""
    if any(settings.get(name) not in (None, "auto") for name in _KEPT_ELSEWHERE):
        yield "the conversation so far is kept by the provider"
    for part in response.parts:
        if part.part_kind not in ("text", "thinking", "tool-call"):
            yield f"the model's answer holds a part of type {part.part_kind}"


def _read(call: ToolCallPart, value: Any) -> Any:
    """What a tool returned, as the model reads it."""
    if isinstance(value, ToolReturn):
        value = value.return_value
    try:
        return decoded(ToolReturnPart(call.tool_name, value).model_response_str())
    except Exception:  # the framework will say what is wrong with it
        return content_of(value)


def _conversation(messages: Sequence[ModelMessage]) -> Iterator[dict[str, Any]]:
    """Each message as OpenAI writes it; one that cannot be read becomes an item without a role."""
    instructions = None
    for message in messages:
        try:
            if not isinstance(message, ModelRequest):
                yield from [*_answered(message)]
                continue
            told = [*map(_told, (p for p in message.parts if p.part_kind not in _SILENT))]
            if message.instructions and message.instructions != instructions:
                instructions = message.instructions
                yield {"role": "system", "content": instructions}
            yield from told
        except Exception:
            yield {"type": f"unreadable {type(message).__name__}"}


def _told(part: Any) -> dict[str, Any]:
    """One part of what the model was sent."""
    match part.part_kind:
        case "system-prompt" | "instruction-delta":
            return {"role": "system", "content": part.content or ""}
        case "user-prompt":
            return {"role": "user", "content": _blocks(part.content)}
        case "tool-return":
            return _result(part)
        case "retry-prompt" if part.tool_name is not None:
            return _message(part, part.model_response(), failed=True)
        case "retry-prompt" | "retry-feedback":
            # it quotes the model's own words, which are no mention
            return {"role": "assistant", "content": part.model_response()}
        case kind:
            return {"type": kind}


def _blocks(content: Any) -> Any:
    """A prompt's text; what is none keeps its kind, so that it is known to be unseen."""
    if isinstance(content, str):
        return content
    return [_block(item) for item in content if not isinstance(item, CachePoint)]


def _block(item: Any) -> dict[str, Any]:
    if isinstance(item, TextContent):
        item = item.content
    return {"type": "text", "text": item} if isinstance(item, str) else {"type": item.kind}


def _result(part: ToolReturnPart) -> dict[str, Any]:
    content: Any = part.model_response_str(wrap_if_error=False)
    if part.files:
        unseen = [{"type": "image", "source": file.kind} for file in part.files]
        content = [{"type": "text", "text": content}, *unseen]
    return _message(part, content, failed=part.outcome != "success")


def _message(part: Any, content: Any, *, failed: bool) -> dict[str, Any]:
    of = {"role": "tool", "tool_call_id": part.tool_call_id, "name": part.tool_name}
    return {**of, "content": content} | ({"error": True} if failed else {})


def _answered(message: ModelResponse) -> Iterator[dict[str, Any]]:
    """What the model answered; what the provider ran itself was not seen here."""
    content: list[dict[str, Any]] = []
    calls = []
    for part in message.parts:
        if part.part_kind == "text":
            content.append({"type": "text", "text": part.content})
        elif isinstance(part, ToolCallPart):
            function = {"name": part.tool_name, "arguments": part.args or {}}
            calls.append({"id": part.tool_call_id, "type": "function", "function": function})
        else:
            content.append({"type": part.part_kind})
    yield {"role": "assistant", "content": content} | ({"tool_calls": calls} if calls else {})
