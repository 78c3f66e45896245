"""`abs-shield replay`: recorded runs judged again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from abs_shield.cli.chunked_job import Way, parts
from abs_shield.cli.console import print_json
from abs_shield.cli.empty_input import AllowEmpty, require_some
from abs_shield.cli.engine_options import Address, Engine, Sort, Workers, crew
from abs_shield.cli.json_inputs import ToolsFile, named_toolsets
from abs_shield.cli.output_file import output, read_too
from abs_shield.cli.replay_totals import Seen, object_of, print_table, text_for, written_line
from abs_shield.cli.resumable_rows import Unfinished, replay_key, unfinished
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core import Verdict
from abs_shield.replay import Judging, Tally
from abs_shield.replay.rowfiles import ROWFILES

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Format(StrEnum):
    """Output formats of a replay."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"


class FailOn(StrEnum):
    """From which verdict on a replay fails."""

    SUSPICIOUS = "SUSPICIOUS"
    HALLUCINATED = "HALLUCINATED"


@app.command(epilog="Example: abs-shield replay runs.jsonl.gz --tools toolsets.json --workers 4")
def replay(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Run files, .jsonl or .gz; - for stdin.")
    ],
    tools: ToolsFile = None,
    policy: Annotated[
        str | None, typer.Option(metavar="MODULE:ATTR", help="The policy; else all six layers.")
    ] = None,
    format: Annotated[
        Format,
        typer.Option(help="A table, one JSON object, or a row a call as JSON lines or Parquet."),
    ] = Format.TABLE,
    to: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write there; it appears when it is complete."
        ),
    ] = None,
    sort: Sort = False,
    workers: Workers = None,
    engine: Engine = None,
    address: Address = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Keep the rows of an interrupted replay, and go on there."),
    ] = False,
    allow_empty: AllowEmpty = False,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            case_sensitive=False,
            metavar="VERDICT",
            help="Exit with 1 where a call is SUSPICIOUS, or HALLUCINATED.",
        ),
    ] = None,
    findings: Annotated[
        int, typer.Option(metavar="N", min=0, help="List the first N findings as well.")
    ] = 0,
) -> None:
    """
    Judge every call of recorded runs again, in audit mode, as it would have been judged live.

    Exits with 0, with 1 under --fail-on, with 2 where a line is no run or a session comes back.
    """
    _require_sense(format, to, findings=findings, resume=resume)
    by = crew(engine, workers=workers, address=address)
    job = Judging(
        policy=policy,
        folder=str(Path.cwd()),
        toolsets=named_toolsets(tools),
        rows=format if format in ROWFILES else "",
        findings=findings,
    )
    seen = Seen(most=findings)
    shown = to is not None or format is not Format.JSONL or not sys.stdout.isatty()
    way = Way(*by, sort=sort, hidden=not shown)
    key = replay_key(job, files, sort=sort) if resume else None
    with seen, _target(to, key, inputs=[*files, *read_too(tools, policy)]) as (file, earlier):
        with _rows(format, file) as write:
            _judge(job, files, way=way, earlier=earlier, seen=seen, write=write)
        read = seen.tally.runs.total() + seen.bad_lines
        require_some(read, noun="run", files=files, allowed=allow_empty)
        with text_for(None if to is None else file) as text:
            if format is Format.JSON:
                print_json(object_of(files, seen, listed=findings > 0), file=text)
            elif format is Format.TABLE:
                print_table(seen, text)
    if to is not None:
        print(written_line(seen, to, before=earlier.calls), file=sys.stderr)
    raise typer.Exit(2 if seen.bad_lines or seen.returned else _failed(seen.tally, fail_on))


def _judge(
    job: Judging,
    files: list[str],
    *,
    way: Way,
    earlier: Unfinished,
    seen: Seen,
    write: Callable[[bytes], object],
) -> None:
    """Judge the runs behind those of an interrupted replay, and write and count their rows."""
    for part in earlier.parts:
        seen.add(part, quiet=True)
    with parts(job, files, way=way, doing="replay", skipped=earlier.lines) as (made, progress):
        for part in made:
            write(part.rows)
            seen.add(part)
            progress.judged(part.tally.verdicts.total())
            earlier.note(part, lines=progress.lines)


def _require_sense(format: Format, to: str | None, *, findings: int, resume: bool) -> None:
    if findings and format in ROWFILES:
        raise BadInput(f"`--findings` adds to a table or an object; rows of {format} hold theirs")
    if format is Format.PARQUET and to is None:
        raise BadInput("`--format parquet` is no text; name a file with `--output`")
    if resume and (format is not Format.JSONL or to is None):
        raise BadInput("`--resume` goes on with rows in a file: add `--format jsonl --output FILE`")


@contextmanager
def _target(
    to: str | None, key: dict[str, Any] | None, *, inputs: list[str]
) -> Iterator[tuple[IO[bytes], Unfinished]]:
    """Open the output; with a *key* it is one that can be resumed."""
    if key is None or to is None:
        with output(to, inputs=inputs) as file:
            yield file, Unfinished()
        return
    with unfinished(to, key, inputs=inputs) as earlier:
        yield earlier.rows, earlier


@contextmanager
def _rows(format: Format, file: IO[bytes]) -> Iterator[Callable[[bytes], object]]:
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


def _failed(tally: Tally, fail_on: FailOn | None) -> int:
    if fail_on is None:
        return 0
    least = Verdict(fail_on).gravity
    return int(any(n for verdict, n in tally.verdicts.items() if verdict.gravity >= least))
