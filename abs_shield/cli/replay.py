"""`abs-shield replay`: recorded runs judged again."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from abs_shield.cli.bar import Bar, bar
from abs_shield.cli.crew import Address, Engine, Workers, crew
from abs_shield.cli.faults import BadInput
from abs_shield.cli.files import named_toolsets
from abs_shield.cli.output import output
from abs_shield.cli.screen import print_json, screen
from abs_shield.cli.tables import finding_entry, finding_report, tally_report
from abs_shield.core import Verdict
from abs_shield.replay import BadLine, Line, Tally, chunks, raw_lines
from abs_shield.replay.engines import outcomes
from abs_shield.replay.job import Crew
from abs_shield.replay.judging import Begun, Found, Judging, Part
from abs_shield.replay.returned import MOST, SessionKeys
from abs_shield.replay.rowfiles import ROWFILES
from abs_shield.replay.together import together
from abs_shield.text.show import escaped

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Format(StrEnum):
    """How a replay is printed."""

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
    tools: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="JSON: name of a toolset to its list of tools."),
    ] = None,
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
    sort: Annotated[
        bool, typer.Option("--sort", help="Bring the runs of a session together first, on disk.")
    ] = False,
    workers: Workers = None,
    engine: Engine = None,
    address: Address = None,
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
    if findings and format in ROWFILES:
        raise BadInput(f"`--findings` adds to a table or an object; rows of {format} hold theirs")
    if format is Format.PARQUET and to is None:
        raise BadInput("`--format parquet` is no text; name a file with `--output`")
    job = Judging(
        policy=policy,
        folder=str(Path.cwd()),
        toolsets=named_toolsets(tools),
        rows=format if format in ROWFILES else "",
        findings=findings,
    )
    seen = _Seen(most=findings)
    shown = to is not None or format is not Format.JSONL or not sys.stdout.isatty()
    with output(to, inputs=files) as file:
        with (
            _rows(format, file) as write,
            bar(files, doing="sort" if sort else "replay", hidden=not shown) as told,
        ):
            lines = _lines(files, told, sort=sort)
            for part in _parts(job, lines, *crew(engine, workers=workers, address=address)):
                write(part.rows)
                seen.add(part)
                told.judged(part.tally.verdicts.total())
        if format not in ROWFILES:
            text = sys.stdout if to is None else io.StringIO()
            if format is Format.JSON:
                print_json(_object(files, seen, listed=findings > 0), file=text)
            else:
                _print_table(seen, None if to is None else text)
            if isinstance(text, io.StringIO):
                file.write(text.getvalue().encode("utf-8", "backslashreplace"))
    raise typer.Exit(2 if seen.bad_lines or seen.returned else _failed(seen.tally, fail_on))


def _parts(
    job: Judging, lines: Iterator[Line | BadLine], engine: str, crew: Crew
) -> Iterator[Part]:
    if engine != "serial":
        job.prepare()  # what is wrong with it is said here, before anybody is started
        job = job.anywhere()
    return outcomes(job, chunks(lines), engine=engine, crew=crew)


def _lines(files: list[str], told: Bar, *, sort: bool) -> Iterator[Line | BadLine]:
    raw = raw_lines(files, on_bytes=told.advance)
    if not sort:
        return raw
    ordered = together(raw, on_sorted=lambda total: told.again("replay", total))
    return told.over(ordered)


@contextmanager
def _rows(format: Format, file: IO[bytes]) -> Iterator[Callable[[bytes], object]]:
    if format not in ROWFILES:
        yield lambda packed: None
        return
    writer = ROWFILES[format].writer(file)
    yield writer.write
    writer.finish()


class _Seen:
    """What a replay came across."""

    def __init__(self, *, most: int) -> None:
        self.tally = Tally()
        self.findings: list[Found] = []
        self.bad_lines = 0
        self.returned = 0
        self._most = most
        self._sessions = SessionKeys()

    def add(self, part: Part) -> None:
        """Add what was made of the next chunk; say what is wrong with its lines."""
        self.tally.merge(part.tally)
        self.findings += part.findings[: self._most - len(self.findings)]
        for one in part.told:
            if isinstance(one, BadLine):
                self.bad_lines += 1
                _tell(str(one))
            elif not self._first(one):
                self.returned += 1
                again = f"session {one.name} stood earlier in the input; use --sort"
                _tell(f"{one.path}:{one.line}: {again}")

    def _first(self, begun: Begun) -> bool:
        bounded = self._sessions.full
        first = self._sessions.add(begun.key)
        if self._sessions.full and not bounded:
            _tell(f"{begun.path}:{begun.line}: beyond {MOST:,} sessions, none is seen to come back")
        return first


def _tell(text: str) -> None:
    print(escaped(text, limit=1_000), file=sys.stderr)


def _object(files: list[str], seen: _Seen, *, listed: bool) -> dict[str, Any]:
    made = {
        "files": files,
        **seen.tally.to_dict(),
        "bad_lines": seen.bad_lines,
        "returned_sessions": seen.returned,
    }
    if listed:
        made["findings"] = [finding_entry(found) for found in seen.findings]
    return made


def _print_table(seen: _Seen, file: IO[str] | None) -> None:
    console = screen(file)
    for part in tally_report(seen.tally):
        console.print(part)
    for found in seen.findings:
        for text in finding_report(found):
            console.print(text, soft_wrap=True)


def _failed(tally: Tally, fail_on: FailOn | None) -> int:
    if fail_on is None:
        return 0
    least = Verdict(fail_on).gravity
    return int(any(n for verdict, n in tally.verdicts.items() if verdict.gravity >= least))
