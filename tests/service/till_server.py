"""A till's MCP server without an event stream: it answers a GET with 404, and pays whoever asks."""

from __future__ import annotations

import sys
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

OPEN = {"type": "object", "properties": {"to": {"type": "string"}}}
VERSION = "2025-06-18"
paid: list[str] = []


def tools(user: str) -> list[str]:
    """Return the names of the tools of one user: the chief has one more."""
    return ["pay", "count", *(["close_till"] if user.endswith("chief") else [])]


def result(method: str, params: dict[str, Any], user: str) -> dict[str, Any] | None:
    """Return the result of a request; None where it fails after it was done."""
    if method == "initialize":
        info = {"name": "till", "version": "1"}
        return {"protocolVersion": VERSION, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": OPEN} for name in tools(user)]}
    if params["name"] == "pay":
        paid.append(user)
        return None
    text = str(len(paid)) if params["name"] == "count" else "closed"
    return {"content": [{"type": "text", "text": text}]}


async def endpoint(request: Request) -> Response:
    """Answer one message."""
    if request.method != "POST":
        return Response(status_code=404 if request.method == "GET" else 200)
    message = await request.json()
    if "id" not in message:
        return Response(status_code=202)
    user = request.headers.get("authorization", "")
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    done = result(message["method"], message.get("params", {}), user)
    if done is None:
        answer["error"] = {"code": -32603, "message": "paid, and no receipt"}
    else:
        answer["result"] = done
    return JSONResponse(answer, headers={"mcp-session-id": "one"})


if __name__ == "__main__":
    routes = [Route("/mcp", endpoint, methods=["GET", "POST", "DELETE", "HEAD"])]
    app = Starlette(routes=routes)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
