"""
An agent's answer is checked before the user reads it: one is written again, one is refused.

The model is scripted, so that this runs with no key and no network:

    python examples/answer_middleware.py
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

from abs_shield import AnswerConfig, Shield, shield, shielded

Message = dict[str, Any]
Model = Callable[[list[Message], list[dict[str, Any]]], Message]
Agent = Callable[[str], str]

ORDERS = {"W-1042": "Order W-1042 was paid on 3 March 2026 and has not been sent yet."}
firewall = Shield(
    shield.configure(
        mode="strict", answer=AnswerConfig(refusal="I cannot answer this reliably: {reason}.")
    ),
    hooks=None,
)


@shielded(firewall)
def handbook(topic: str) -> str:
    """Look something up in the shop's handbook."""
    return "Returns are accepted within 30 days of delivery. Standard delivery costs 4.90 euros."


@shielded(firewall)
def find_order(order_id: str) -> str:
    """Find an order."""
    return ORDERS[order_id]


@shielded(firewall)
def cancel_order(order_id: str) -> str:
    """Cancel an order."""
    return f"Order {order_id} was cancelled."


def scripted(*replies: Message) -> Model:
    """A language model that gives these replies, one after the other."""
    left: Iterator[Message] = iter(replies)
    return lambda messages, tools: next(left)


def call(name: str, **arguments: Any) -> Message:
    """One assistant message in OpenAI's shape."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    tool_call = {"id": f"call_{name}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [tool_call]}


def says(text: str) -> Message:
    """Return the model's final answer, without a tool call."""
    return {"role": "assistant", "content": text}


def answers(model: Model, messages: list[Message]) -> str:
    """The agent's loop: run what the model calls for until it answers."""
    while True:
        message = model(messages, firewall.tool_schemas("openai"))
        messages.append(message)
        if not message.get("tool_calls"):
            return str(message["content"])
        messages += firewall.run_tool_calls(message)


def checked(model: Model) -> Agent:
    """Middleware: an agent whose every answer has to hold before anybody reads it."""

    def agent(question: str) -> str:
        messages = [{"role": "user", "content": question}]

        def write(feedback: str) -> str:
            print(f"  told:   {feedback.splitlines()[1]}")
            messages.append({"role": "user", "content": feedback})
            return answers(model, messages)

        with firewall.session(messages=messages) as session:
            draft = answers(model, messages)
            print(f"  draft:  {draft}")
            done = firewall.settle_answer(draft, write=write)
        for decision in session.answer_decisions:
            print(f"  check:  {decision.action}, {decision.verdict}{why(decision)}")
        return done.text

    return agent


def why(decision: Any) -> str:
    """The first thing that speaks against an answer."""
    weighing = [finding for finding in decision.findings if finding.weighs]
    return f"; {weighing[0].where} is {weighing[0].code}" if weighing else ""


GOOD = "Returns are accepted within 30 days of delivery."
REVISED = scripted(
    call("handbook", topic="returns"),
    says(f"{GOOD} A courier picks them up for 7.50 euros."),
    says(GOOD),
)
REFUSED = scripted(call("find_order", order_id="W-1042"), says("I have cancelled order W-1042."))


async def later() -> str:
    """The same in an async agent: the models that are asked do not hold up the event loop."""

    async def write(feedback: str) -> str:
        return GOOD

    with firewall.session() as session:
        session.user("May I send my order back?")
        handbook("returns")
        done = await firewall.asettle_answer(
            f"{GOOD} We also call you a taxi for 20 euros.", write=write
        )
    return f"{done.text} (written again {done.rounds} time)"


def main() -> None:
    for question, model in (
        ("May I send my order back?", REVISED),
        ("Please cancel my order W-1042.", REFUSED),
    ):
        print(question)
        print(f"  said:   {checked(model)(question)}")
    print(f"async: {asyncio.run(later())}")


if __name__ == "__main__":
    main()
