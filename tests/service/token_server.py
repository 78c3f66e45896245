"""An MCP server over HTTP that requires a bearer token and reports its owner."""

from __future__ import annotations

import sys
from typing import Any

from fastmcp import Context, FastMCP
from fastmcp.server.auth import StaticTokenVerifier
from fastmcp.server.dependencies import get_access_token, get_http_headers

TOKENS: dict[str, dict[str, Any]] = {
    f"token-{who}": {"client_id": who, "sub": who, "scopes": []} for who in ("a", "b", "operator")
}
server: FastMCP = FastMCP("token", auth=StaticTokenVerifier(TOKENS))


@server.tool
def whose() -> str:
    """Return the owner of the request's token and the note in its headers."""
    token = get_access_token()
    note = get_http_headers().get("x-note", "")
    return f"{token.client_id if token else None} {note}".strip()


@server.tool
async def ask(question: str, context: Context) -> str:
    """Ask the user."""
    answer = await context.elicit(question, response_type=str)
    return f"{answer.action} {getattr(answer, 'data', None)}"


if __name__ == "__main__":
    server.run("http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
