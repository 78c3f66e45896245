"""A request to the model of an agent, repeated with feedback until its response can be used."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import ModelResponse
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from abs_shield.adapters.langgraph.langchain_messages import answer_of, replace_answer
from abs_shield.core import Decision, ToolCall
from abs_shield.shield.tool_call_loop import feedback_text

if TYPE_CHECKING:
    from abs_shield.adapters.langgraph.agent_middleware import ShieldModelMiddleware


class ModelTurn:
    """One request to the model, repeated while none of the returned calls can be parsed."""

    def __init__(self, middleware: ShieldModelMiddleware, request: Any) -> None:
        self.request = request
        self._middleware = middleware
        self._earlier: list[Any] = []
        self._drafts: list[Any] = []
        self._retries_left = middleware.firewall.policy.retries

    def handle_response(self, response: Any) -> Any:
        """Return the response for the agent; None if the model must be called again."""
        text = answer_of(response)
        revision = None if text is None else self._middleware.revision()
        outcome = self.handle_calls(response)
        if text is None or revision is None:
            return outcome
        return self._continue_with(response, text, revision.submit(text))

    async def ahandle_response(self, response: Any) -> Any:
        """Async version of `handle_response`."""
        text = answer_of(response)
        revision = None if text is None else self._middleware.revision()
        outcome = self.handle_calls(response)
        if text is None or revision is None:
            return outcome
        return self._continue_with(response, text, await revision.asubmit(text))

    def _continue_with(self, response: Any, text: str, done: Any) -> Any:
        """Return the settled answer, or prepare the request for a revision."""
        if isinstance(done, str):
            messages = [*response.result, HumanMessage(done)]
            self._drafts += messages
            self.request = self.request.override(messages=[*self.request.messages, *messages])
            return None
        self._drafts.clear()  # unsupported drafts are not shown
        return self._with_earlier_messages(
            response if done.text == text else replace_answer(response, done.text), []
        )

    def handle_calls(self, response: Any) -> Any:
        """Judge the calls of a response and return it; None if the model must be called again."""
        result = response.result
        message = next((m for m in result if isinstance(m, AIMessage)), None)
        if message is None:
            return self._with_earlier_messages(response, [])
        system = self.request.system_message
        sent = [*([] if system is None else [system]), *self.request.messages]
        answered_ids = {m.tool_call_id for m in result if isinstance(m, ToolMessage)}
        judged = self._middleware.judge(
            message, sent, self.request.tools, answered_ids=answered_ids
        )
        broken = {call["id"] for call in message.invalid_tool_calls if call["id"]}
        feedback = [feedback_message(c, d) for c, d in judged if c.id in broken and d.blocked]
        # calls that can be parsed run first; the model reads the feedback with their results
        if message.tool_calls or not feedback:
            return self._with_earlier_messages(response, feedback)
        if not self._retries_left:
            return self._with_earlier_messages(response, [])
        self._retries_left -= 1
        self._earlier += [*result, *feedback]
        messages = [*self.request.messages, *result, *feedback]
        self.request = self.request.override(messages=messages)
        return None

    def _with_earlier_messages(
        self, response: ModelResponse[Any], feedback: list[ToolMessage]
    ) -> Any:
        before = [*self._earlier, *self._drafts]
        if not (before or feedback):
            return response
        return replace(response, result=[*before, *response.result, *feedback])


def feedback_message(call: ToolCall, decision: Decision) -> ToolMessage:
    """Return the message that answers a blocked call, or replaces a withheld result."""
    return ToolMessage(
        feedback_text(decision), name=call.name, tool_call_id=call.id or "", status="error"
    )
