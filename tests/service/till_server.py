"""A till's MCP server without an event stream: it answers a GET with 404; it pays, and breaks."""

from __future__ import annotations

import asyncio
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
sessions = ["s0"]


def session() -> str:
    """Return the id of the one session that the server knows."""
    return sessions[-1]


def tools(user: str) -> list[str]:
    """Return the names of the tools of one user: the chief has one more."""
    chief = ["close_till"] if user.endswith("chief") else []
    return ["pay", "count", "print_all", "wait", "start_anew", *chief]


def result(method: str, params: dict[str, Any], user: str) -> dict[str, Any] | None:
    """Return the result of a request; None where it fails after it was done."""
    if method == "initialize":
        info = {"name": "till", "version": "1"}
        return {"protocolVersion": VERSION, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": OPEN} for name in tools(user)]}
    if method == "ping":
        return {}
    if params["name"] == "pay":
        paid.append(user)
        return None
    texts = {"count": str(len(paid)), "wait": "waited"}
    return {"content": [{"type": "text", "text": texts.get(params["name"], "closed")}]}


async def endpoint(request: Request) -> Response:
    """Answer one message."""
    if request.method != "POST":
        return Response(status_code=404 if request.method == "GET" else 200)
    message = await request.json()
    if "id" not in message:
        return Response(status_code=202)
    known = request.headers.get("mcp-session-id")
    if known is not None and known != session():
        return Response("no such session", status_code=400)  # as many servers do: the word is 404
    name = message.get("params", {}).get("name", "")
    if name == "wait":
        await asyncio.sleep(1)
    if name == "start_anew":
        sessions.append(f"s{len(sessions)}")
    if name in ("print_all", "start_anew"):  # a stream that ends before its answer
        return Response(": printing\n\n", media_type="text/event-stream")
    user = request.headers.get("authorization", "")
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    done = result(message["method"], message.get("params", {}), user)
    if done is None:
        answer["error"] = {"code": -32603, "message": "paid, and no receipt"}
    else:
        answer["result"] = done
    return JSONResponse(answer, headers={"mcp-session-id": session()})


if __name__ == "__main__":
    routes = [Route("/mcp", endpoint, methods=["GET", "POST", "DELETE", "HEAD"])]
    app = Starlette(routes=routes)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
