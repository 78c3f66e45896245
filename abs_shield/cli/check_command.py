"""`abs-shield check`: one call from the standard input."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from abs_shield.cli.console import open_console, print_json
from abs_shield.cli.decision_text import render_decision
from abs_shield.cli.json_inputs import ToolsFile, parse_json, read_messages, read_tools
from abs_shield.cli.shared_options import PolicyReference, TextFormat, TextOrJson
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core import ToolCall
from abs_shield.core.messages import UnreadableMessage, read_call, read_calls
from abs_shield.errors import PolicyError
from abs_shield.policy import configure, load_policy
from abs_shield.shield import Shield
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(
    epilog='Example: echo \'{"name": "refnud", "arguments": {}}\' | '
    "abs-shield check --tools tools.json"
)
def check(
    tools: ToolsFile = None,
    toolset: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which list of --tools to use.")
    ] = None,
    policy: PolicyReference = None,
    messages: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="JSON list: the conversation before the call."),
    ] = None,
    format: TextOrJson = TextFormat.TEXT,
) -> None:
    """
    Judge one proposed call, read from the standard input in any format.

    Exits with 0 if nothing would be blocked, 1 if the call would be, 2 for bad input.
    """
    firewall = Shield(configure() if policy is None else load_policy(policy))
    for tool in read_tools(tools, toolset):
        firewall.register(tool)
    try:
        session = firewall.session(messages=read_messages(messages))
    except (PolicyError, UnreadableMessage) as error:
        raise BadInput(f"{messages}: {str(error).removeprefix('session: ')}") from None
    decision = firewall.check_call(_call(), session=session)
    if format is TextFormat.JSON:
        print_json(decision.to_dict())
    else:
        console = open_console()
        for text in render_decision(decision):
            console.print_line(text)
    # `would_block`, so that a policy in audit mode can be tried as well
    raise typer.Exit(1 if decision.would_block else 0)


_CALL = '{"name": "refund", "arguments": {}}'


def _misspelt_name(value: Any) -> str | None:
    """Return the member that is nearly called ``name``."""
    members = [key for key in value if isinstance(key, str)] if isinstance(value, Mapping) else []
    return next(iter(nearest("name", members)), None)


def _call() -> ToolCall:
    text = sys.stdin.buffer.read()
    if not text.strip():
        raise BadInput(f"<stdin>: it is empty; pipe one call, such as `{_CALL}`")
    value = parse_json(text, path="<stdin>")
    try:
        # a JSON-RPC request of MCP holds one call, and `read_calls` would look for a message
        request = isinstance(value, dict) and "params" in value
        calls = (read_call(value),) if request else read_calls(value)
    except UnreadableMessage as error:
        near = _misspelt_name(value)
        if near is not None and near != "name":
            raise BadInput(
                f"<stdin>: the call has no `name`, but `{escaped(near)}`; did you mean `name`?"
            ) from None
        raise BadInput(f"<stdin>: {error}") from None
    # the exit code answers for one call
    if len(calls) != 1:
        raise BadInput(f"<stdin>: it holds {len(calls)} calls; give one")
    return calls[0]
