"""`abs-shield show`: one decision of the log in detail."""

from __future__ import annotations

import json
from enum import StrEnum
from io import StringIO
from typing import Annotated, Any

import typer

from abs_shield.cli.console import PlainConsole, open_console
from abs_shield.cli.log.damaged_records import DamagedRecords
from abs_shield.cli.log.decision_lookup import find_decision
from abs_shield.cli.log.log_option import files_of, open_log
from abs_shield.cli.output_file import open_output
from abs_shield.cli.show.decision_details import DecisionDetails
from abs_shield.cli.show.decision_lines import full_lines
from abs_shield.cli.show.run_excerpt import Excerpts

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class ShowFormat(StrEnum):
    """Output formats of a decision."""

    TEXT = "text"
    JSON = "json"


def runs_option() -> Any:
    """Return the `--runs` option, the run files that show a decision's context."""
    return typer.Option(
        "--runs", metavar="FILE", help="Recorded runs, .jsonl or .gz; may be repeated."
    )


@app.command(epilog="Example: abs-shield show 45b6e8a03450da6b-2fb --runs runs.jsonl")
def show(
    decision: Annotated[
        str, typer.Argument(metavar="DECISION", help="The decision's id, or its beginning.")
    ],
    db: Annotated[
        str | None,
        typer.Option(help="A SQLite file or postgresql://; else ABS_SHIELD_LOG, or your own log."),
    ] = None,
    runs: Annotated[list[str] | None, runs_option()] = None,
    format: Annotated[
        ShowFormat, typer.Option(help="Lines, or one JSON object.")
    ] = ShowFormat.TEXT,
    to: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file; else standard output."),
    ] = None,
) -> None:
    """
    Show one decision: its verdict and findings, its labels, and the calls around it.

    The log keeps no arguments; with --runs they are shown as Shield(record=...) wrote them, with
    the messages around the call. Exits with 0, and with 2 for bad input, or where a line of --runs
    about the decision, or a record around it, could not be read.
    """
    excerpts = Excerpts(runs) if runs else None
    damaged = DamagedRecords()
    with open_log(db) as store:
        match = find_decision(store, decision)
        details = DecisionDetails.of(match, store, excerpts=excerpts, skipped=damaged.add)
    if to is None and format is ShowFormat.TEXT:
        _print(details, open_console())
    else:
        with open_output(to, inputs=[*files_of(db), *(runs or ())], private=True) as file:
            file.write(_text(details, format).encode(errors="backslashreplace"))
    damaged.print_count()
    if damaged.count or (excerpts is not None and excerpts.bad_lines):
        raise typer.Exit(2)


def _print(details: DecisionDetails, console: PlainConsole) -> None:
    for line in full_lines(details):
        console.print_line(line)


def _text(details: DecisionDetails, format: ShowFormat) -> str:
    if format is ShowFormat.JSON:
        return f"{json.dumps(details.to_dict(), indent=2)}\n"
    text = StringIO()
    _print(details, open_console(text))
    return text.getvalue()
