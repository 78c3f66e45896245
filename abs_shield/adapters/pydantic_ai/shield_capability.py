"""The capability, which judges calls in the model's response, and again at their dispatch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic_ai import DeferredToolRequests, RunContext
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering, Instrumentation
from pydantic_ai.exceptions import (
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    SkipToolExecution,
    ToolFailed,
)
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.output import OutputContext
from pydantic_ai.tools import ToolDefinition

from abs_shield.adapters.answer_rewriting import Revisions
from abs_shield.adapters.pydantic_ai.model_messages import (
    PlaceholderTool,
    add_placeholders,
    as_openai_messages,
    as_tool_call,
    blocked_result,
    exhausts_retries,
    logprobs_of,
    tool_descriptions,
    unread_content,
    visible_value,
)
from abs_shield.adapters.pydantic_ai.validated_arguments import (
    NotRepairedError,
    ValidatedArguments,
    arguments_of,
    calls_to_compare,
    original_if_overridden,
    validate_call,
)
from abs_shield.core import Decision
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.session import Session
from abs_shield.session.session_context import RUNNING
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.guard import Guard
from abs_shield.shield.tool_call_loop import feedback_text


class ShieldCapability(AbstractCapability[Any]):
    """
    A capability that judges an agent's calls.

    Use ``Agent(model, capabilities=[ShieldCapability(firewall)])``. One object can be used for
    many agents and concurrent runs. It wraps all other capabilities except the one that opens the
    spans, so it receives exactly the texts that the model writes and reads.

    Args:
        firewall: The Shield.
        session: The session of every run; None for the current one, or that of the conversation.
        answers: Whether the text that ends a run is settled: in strict mode the model is asked
            again with feedback, within the agent's output retries, and an unsupported answer is
            replaced by the refusal. A streamed answer is checked at its end.
    """

    def __init__(
        self, firewall: Shield, *, session: Session | None = None, answers: bool = False
    ) -> None:
        self._firewall = firewall
        self._answers = answers
        self._adapter = AdapterSession(firewall, session)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """
        Return None.

        An agent's spec file cannot contain the capability, because a Shield has no text form.
        """
        return None

    def get_ordering(self) -> CapabilityOrdering:
        """Wrap capabilities that change arguments and results, inside the span of the call."""
        return CapabilityOrdering(position="outermost", wrapped_by=[Instrumentation])

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> Any:
        """Log calls that were proposed but not dispatched; deferred calls stay open."""
        waits = False
        try:
            result = await handler()
            waits = isinstance(result.output, DeferredToolRequests)
        finally:
            if not waits:
                record_of(self._session(ctx)).settle()
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
        self._adapter.add_messages(session, as_openai_messages(request_context.messages))
        session.run_id = ctx.run_id or session.run_id
        if self._answers:
            record_of(session).derive(
                _ResponseState, owner=self
            ).streams = request_context.streaming
        for reason in unread_content(response, request_context.model_settings or {}):
            if reason not in record_of(session).opaque_reasons:
                session.opaque(reason)
        parameters = request_context.model_request_parameters
        offered = {tool.name: tool for tool in parameters.function_tools} | ctx.tools
        self._adapter.offer(session, tool_descriptions(offered.values()))
        # output tools return the structured answer, and do not run anything
        outputs = {tool.name for tool in parameters.output_tools}
        logprobs = logprobs_of(response)
        calls = [
            as_tool_call(part, logprobs)
            for part in response.parts
            if isinstance(part, ToolCallPart) and part.tool_name not in outputs
        ]
        add_placeholders(ctx, self._firewall.inspect_turn(calls, session=session))
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
        """Let the host's hooks repair a blocked call; it is judged again at its dispatch."""
        if isinstance(tool_def, PlaceholderTool):
            return ValidatedArguments(error=ModelRetry(f"no tool is named {call.tool_name!r}"))
        blocked = self._blocked_proposal(ctx, call)
        if blocked is None or original_if_overridden(ctx, call) is not None:
            return await handler(args)  # type: ignore[no-any-return]
        done = await validate_call(ctx, call, args, handler)
        if done.changed and done.error is not None:
            raise done.error  # an approval of the repaired call
        is_handed_out = tool_def.defer and not ctx.tool_call_approved
        if is_handed_out and (tool_def.kind == "external" or not done.changed):
            raise _handout_error(ctx, blocked, call, done)  # it would not be dispatched here
        return done

    async def on_tool_validate_error(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: str | dict[str, Any],
        error: Any,
    ) -> dict[str, Any]:
        """Pass a blocked call that no hook repaired on to its dispatch, where it is answered."""
        if (
            self._blocked_proposal(ctx, call) is None
            or original_if_overridden(ctx, call) is not None
        ):
            raise error
        raise NotRepairedError(error)

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Any,
    ) -> Any:
        """Run one call under its guard; a blocked call does not use a retry of the framework."""
        session = self._session(ctx)
        is_nested = RUNNING.get() is session
        self._record_missing_request(session, ctx, call, tool_def)
        to_run, original = calls_to_compare(ctx, call, args)
        guard = self._adapter.guard(to_run, session, proposed=original)
        try:
            await guard.__aenter__()
        except CallBlocked as blocked:
            counts_as_retry = isinstance(args, ValidatedArguments) and args.is_refused
            result = blocked_result(
                ctx, blocked.decision, call, is_nested=is_nested, counts_as_retry=counts_as_retry
            )
            raise result from None
        try:
            value = await handler(await arguments_of(ctx, call, args))
        except (CallDeferred, ApprovalRequired):
            guard.suspend()  # not run yet: the decision stays valid until it is resumed
            await guard.__aexit__(None, None, None)
            raise
        except SkipToolExecution as skipped:
            await _release_value(
                ctx, guard, visible_value(call, skipped.result), call, is_nested=is_nested
            )
            raise
        # includes a cancelled task: the guard must record that the call ended
        except BaseException as error:
            with _answer_block(ctx, call, is_nested=is_nested):
                await guard.__aexit__(type(error), error, error.__traceback__)
            raise
        await _release_value(ctx, guard, visible_value(call, value), call, is_nested=is_nested)
        return value

    async def after_output_process(
        self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any
    ) -> Any:
        """Settle the text that ends the run; structured output is not checked."""
        is_text = output_context.tool_call is None and output_context.object_def is None
        if not (self._answers and is_text and isinstance(output, str) and output.strip()):
            return output
        if ctx.partial_output or self._firewall.policy.answer is False:  # the text is not complete
            return output
        session = self._session(ctx)
        # a streamed text has already been shown, so it can only be flagged
        if record_of(session).derive(_ResponseState, owner=self).streams:
            await self._firewall.acheck_answer(output, session=session)
            return output
        # at most as many revisions as the framework allows, or it would end the run with an error
        return await self._settle(session, output, most=ctx.max_retries - ctx.retry)

    # Internal ------------------------------------------------------------------------------------

    async def _settle(self, session: Session, output: str, *, most: int) -> str:
        revisions = record_of(session).derive(Revisions, owner=self)
        revision = revisions.current_revision(self._firewall, session, most=most)
        if revision is None:
            return output
        done = await revision.asubmit(output)
        if isinstance(done, str):
            raise ModelRetry(done)
        return done.text

    def _session(self, ctx: RunContext[Any], model: str | None = None) -> Session:
        """
        Return the session of the run; a run inside a tool of another run has a child session.
        """
        running = RUNNING.get()
        if running is not None and running.run_id == ctx.run_id:
            return running  # a tool of this run calls another tool
        return self._adapter.session(
            ctx.conversation_id or ctx.run_id,
            run=ctx.run_id,
            agent=getattr(ctx.agent, "name", None),
            model=model,
            parent=running,
        )

    def _blocked_proposal(self, ctx: RunContext[Any], call: ToolCallPart) -> Decision | None:
        """Return the decision about a call's proposal if it was blocked; else None."""
        newest = reversed(self._session(ctx).decisions)
        decision = next((d for d in newest if d.call_id == call.tool_call_id), None)
        return decision if decision is not None and decision.blocked else None

    def _record_missing_request(
        self, session: Session, ctx: RunContext[Any], call: ToolCallPart, tool_def: ToolDefinition
    ) -> None:
        """
        Record the messages and tools of a call without a preceding request (resumed or realtime).
        """
        if any(decision.call_id == call.tool_call_id for decision in session.decisions):
            return
        if ctx.realtime or not session.turns:
            self._adapter.add_messages(session, as_openai_messages(ctx.messages))
            session.run_id = ctx.run_id or session.run_id
        offered_before = session.tools
        self._adapter.offer(session, tool_descriptions([*ctx.tools.values(), tool_def]))
        session.tools = (offered_before or frozenset()) | (session.tools or frozenset())


class _ResponseState:
    """State of the newest response of a run."""

    streams = False


def _handout_error(
    ctx: RunContext[Any], blocked: Decision, call: ToolCallPart, done: ValidatedArguments
) -> Exception:
    """Return the exception that answers a blocked call which is not dispatched here."""
    text = feedback_text(blocked)
    ends = (done.is_refused or not blocked.retryable) and exhausts_retries(ctx, call)
    return ModelRetry(text) if ends else ToolFailed(text)  # type: ignore[no-any-return]


async def _release_value(
    ctx: RunContext[Any], guard: Guard, value: Any, call: ToolCallPart, *, is_nested: bool
) -> None:
    """Close a call that ran; a withheld result is answered with feedback."""
    guard.value = value
    with _answer_block(ctx, call, is_nested=is_nested):
        await guard.__aexit__(None, None, None)


@contextmanager
def _answer_block(ctx: RunContext[Any], call: ToolCallPart, *, is_nested: bool) -> Iterator[None]:
    """Answer a withheld result, or the block of a nested function, with feedback."""
    try:
        yield
    except (CallBlocked, ResultBlocked) as blocked:
        result = blocked_result(
            ctx, blocked.decision, call, is_nested=is_nested, counts_as_retry=False
        )
        raise result from None
