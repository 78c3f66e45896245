"""
The OpenAI SDK's tool runner for Responses: an invented transaction is stopped, and corrected.

The runner is real; the model behind it is scripted, so that no key is needed:

    python examples/openai_runner_agent.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
from openai import OpenAI
from openai.lib.responses_tool_runner import RegisteredFunction, ResponsesToolRunner

from abs_shield import Shield, shield
from abs_shield.adapters.openai import shielded_runner

firewall = Shield(shield.configure(mode="strict", on_suspicious="block"), hooks=None)

REFUND: Any = {
    "type": "function",
    "name": "refund",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"transaction_id": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["transaction_id", "amount"],
        "additionalProperties": False,
    },
}


def refund(arguments: dict[str, Any]) -> str:
    """Refund a transaction."""
    return f"refunded {arguments['amount']:.2f} for {arguments['transaction_id']}"


def turn(number: int, **item: Any) -> dict[str, Any]:
    """One answer of the model, as the API writes it."""
    answer = {"id": f"r{number}", "object": "response", "created_at": 1, "model": "scripted"}
    settings = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    output = [{"id": f"i{number}", "status": "completed", **item}]
    return {**answer, **settings, "status": "completed", "output": output}


def model() -> Iterator[dict[str, Any]]:
    """Yield a language model's scripted answers, turn by turn."""
    for number, transaction in enumerate(("tx_99999", "tx_12345")):
        arguments = json.dumps({"transaction_id": transaction, "amount": 20.0})
        call = {"type": "function_call", "call_id": f"c{number}", "name": "refund"}
        yield turn(number, **call, arguments=arguments)
    text = {"type": "output_text", "text": "Your 20.00 are on their way.", "annotations": []}
    yield turn(2, type="message", role="assistant", content=[text])


def main() -> None:
    turns = model()
    answers = httpx2.MockTransport(lambda request: httpx2.Response(200, json=next(turns)))
    runner = ResponsesToolRunner(functions=[RegisteredFunction(REFUND, refund)])
    shielded_runner(runner, firewall=firewall)
    with OpenAI(api_key="none", http_client=httpx2.Client(transport=answers)) as client:
        question = "Please refund tx_12345, 20 dollars."
        answer = runner.run(client, {"model": "scripted", "input": question})
    for decision in firewall.store.decisions():
        print(f"tool  {decision.explain()}")
    print(f"agent {answer.output_text}")


if __name__ == "__main__":
    main()
