"""
An agent of the OpenAI Agents SDK makes up a transaction, reads why it was blocked, corrects itself.

The model is scripted, so that this runs with no key and no network:

    python examples/openai_agents_agent.py
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from agents import Agent, Model, ModelResponse, Usage, function_tool, set_tracing_disabled
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from abs_shield import Shield, Tool, shield
from abs_shield.adapters.openai_agents import ShieldedRunner

firewall = Shield(
    shield.configure(
        mode="strict", on_suspicious="block", tools=[Tool(name="refund", destructive=True)]
    ),
    hooks=None,
)


@function_tool
def refund(transaction_id: str, amount: float) -> str:
    """Refund a transaction."""
    return f"refunded {amount:.2f} for {transaction_id}"


def call(call_id: str, **arguments: Any) -> ResponseFunctionToolCall:
    """A call of `refund`, as the Responses API writes it."""
    return ResponseFunctionToolCall(
        call_id=call_id, name="refund", arguments=json.dumps(arguments), type="function_call"
    )


def answers() -> Iterator[Any]:
    """A language model with scripted answers."""
    yield call("c1", transaction_id="tx_99999", amount=20)
    yield call("c2", transaction_id="tx_12345", amount=20)
    text = ResponseOutputText(
        text="Your 20.00 are on their way.", type="output_text", annotations=[]
    )
    yield ResponseOutputMessage(
        id="m1", content=[text], role="assistant", status="completed", type="message"
    )


class Scripted(Model):
    """A scripted model in place of a language model."""

    def __init__(self) -> None:
        self._answers = answers()

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        return ModelResponse(output=[next(self._answers)], usage=Usage(), response_id=None)

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        response = Response(
            id="r1",
            created_at=0,
            model="scripted",
            object="response",
            output=[next(self._answers)],
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(
            response=response, type="response.completed", sequence_number=0
        )


async def main() -> None:
    set_tracing_disabled(True)
    agent = Agent(name="support", model=Scripted(), tools=[refund])
    runner = ShieldedRunner(firewall)
    result = await runner.run(agent, "Please refund tx_12345, it was 20 dollars.")
    for item in result.new_items:
        if item.type == "tool_call_output_item":
            output = str(item.output)
            print(
                f"{'refund':<13}{blocked(output) if output.startswith('{') else 'ran: ' + output}"
            )
    print(f"{'agent':<13}{result.final_output}")


def blocked(feedback: str) -> str:
    """The first problem that the model read."""
    problem = json.loads(feedback)["problems"][0]
    return f"blocked: {problem['field']} is {problem['code']}"


if __name__ == "__main__":
    asyncio.run(main())
