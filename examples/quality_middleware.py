"""
A service whose agent writes memos: each one passes the quality cascade before a client gets it.

The service is pure ASGI and the client is scripted, so that this runs with no key and no network:

    python examples/quality_middleware.py

`uvicorn examples.quality_middleware:app` serves the same application.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from abs_shield import Shield, shield
from abs_shield.adapters.asgi import QualityMiddleware, QualityRoute
from abs_shield.quality import QualityConfig, QualityPipeline, Task
from abs_shield.quality.facts import Fact, FactTable

MEMOS = {
    "summary": "Acme closed Q4 2025 with revenue of $50M. The full statement is attached.",
    "wrong": "Acme closed Q4 2025 with revenue of $58M. The full statement is attached.",
    "contact": "Please wire the fee to IBAN DE89 3704 0044 0532 0130 00.",
}

firewall = Shield(shield.configure(mode="strict"), hooks=None)
facts = FactTable([Fact(subject="Acme", attribute="revenue", value="$50M", period="Q4 2025")])
pipeline = QualityPipeline(QualityConfig(facts=facts), shield=firewall)


async def service(scope: Any, receive: Any, send: Any) -> None:
    """Send a memo; in place of this stands your Starlette or FastAPI application."""
    name = scope["path"].rpartition("/")[2]
    body = json.dumps({"text": MEMOS[name]}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


memos = QualityRoute(
    path="/memos/*", outputs=["/text"], task=Task(output_classification="INTERNAL")
)
app = QualityMiddleware(service, pipeline, routes=[memos])


async def get(path: str) -> tuple[int, Any]:
    """The status and the JSON that a client of the service gets."""
    events: list[Any] = []

    async def send(event: Any) -> None:
        events.append(event)

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    await app({"type": "http", "method": "GET", "path": path, "headers": []}, receive, send)
    return events[0]["status"], json.loads(b"".join(event.get("body", b"") for event in events))


async def main() -> None:
    for name in MEMOS:
        status, body = await get(f"/memos/{name}")
        print(f"{name}: {status} {body.get('text') or body['title']}")
        for line in body.get("detail", "").splitlines():
            print(f"  {line}")
    for decision in firewall.store.decisions():
        print(
            f"{decision.subject} {decision.action}: {', '.join(f.code for f in decision.findings)}"
        )


if __name__ == "__main__":
    asyncio.run(main())
