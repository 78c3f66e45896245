"""`abs-shield replay`: judge recorded runs again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from abs_shield.cli.chunked_job import (
    Address,
    Engine,
    JobOptions,
    Sort,
    Workers,
    resolve_engine,
    run_chunks,
)
from abs_shield.cli.console import print_json
from abs_shield.cli.input_warnings import AllowEmpty, require_input
from abs_shield.cli.json_inputs import ToolsFile, read_toolsets
from abs_shield.cli.output_file import input_files, open_output
from abs_shield.cli.replay_totals import (
    ReplayTotals,
    print_table,
    text_for,
    totals_object,
    written_message,
)
from abs_shield.cli.resumable_rows import ResumableRows, replay_key, resumable_rows
from abs_shield.cli.shared_options import PolicyReference, RunFiles
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core import Verdict
from abs_shield.replay import Judging, Tally
from abs_shield.replay.replay_rows import ROWFILES

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class ReplayFormat(StrEnum):
    """Output formats of a replay."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"


class ReplayFailOn(StrEnum):
    """The mildest verdict that makes a replay fail."""

    SUSPICIOUS = "SUSPICIOUS"
    HALLUCINATED = "HALLUCINATED"


FormatOption = Annotated[
    ReplayFormat,
    typer.Option(help="A table, one JSON object, or a row per call as JSON lines or Parquet."),
]
RowsFile = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Output file, which appears when it is complete."
    ),
]
ResumeOption = Annotated[
    bool,
    typer.Option("--resume", help="Continue an interrupted replay, and keep its rows."),
]
FailOnOption = Annotated[
    ReplayFailOn | None,
    typer.Option(
        case_sensitive=False,
        metavar="VERDICT",
        help="Exit with 1 if a call is SUSPICIOUS or worse, or HALLUCINATED.",
    ),
]
FindingsOption = Annotated[
    int, typer.Option(metavar="N", min=0, help="Also list the first N findings.")
]


@app.command(epilog="Example: abs-shield replay runs.jsonl.gz --tools toolsets.json --workers 4")
def replay(
    files: RunFiles,
    tools: ToolsFile = None,
    policy: PolicyReference = None,
    format: FormatOption = ReplayFormat.TABLE,
    to: RowsFile = None,
    sort: Sort = False,
    workers: Workers = None,
    engine: Engine = None,
    address: Address = None,
    resume: ResumeOption = False,
    allow_empty: AllowEmpty = False,
    fail_on: FailOnOption = None,
    findings: FindingsOption = 0,
) -> None:
    """
    Judge every call of recorded runs again, in audit mode, as it would have been judged live.

    Exits with 0, with 1 under --fail-on, with 2 if a line is not a run or a session returns.
    """
    _check_options(format, to, findings=findings, resume=resume)
    options = JobOptions(
        *resolve_engine(engine, workers=workers, address=address),
        sort=sort,
        # no bar between rows that are printed on the same terminal
        hidden=to is None and format is ReplayFormat.JSONL and sys.stdout.isatty(),
    )
    job = Judging(
        policy=policy,
        folder=str(Path.cwd()),
        toolsets=read_toolsets(tools),
        rows=format if format in ROWFILES else "",
        findings=findings,
    )
    totals = ReplayTotals(most=findings)
    key = replay_key(job, files, sort=sort) if resume else None
    with totals, _target(to, key, inputs=[*files, *input_files(tools, policy)]) as (file, earlier):
        with _rows(format, file) as write:
            _judge(job, files, options=options, earlier=earlier, totals=totals, write=write)
        read = totals.tally.runs.total() + totals.bad_lines
        require_input(read, noun="run", files=files, allowed=allow_empty)
        with text_for(None if to is None else file) as text:
            _print(totals, format, file=text, files=files, listed=findings > 0)
    if to is not None:
        print(written_message(totals, to, before=earlier.calls), file=sys.stderr)
    # bad input first: a result on part of the runs must not pass
    raise typer.Exit(2 if totals.bad_lines or totals.returned else _failed(totals.tally, fail_on))


def _judge(
    job: Judging,
    files: list[str],
    *,
    options: JobOptions,
    earlier: ResumableRows,
    totals: ReplayTotals,
    write: Callable[[bytes], object],
) -> None:
    """Judge the runs after those of an interrupted replay, and write and count their rows."""
    for part in earlier.parts:
        totals.add(part, quiet=True)
    with run_chunks(job, files, options=options, doing="replay", skipped=earlier.lines) as (
        results,
        progress,
    ):
        for part in results:
            write(part.rows)
            totals.add(part)
            progress.add_calls(part.tally.verdicts.total())
            earlier.note(part, lines=progress.lines)


def _check_options(format: ReplayFormat, to: str | None, *, findings: int, resume: bool) -> None:
    if findings and format in ROWFILES:
        raise BadInput(
            f"`--findings` needs a table or an object; rows of {format} contain their findings"
        )
    if format is ReplayFormat.PARQUET and to is None:
        raise BadInput("Parquet cannot be printed; name a file with `--output`")
    # a Parquet file is only valid with its footer, so it cannot be continued
    if resume and (format is not ReplayFormat.JSONL or to is None):
        raise BadInput("`--resume` needs rows in a file: add `--format jsonl --output FILE`")


@contextmanager
def _target(
    to: str | None, key: dict[str, Any] | None, *, inputs: list[str]
) -> Iterator[tuple[IO[bytes], ResumableRows]]:
    """Open the output, which can be resumed if a *key* is given."""
    if key is None or to is None:
        with open_output(to, inputs=inputs) as file:
            yield file, ResumableRows()
        return
    with resumable_rows(to, key, inputs=inputs) as earlier:
        yield earlier.rows, earlier


@contextmanager
def _rows(format: ReplayFormat, file: IO[bytes]) -> Iterator[Callable[[bytes], object]]:
    if format not in ROWFILES:
        yield lambda packed: None
        return
    writer = ROWFILES[format].writer(file)
    try:
        yield writer.write
    except BaseException:
        writer.abandon()
        raise
    writer.finish()


def _print(
    totals: ReplayTotals,
    format: ReplayFormat,
    *,
    file: IO[str] | None,
    files: list[str],
    listed: bool,
) -> None:
    """Print the totals as a table or an object; nothing for a format of rows."""
    if format is ReplayFormat.JSON:
        print_json(totals_object(files, totals, listed=listed), file=file)
    elif format is ReplayFormat.TABLE:
        print_table(totals, file)


def _failed(tally: Tally, fail_on: ReplayFailOn | None) -> int:
    if fail_on is None:
        return 0
    least = Verdict(fail_on).gravity
    return int(any(n for verdict, n in tally.verdicts.items() if verdict.gravity >= least))
