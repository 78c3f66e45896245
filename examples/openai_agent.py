"""
An agent on the OpenAI SDK: an invented transaction is stopped, and the model corrects itself.

The model is scripted, so that it runs without a key:

    python examples/openai_agent.py
"""

from __future__ import annotations

import json
from typing import Any

import httpx2
from openai import OpenAI

from abs_shield import Shield, shield
from abs_shield.adapters.openai import run_tool_calls

firewall = Shield(shield.configure(mode="strict", on_suspicious="block"), hooks=None)


def refund(transaction_id: str, amount: float) -> str:
    """Refund a transaction."""
    return f"refunded {amount} of {transaction_id}"


firewall.register(refund)
TOOLS: list[Any] = firewall.tool_schemas("openai")

SCRIPT: list[tuple[str, Any]] = [
    ("call", {"transaction_id": "tx_70912", "amount": 20}),
    ("call", {"transaction_id": "tx_70219", "amount": 20}),
    ("say", "Order ord_7 is refunded."),
]


def model(request: httpx2.Request) -> httpx2.Response:
    """The provider: it answers with the next line of the script, and calls the tool it is sent."""
    (tool,) = json.loads(request.content)["tools"]
    kind, content = SCRIPT.pop(0)
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if kind == "call":
        function = {"name": tool["function"]["name"], "arguments": json.dumps(content)}
        call = {"id": f"c{len(SCRIPT)}", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    shape = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted"}
    return httpx2.Response(200, json={**shape, "choices": [choice]})


client = OpenAI(api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(model)))


def main() -> None:
    messages: list[Any] = [
        {"role": "user", "content": "Please refund order ord_7: tx_70219, 20 dollars."}
    ]
    with firewall.session():
        while True:
            response = client.chat.completions.create(
                model="scripted", messages=messages, tools=TOOLS
            )
            message = response.choices[0].message
            if not message.tool_calls:
                break
            results = run_tool_calls(response, messages, firewall=firewall)
            print("the model reads:", results[0]["content"])
            messages += [message, *results]
    print(message.content)


if __name__ == "__main__":
    main()
