"""
An agent makes up a transaction, reads why it was stopped, and corrects itself.

The SDK's tool runner is real; the model behind it is scripted, so that no key is needed:

    python examples/anthropic_agent.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
from anthropic import Anthropic, beta_tool

from abs_shield import Shield, shield
from abs_shield.adapters.anthropic import shielded_runner

firewall = Shield(shield.configure(mode="strict", on_suspicious="block"), hooks=None)


@beta_tool
def refund(transaction_id: str, amount: float) -> str:
    """Refund a transaction."""
    return f"refunded {amount:.2f} for {transaction_id}"


def turn(number: int, reason: str, **block: Any) -> dict[str, Any]:
    """One answer of the model, as the API writes it."""
    answer = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {**answer, "content": [block], "stop_reason": reason, "usage": usage}


def model() -> Iterator[dict[str, Any]]:
    """Yield a language model's scripted answers, turn by turn."""
    for number, transaction in enumerate(("tx_99999", "tx_12345")):
        call = {"type": "tool_use", "id": f"c{number}", "name": "refund"}
        arguments = {"transaction_id": transaction, "amount": 20.0}
        yield turn(number, "tool_use", **call, input=arguments)
    yield turn(2, "end_turn", type="text", text="Your 20.00 are on their way.")


def main() -> None:
    turns = model()
    answers = httpx2.MockTransport(lambda request: httpx2.Response(200, json=next(turns)))
    with Anthropic(api_key="none", http_client=httpx2.Client(transport=answers)) as client:
        runner = client.beta.messages.tool_runner(
            model="scripted",
            max_tokens=1000,
            tools=[refund],
            messages=[{"role": "user", "content": "Please refund tx_12345, 20 dollars."}],
        )
        shielded_runner(runner, firewall=firewall)
        for _ in runner:
            results = runner.generate_tool_call_response()
            for result in results["content"] if results else ():
                print(f"tool  {shown(result)}")
        print(f"agent {runner.until_done().content[0].text}")
    stopped = sum(decision.blocked for decision in firewall.store.decisions())
    print(f"{stopped} call was stopped")


def shown(result: Any) -> str:
    """The tool's answer, or why there is none."""
    if not result.get("is_error"):
        return str(result["content"])
    problem = json.loads(result["content"])["problems"][0]
    return f"blocked: {problem['got']} is {problem['code']}; {problem['hint']}"


if __name__ == "__main__":
    main()
