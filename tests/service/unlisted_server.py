"""An MCP server over stdio whose tools can be called, and not be listed."""

from __future__ import annotations

import json
import sys
from typing import Any


def answer(method: str, params: Any) -> dict[str, Any]:
    """Return the result or the error of a request."""
    if method == "initialize":
        capabilities, info = {"tools": {}}, {"name": "unlisted", "version": "1"}
        version = params["protocolVersion"]
        return {
            "result": {
                "protocolVersion": version, "capabilities": capabilities, "serverInfo": info
            }
        }  # fmt: skip
    if method == "tools/list" and sys.argv[1] == "error":
        return {"error": {"code": -32603, "message": "the database is down"}}
    if method == "tools/list":
        return {"result": {"tools": [{"name": "echo"}]}}  # it has no schema: the SDK refuses it
    if method == "tools/call":
        text = json.dumps(params["arguments"])
        return {"result": {"content": [{"type": "text", "text": text}]}}
    return {"result": {}}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        answered = answer(message["method"], message.get("params"))
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answered}) + "\n")
        sys.stdout.flush()
