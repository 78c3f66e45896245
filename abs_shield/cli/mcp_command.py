"""`abs-shield mcp`: a proxy that judges the calls of any MCP server's tools."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import redirect_stdout
from typing import Annotated

import typer

from abs_shield import telemetry
from abs_shield.cli.usage_errors import BadInput
from abs_shield.errors import StoreError
from abs_shield.policy import configure, load_policy
from abs_shield.shield import Shield
from abs_shield.stores import MemoryStore, Store
from abs_shield.stores.store_address import log_key, open_store

app = typer.Typer(add_completion=False, rich_markup_mode=None)


ServerCommand = Annotated[
    list[str] | None,
    typer.Argument(metavar="COMMAND...", help="The server to start; best after `--`."),
]
ServerUrl = Annotated[str | None, typer.Option(metavar="URL", help="A running server instead.")]
HttpHeaders = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="An HTTP header for `--url`, repeatable; `NAME=env:VARIABLE` reads a variable.",
    ),
]
ProxyPolicy = Annotated[
    str | None,
    typer.Option(metavar="MODULE:ATTR", help="The policy; default: all six layers, audit."),
]
HttpAddress = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="Serve HTTP there; default: standard input and output."),
]
DefaultSession = Annotated[
    str | None,
    typer.Option(metavar="ID", help="Session of calls that name none; default: each is separate."),
]
HearOption = Annotated[
    bool, typer.Option("--hear", help="Record the conversation that a client sends.")
]
DecisionLog = Annotated[
    str | None,
    typer.Option(
        metavar="DB",
        help="The decision log; default: ABS_SHIELD_LOG, or your own; none: memory.",
    ),
]


@app.command(
    epilog="Example: abs-shield mcp --policy policies.shop:policy -- uvx mcp-server-git",
    # options after the command belong to it
    context_settings={"allow_interspersed_args": False},
)
def mcp(
    command: ServerCommand = None,
    url: ServerUrl = None,
    header: HttpHeaders = None,
    policy: ProxyPolicy = None,
    http: HttpAddress = None,
    session: DefaultSession = None,
    hear: HearOption = False,
    log: DecisionLog = None,
) -> None:
    """
    Run a proxy for an MCP server that judges every call of its tools.

    Findings are written to the standard error, one line per call, and to OpenTelemetry if an
    OTEL_ variable is set. Exits with 0 when the client leaves, 2 for bad input.
    """
    if bool(command) == bool(url):
        raise BadInput("give either a command behind `--`, or `--url`")
    if header and not url:
        raise BadInput("`--header` is for `--url`; a command has this process's environment")
    try:
        from abs_shield.service import client_headers, mcp_proxy, upstream_server
    except ModuleNotFoundError:  # the missing module's own name would say less
        raise BadInput(
            "the MCP proxy needs `fastmcp`; run `pip install 'abs-shield[fastmcp]'`"
        ) from None
    shield = _open_shield(policy, log)
    if url:
        server = upstream_server.address(url, client_headers.parse_headers(header or ()))
    else:
        server = upstream_server.command(command or ())
    place = None if http is None else mcp_proxy.bind_address(http)
    if place is not None:
        print(f"abs-shield: serving {mcp_proxy.url_of(place)}", file=sys.stderr, flush=True)
    try:
        mcp_proxy.serve(server, shield, http=place, session=session, hears=hear)
    finally:
        shield.close()


def _open_shield(policy: str | None, log: str | None) -> Shield:
    with redirect_stdout(sys.stderr):  # the standard output belongs to the protocol
        _set_up_logging()
        # without a policy nothing may be blocked: the operator has decided nothing yet
        declared = configure(mode="audit") if policy is None else load_policy(policy)
        return Shield(declared, store=_store(log))


def _store(log: str | None) -> Store:
    if log == "none":
        return MemoryStore()
    try:
        return open_store(log, key=log_key())
    except (OSError, StoreError) as error:
        raise BadInput(f"{error}; name another by `--log DB`, or `--log none`") from None


def _set_up_logging() -> None:
    """Log findings to the standard error, and to OpenTelemetry if an OTEL_ variable is set."""
    lines = logging.StreamHandler(sys.stderr)
    # a line for every clean call would fill the client's log
    lines.setLevel(logging.WARNING)
    logging.getLogger("abs_shield").addHandler(lines)
    # or Python prints the SDK's warnings between the findings
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    # without a variable, the SDK would retry a collector that does not exist
    if any(name.startswith("OTEL_") for name in os.environ):
        telemetry.setup()
