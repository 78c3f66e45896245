"""A server that speaks the chat-completions format; the model's name says how it behaves."""

from __future__ import annotations

import json
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from tests.answer.judges import LookupJudge, Reader

GOOD = '{"verdict": 1}'
READER = Reader(lambda statement: int("330" not in statement))
"""Takes texts apart, and judges statements: what a faithfulness guardrail asks a model for."""
CLERK = LookupJudge()
"""Judges claims and fills gaps: what scorers and probes ask a model for."""
TEXTS = {
    "good": GOOD,
    "fenced": f"Here it is:\n```json\n{GOOD}\n```\nBye.",
    "prose": "I think that it is faithful.",
    "half": '{"verdict": ',
    "two": '{"verdict": 1} or {"verdict": 0}',
    "twice": '{"verdict": 0, "verdict": 1}',
    "blank": "  ",
    "null": None,
}
FAULTS: dict[str, tuple[int, str]] = {
    "busy": (429, "slow down"),
    "broken": (500, "it broke"),
    "unknown": (404, "no such model"),
}
REFUSED = {
    "object-only": (lambda asked: _kind(asked) == "json_schema", "json_schema is not supported"),
    "text-only": (lambda asked: _kind(asked) is not None, "unknown field response_format"),
    "no-temperature": (lambda asked: "temperature" in asked, "temperature is not supported"),
    "new-limit": (
        lambda asked: "max_tokens" in asked,
        "max_tokens is not supported, use max_completion_tokens",
    ),
    "never": (lambda asked: True, "this context is too long"),
}


def _kind(asked: dict[str, Any]) -> str | None:
    return (asked.get("response_format") or {}).get("type")


class Handler(BaseHTTPRequestHandler):
    """Answers one request; ``once-`` before a name lets the second one of that name succeed."""

    protocol_version = "HTTP/1.1"
    asked: ClassVar[Counter[str]] = Counter()
    last: ClassVar[dict[str, Any]] = {}

    def do_GET(self) -> None:
        self.send(200, {"asked": self.asked, "last": self.last})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        name = request["model"]
        Handler.asked[name] += 1
        Handler.last[name] = request
        if name.startswith("once-"):
            name = "good" if self.asked[name] > 1 else name.removeprefix("once-")
        self.behave(name, request)

    def behave(self, name: str, asked: dict[str, Any]) -> None:
        if name in FAULTS:
            status, body = FAULTS[name]
            self.send(status, {"error": {"message": body}}, {"retry-after": "1"})
        elif name in REFUSED and REFUSED[name][0](asked):
            self.send(400, {"error": {"message": REFUSED[name][1]}})
        elif name == "denied":
            body = f"the key {self.headers['authorization']} is wrong"
            self.send(401, {"error": {"message": body}})
        elif name == "slow":
            time.sleep(3)
            self.send(200, completion(GOOD))
        elif name == "cut-body":
            self.send(200, completion(GOOD), {"content-length": "5000"})
            self.close_connection = True
        elif name == "page":
            self.send(200, "<html>It works!</html>", {"content-type": "text/html"})
        elif name == "empty":
            self.send(200, completion(GOOD) | {"choices": []})
        elif name == "refusing":
            self.send(200, completion(None, refusal="I will not judge that."))
        elif name == "reads":
            self.send(200, completion(json.dumps(READER(asked["messages"], {}))))
        elif name == "clerk":
            self.send(200, completion(json.dumps(CLERK(asked["messages"], {}))))
        elif name == "reads-aloud":
            body = json.dumps(READER(asked["messages"], {}))
            self.send(200, completion(f"Here you are:\n```json\n{body}\n```\nAnything else?"))
        elif name == "cut-off":
            self.send(200, completion(TEXTS["half"], finish="length"))
        elif name == "filtered":
            self.send(200, completion(None, finish="content_filter"))
        else:
            self.send(200, completion(TEXTS.get(name, GOOD)))

    def send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        usual = {"content-type": "application/json", "content-length": str(len(data))}
        self.send_response(status)
        for key, value in (usual | (headers or {})).items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: Any) -> None:
        """Log nothing."""


def completion(
    text: str | None, *, refusal: str | None = None, finish: str = "stop"
) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()
