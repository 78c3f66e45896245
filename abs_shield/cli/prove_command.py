"""`abs-shield prove`: check a policy against its tools before it is used."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

import abs_shield
from abs_shield.cli.console import open_console, print_json, safe
from abs_shield.cli.fitting_table import FittingTable
from abs_shield.cli.json_inputs import ToolsFile, read_tools_with_lines
from abs_shield.cli.shared_options import TextFormat, TextOrJson
from abs_shield.cli.usage_errors import BadInput
from abs_shield.errors import PolicyError
from abs_shield.plan.mark_places import Names
from abs_shield.plan.policy_problem import Problem, Proof, Severity, problem
from abs_shield.plan.proof import prove as proved
from abs_shield.policy import Policy, Tool, configure
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.policy.policy_loading import load, location_of
from abs_shield.shield import Shield
from abs_shield.shield.shared_tools import SHARED
from abs_shield.text.safe_display import escaped

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}
_WARNINGS_HINT = "warnings do not fail the command; in CI give `--fail-on warning`"
_PACKAGE = str(Path(abs_shield.__file__).parent)


class ProveFailOn(StrEnum):
    """The lowest severity that makes a proof fail."""

    ERROR = "error"
    WARNING = "warning"


@app.command(epilog="Example: abs-shield prove policies.shop:policy --fail-on warning")
def prove(
    policy: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:ATTR", help="A policy, a Shield, or a function that returns one."
        ),
    ],
    tools: ToolsFile = None,
    format: TextOrJson = TextFormat.TEXT,
    fail_on: Annotated[
        ProveFailOn,
        typer.Option(help="Exit with 1 if there are errors, or also if there are warnings."),
    ] = ProveFailOn.ERROR,
) -> None:
    """
    Compare a policy with its tools: rules that never reject, names that do not exist.

    Exits with 0 if there are no errors, 1 if there are, 2 for bad input. Warnings alone exit with
    0; use --fail-on warning in CI.
    """
    with redirect_stdout(sys.stderr):  # what the module and its rules print is no part of a proof
        proof = _proof(policy, read_tools_with_lines(tools))
    if format is TextFormat.JSON:
        print_json(proof.to_dict())
    else:
        _print(proof, fail_on)
    bad = proof.problems if fail_on is ProveFailOn.WARNING else proof.errors
    raise typer.Exit(1 if bad else 0)


def _proof(place: str, listed: Iterable[Tool]) -> Proof:
    try:
        policy = _load_policy(place)
    except PolicyError as error:
        return Proof(problems=(_not_declared(error, place),))
    policy, tools, names = _policy_and_tools(policy, listed, place)
    return proved(policy, tools, names=names)


def _load_policy(place: str) -> Any:
    """Return the object that *place* names; a function is called for its policy."""
    value = load(place)
    if isinstance(value, Mapping):
        return configure(value)
    if isinstance(value, Policy | Shield) or not callable(value):
        return value
    try:
        return value()
    except PolicyError:  # with its file and line, it is a problem of the proof
        raise
    except Exception as error:
        reason = escaped(f"{type(error).__name__}: {error}", limit=300)
        raise BadInput(f"`{place}` raises when it is called for its policy: {reason}") from None


def _policy_and_tools(
    loaded: Any, listed: Iterable[Tool], place: str
) -> tuple[Policy, dict[str, Tool], dict[str, Names]]:
    """Return the policy, the tools of it, its Shield and the file, and names of functions."""
    if isinstance(loaded, Shield):
        policy, registered = loaded.policy, loaded.registry.tools()
        names = loaded.registry.names_of_models()
    elif isinstance(loaded, Policy):
        policy, registered = loaded, _registered_tools(loaded)
        names = {name: binding.names_of_models for name, binding in SHARED.bindings.items()}
    else:
        kind = escaped(type(loaded).__name__)
        raise BadInput(f"`{place}` is a `{kind}`, not a policy or a Shield")
    declared = {tool.name: tool for tool in policy.tools}
    for tool in listed:
        # a tool of the program itself is more exact than a list in a file
        if tool.name not in registered or registered[tool.name] is declared.get(tool.name):
            registered[tool.name] = (
                tool.refined(declared[tool.name]) if tool.name in declared else tool
            )
    return policy, registered, names


def _registered_tools(policy: Policy) -> dict[str, Tool]:
    """Return the tools registered with a policy's Shield, or those it declares if that fails."""
    try:
        return Shield.of(policy).registry.tools()
    except PolicyError:
        declared = {tool.name: tool for tool in policy.tools}
        shared = {name: binding.tool for name, binding in SHARED.bindings.items()}
        refined = {n: t.refined(declared[n]) if n in declared else t for n, t in shared.items()}
        return {**declared, **refined}


def _not_declared(error: PolicyError, place: str) -> Problem:
    """Return a problem for an error in the policy's declaration, with its file and line."""
    declared = error.__cause__ if isinstance(error.__cause__, PolicyError) else error
    own = location_of(declared)
    # an error of this package itself, not of the declaration
    if own is None:
        raise error
    message = escaped(str(declared), limit=600)
    return problem("not_declared", message, subject=place, place=own)


def _print(proof: Proof, fail_on: ProveFailOn) -> None:
    console = open_console()
    table = FittingTable("", "code", "where", "problem")
    for each in (*proof.problems, *proof.notes):
        table.add_row(*_cells(each))
    if table.excess(console.width):  # a column would break a name in two
        for row in table.rows:
            console.print_line(Text(" ").join(row))
    elif table.rows:
        console.print(table)
    console.print_line(safe(proof.summary, style="bold red" if not proof.ok else "bold green"))
    if proof.ok and proof.warnings and fail_on is ProveFailOn.ERROR:
        console.print_line(safe(_WARNINGS_HINT, style="yellow"))


def _cells(each: Problem) -> list[Text]:
    hint = f"\n  hint: {each.hint}" if each.hint else ""
    return [
        safe(each.severity, style=_STYLES[each.severity]),
        Text(each.code),
        safe(_short_location(each)),
        safe(each.message, limit=1_000).append(hint),
    ]


def _short_location(each: Problem) -> str:
    """Return the location, relative to the working directory if below it."""
    here = f"{Path.cwd()}/"
    return str(SourceLocation(each.file.removeprefix(here), each.line))
