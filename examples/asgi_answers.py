"""
A service whose agent answers over HTTP: each response is settled before it is sent.

The service is pure ASGI and the client is scripted, so that this runs with no key and no network:

    python examples/asgi_answers.py
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from abs_shield import Session, Shield, shield, shielded
from abs_shield.adapters.asgi import AnswerMiddleware

firewall = Shield(shield.configure(mode="strict"), hooks=None)
ANSWERS = {
    "What does order W-1042 cost?": "Order W-1042 costs 18.90 euros.",
    "When does it come?": "Order W-1042 costs 18.90 euros. A drone brings it within 3 hours.",
    "Please cancel order W-1042.": "I have cancelled order W-1042.",
}


@shielded(firewall)
def find_order(order_id: str) -> str:
    """Find an order."""
    return f"Order {order_id} costs 18.90 euros."


@shielded(firewall)
def cancel_order(order_id: str) -> str:
    """Cancel an order."""
    return f"Order {order_id} was cancelled."


async def service(scope: Any, receive: Any, send: Any) -> None:
    """Answer a question; in place of this stands your Starlette or FastAPI application."""
    question = json.loads((await receive())["body"])["question"]
    find_order("W-1042")  # what the agent's model would call
    body = json.dumps({"answer": ANSWERS[question]}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def write(feedback: str, session: Session) -> str:
    """Write an answer again; in place of this stands a request to your model."""
    print(f"  told:   {feedback.splitlines()[1]}")
    return "Order W-1042 costs 18.90 euros."


app = AnswerMiddleware(service, firewall, write=write)


async def post_question(question: str) -> str:
    """The answer that a client of the service gets."""
    sent: list[bytes] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps({"question": question}).encode()}

    async def send(event: dict[str, Any]) -> None:
        sent.append(event.get("body", b""))

    await app({"type": "http", "method": "POST", "path": "/", "headers": []}, receive, send)
    return str(json.loads(b"".join(sent))["answer"])


def main() -> None:
    for question in ANSWERS:
        print(question)
        print(f"  answer: {asyncio.run(post_question(question))}")


if __name__ == "__main__":
    main()
