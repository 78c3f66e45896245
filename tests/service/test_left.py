"""HTTP clients that disconnect without notice, and a FastMCP without a required part."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("fastmcp", reason="needs `pip install abs-shield[fastmcp]`")

from fastmcp.client.transports import StdioTransport

from abs_shield.errors import ShieldError
from abs_shield.service.upstream_server import command
from abs_shield.service.upstream_session import UpstreamSessions
from tests.service import proxies
from tests.service.proxies import HERE, run_proxy
from tests.service.test_passing import runs, wait_until

IMPATIENT = (
    "import sys; from abs_shield.service import upstream_session; "
    "upstream_session._INITIALIZED_TIMEOUT_S = 0.5; "
    "from abs_shield.cli import main; sys.exit(main())"
)
VERSION = "2025-11-25"


def post(url: str, session: str | None, message: dict[str, object]) -> tuple[str | None, str]:
    """Send one message; return the id of its session, and the answer."""
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": VERSION,
    }
    if session is not None:
        headers["mcp-session-id"] = session
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    with urlopen(Request(url, body, headers), timeout=30) as answer:
        return answer.headers.get("mcp-session-id"), answer.read().decode()


@pytest.mark.release
@pytest.mark.slow
def test_the_process_of_an_idle_client_ends(tmp_path, monkeypatch):
    """If the client continues after all, a new process is started for it."""
    monkeypatch.setattr(proxies, "COMMAND", [sys.executable, "-c", IMPATIENT])
    starts = tmp_path / "starts"
    server = [sys.executable, str(HERE / "asking_server.py"), str(starts)]
    capabilities, info = {}, {"name": "gone", "version": "1"}
    hello = {"protocolVersion": VERSION, "capabilities": capabilities, "clientInfo": info}
    with run_proxy("--log", "none", "--", *server, log=tmp_path / "log") as url:
        session, _ = post(url, None, {"id": 1, "method": "initialize", "params": hello})
        first = int(starts.read_text())
        asyncio.run(wait_until(lambda: not runs(first)))
        post(url, session, {"method": "notifications/initialized"})
        call = {"name": "who", "arguments": {}}
        _, answer = post(url, session, {"id": 2, "method": "tools/call", "params": call})

    assert "gone" in answer
    assert 2 == len(Path(starts).read_text().splitlines())


def test_a_missing_part_of_fastmcp_is_an_error(monkeypatch):
    """Without the part a crashed server would not be restarted."""
    monkeypatch.delattr(StdioTransport, "_is_session_dead")
    with pytest.raises(ShieldError, match="_is_session_dead"):
        UpstreamSessions(command([sys.executable]))
