"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class TextFormat(StrEnum):
    """Output formats of a command that prints lines."""

    TEXT = "text"
    JSON = "json"


class TableFormat(StrEnum):
    """Output formats of a command that prints tables."""

    TABLE = "table"
    JSON = "json"


TextOrJson = Annotated[TextFormat, typer.Option(help="Lines, or one JSON object.")]
TableOrJson = Annotated[TableFormat, typer.Option(help="Tables, or one JSON object.")]
OutputFile = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Output file; default: standard output."),
]
RunFiles = Annotated[
    list[str], typer.Argument(metavar="FILE", help="Run files, .jsonl or .gz; - for stdin.")
]
RecordedRuns = Annotated[
    list[str] | None,
    typer.Option("--runs", metavar="FILE", help="Recorded runs, .jsonl or .gz; repeatable."),
]
PolicyReference = Annotated[
    str | None, typer.Option(metavar="MODULE:ATTR", help="The policy; default: all six layers.")
]
