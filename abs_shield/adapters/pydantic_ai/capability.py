"""The capability: judged at the model's response, judged again and answered at the dispatch."""

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

from abs_shield.adapters.answers import Revisions
from abs_shield.adapters.pydantic_ai.arguments import (
    Declined,
    Validated,
    arguments_of,
    dispatched,
    overridden,
    validate,
)
from abs_shield.adapters.pydantic_ai.conversation import (
    conversation,
    logprobs_of,
    proposed,
    read,
    unseen,
)
from abs_shield.adapters.pydantic_ai.stand_ins import (
    Phantom,
    answer_phantoms,
    refusal,
    shapes,
    spent,
)
from abs_shield.core import Decision
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.session import Session
from abs_shield.session.session_context import RUNNING
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.guard import Guard
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import feedback_text


class ShieldCapability(AbstractCapability[Any]):
    """
    Put before an agent's tools: ``Agent(model, capabilities=[ShieldCapability(firewall)])``.

    One object may serve many agents and many runs at once. It goes outside all other
    capabilities but the one that opens the spans, so that it reads what the model wrote, and what
    the model will read.

    Args:
        firewall: The Shield.
        session: The session of every run; None for the current one, or that of the conversation.
        answers: Whether the text that ends a run is settled: in strict mode the model is asked
            again with feedback, within the agent's output retries, and an answer that does not
            hold is replaced by the refusal. One that streams is checked at its end.
    """

    def __init__(
        self, firewall: Shield, *, session: Session | None = None, answers: bool = False
    ) -> None:
        self._firewall = firewall
        self._answers = answers
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
        self._seam.hear(session, conversation(request_context.messages))
        session.run_id = ctx.run_id or session.run_id
        if self._answers:
            record_of(session).derive(_Newest, owner=self).streams = request_context.streaming
        for reason in unseen(response, request_context.model_settings or {}):
            if reason not in record_of(session).opaque_reasons:
                session.opaque(reason)
        asked = request_context.model_request_parameters
        offered = {tool.name: tool for tool in asked.function_tools} | ctx.tools
        self._seam.offer(session, shapes(offered.values()))
        outputs = {tool.name for tool in asked.output_tools}
        logprobs = logprobs_of(response)
        calls = [
            proposed(part, logprobs)
            for part in response.parts
            if isinstance(part, ToolCallPart) and part.tool_name not in outputs
        ]
        answer_phantoms(ctx, self._firewall.inspect_turn(calls, session=session))
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
        """Ask the host's hooks about a blocked call; it is judged again at its dispatch."""
        if isinstance(tool_def, Phantom):
            return Validated(error=ModelRetry(f"no tool is named {call.tool_name!r}"))
        blocked = self._blocked(ctx, call)
        if blocked is None or overridden(ctx, call) is not None:
            return await handler(args)  # type: ignore[no-any-return]
        done = await validate(ctx, call, args, handler)
        if done.changed and done.error is not None:
            raise done.error  # an approval is asked for, of the call as a hook repaired it
        handed_out = tool_def.defer and not ctx.tool_call_approved
        if handed_out and (tool_def.kind == "external" or not done.changed):
            raise _refused(ctx, blocked, call, done)  # it would not be dispatched here
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
        """Keep a blocked call that no hook repaired for its dispatch, where it is answered."""
        if self._blocked(ctx, call) is None or overridden(ctx, call) is not None:
            raise error
        raise Declined(error)

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
        runs, written = dispatched(ctx, call, args)
        guard = self._seam.guard(runs, session, proposed=written)
        try:
            await guard.__aenter__()
        except CallBlocked as blocked:
            counts = isinstance(args, Validated) and args.is_refused
            why = refusal(ctx, blocked.decision, call, inside=inside, counts=counts)
            raise why from None
        try:
            value = await handler(await arguments_of(ctx, call, args))
        except (CallDeferred, ApprovalRequired):
            guard.suspend()  # it has not run: the decision holds until it is resumed
            await guard.__aexit__(None, None, None)
            raise
        except SkipToolExecution as skipped:
            await _end(ctx, guard, read(call, skipped.result), call, inside=inside)
            raise
        except BaseException as error:
            with _answered(ctx, call, inside=inside):
                await guard.__aexit__(type(error), error, error.__traceback__)
            raise
        await _end(ctx, guard, read(call, value), call, inside=inside)
        return value

    async def after_output_process(
        self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any
    ) -> Any:
        """Settle the text that ends the run; structured output is left alone."""
        is_text = output_context.tool_call is None and output_context.object_def is None
        if not (self._answers and is_text and isinstance(output, str) and output.strip()):
            return output
        if ctx.partial_output or self._firewall.policy.answer is False:
            return output
        session = self._session(ctx)
        if record_of(session).derive(_Newest, owner=self).streams:
            await self._firewall.acheck_answer(output, session=session)
            return output
        return await self._settled(session, output, most=ctx.max_retries - ctx.retry)

    # Inside --------------------------------------------------------------------------------------

    async def _settled(self, session: Session, output: str, *, most: int) -> str:
        revisions = record_of(session).derive(Revisions, owner=self)
        revision = revisions.of(self._firewall, session, most=most)
        if revision is None:
            return output
        done = await revision.asubmit(output)
        if isinstance(done, str):
            raise ModelRetry(done)
        return done.text

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
        """Take in what a call stands on that no request here came before: resumed, or realtime."""
        if any(decision.call_id == call.tool_call_id for decision in session.decisions):
            return
        if ctx.realtime or not session.turns:
            self._seam.hear(session, conversation(ctx.messages))
            session.run_id = ctx.run_id or session.run_id
        known = session.tools
        self._seam.offer(session, shapes([*ctx.tools.values(), tool_def]))
        session.tools = (known or frozenset()) | (session.tools or frozenset())


class _Newest:
    """What is known of the newest response of a run."""

    streams = False


def _refused(
    ctx: RunContext[Any], blocked: Decision, call: ToolCallPart, done: Validated
) -> Exception:
    """How a blocked call is answered that would not be dispatched here."""
    text = feedback_text(blocked)
    ends = (done.is_refused or not blocked.retryable) and spent(ctx, call)
    return ModelRetry(text) if ends else ToolFailed(text)  # type: ignore[no-any-return]


async def _end(
    ctx: RunContext[Any], guard: Guard, value: Any, call: ToolCallPart, *, inside: bool
) -> None:
    """End a call that ran; a withheld result is answered with feedback."""
    guard.value = value
    with _answered(ctx, call, inside=inside):
        await guard.__aexit__(None, None, None)


@contextmanager
def _answered(ctx: RunContext[Any], call: ToolCallPart, *, inside: bool) -> Iterator[None]:
    """Answer a withheld result, or the block of a decorated function inside, with feedback."""
    try:
        yield
    except (CallBlocked, ResultBlocked) as blocked:
        why = refusal(ctx, blocked.decision, call, inside=inside, counts=False)
        raise why from None
