"""`abs-shield show`: one decision of the log in detail."""

from __future__ import annotations

import json
from io import StringIO
from typing import Annotated

import typer

from abs_shield.cli.console import PlainConsole, open_console
from abs_shield.cli.decision_details import DecisionDetails, Excerpts
from abs_shield.cli.decision_lines import full_lines
from abs_shield.cli.log.decision_lookup import DamagedRecords, find_decision
from abs_shield.cli.output_file import open_output
from abs_shield.cli.shared_options import (
    DatabaseOption,
    OutputFile,
    RecordedRuns,
    TextFormat,
    TextOrJson,
    files_of,
    open_log,
)

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(epilog="Example: abs-shield show 45b6e8a03450da6b-2fb --runs runs.jsonl")
def show(
    decision: Annotated[
        str, typer.Argument(metavar="DECISION", help="The decision's id, or a prefix of it.")
    ],
    db: DatabaseOption = None,
    runs: RecordedRuns = None,
    format: TextOrJson = TextFormat.TEXT,
    to: OutputFile = None,
) -> None:
    """
    Show one decision: its verdict and findings, its labels, and the calls around it.

    The log does not store arguments; with --runs they are shown as Shield(record=...) wrote them,
    with the messages around the call. Exits with 0, and with 2 for bad input, or if a line of
    --runs about the decision, or a record near it, could not be read.
    """
    excerpts = Excerpts(runs) if runs else None
    damaged = DamagedRecords()
    with open_log(db) as store:
        match = find_decision(store, decision)
        details = DecisionDetails.of(match, store, excerpts=excerpts, skipped=damaged.add)
    if to is None and format is TextFormat.TEXT:
        _print(details, open_console())
    else:
        # with `--runs` it holds arguments and messages
        with open_output(to, inputs=[*files_of(db), *(runs or ())], private=True) as file:
            file.write(_text(details, format).encode(errors="backslashreplace"))
    damaged.print_count()
    if damaged.count or (excerpts is not None and excerpts.bad_lines):
        raise typer.Exit(2)


def _print(details: DecisionDetails, console: PlainConsole) -> None:
    for line in full_lines(details):
        console.print_line(line)


def _text(details: DecisionDetails, format: TextFormat) -> str:
    if format is TextFormat.JSON:
        return f"{json.dumps(details.to_dict(), indent=2)}\n"
    text = StringIO()
    _print(details, open_console(text))
    return text.getvalue()
