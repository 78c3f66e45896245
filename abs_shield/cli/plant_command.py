"""`abs-shield plant`: plant faults in recorded runs to measure a policy."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from abs_shield.cli.chunked_job import Sort
from abs_shield.cli.console import open_console, progress_bar, safe
from abs_shield.cli.fitting_table import Column, FittingTable
from abs_shield.cli.input_warnings import AllowEmpty, InputWarnings, require_input
from abs_shield.cli.json_inputs import ToolsFile, read_toolsets
from abs_shield.cli.output_file import exit_on_sigterm, input_files, require_not_input
from abs_shield.cli.shared_options import RunFiles
from abs_shield.cli.usage_errors import BadInput
from abs_shield.planting import (
    FILES,
    KINDS,
    FolderWriter,
    Joined,
    PlantedKind,
    Sample,
    manifest,
    sessions,
)
from abs_shield.replay import BadLine, RawLine, SessionStart, Toolsets, chunks, raw_lines
from abs_shield.replay.session_order import sort_by_session
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import describe_exception, escaped

app = typer.Typer(add_completion=False, rich_markup_mode=None)

# cases of a kind stay in memory until the end, and 20,000 estimate a rate to one point
MOST = 20_000
_COLUMNS = (
    Column("kind"), Column("expect"), Column("planted", right=True), Column("none, because"),
)  # fmt: skip


CasesFolder = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FOLDER", help="Where to write the cases."),
]
PlantingSeed = Annotated[
    str, typer.Option(metavar="TEXT", help="The same seed and runs give the same cases.")
]
MostPerKind = Annotated[
    int, typer.Option(metavar="N", min=1, max=MOST, help="Plant at most N of each kind.")
]
KindPrefixes = Annotated[
    list[str] | None,
    typer.Option(metavar="KIND", help="Only this kind, or kinds with this prefix; repeatable."),
]
OnlyTools = Annotated[
    list[str] | None,
    typer.Option("--only-tool", metavar="NAME", help="Only calls of this tool; repeatable."),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace the planted cases in the folder.")
]


@app.command(epilog="Example: abs-shield plant runs.jsonl.gz --tools toolsets.json -o planted")
def plant(
    files: RunFiles,
    output: CasesFolder,
    tools: ToolsFile = None,
    seed: PlantingSeed = "abs-shield",
    per_kind: MostPerKind = 200,  # estimates a rate to some 7 points
    kinds: KindPrefixes = None,
    only: OnlyTools = None,
    sort: Sort = False,
    allow_empty: AllowEmpty = False,
    force: ForceOption = False,
) -> None:
    """
    Plant faults and harmless respellings in the correct calls of recorded runs.

    `abs-shield backtest FOLDER` then measures what a policy finds and what it flags wrongly. The
    folder contains the runs, with all personal data in them. Exits with 0; with 1 if nothing could
    be planted, and then writes nothing; with 2 for bad input: a line that is not a run, or a
    session that continues after another one began.
    """
    sample = Sample(
        kinds=_kinds(kinds), seed=seed, most=per_kind, only=frozenset(only) if only else None
    )
    toolsets = Toolsets(read_toolsets(tools))
    warnings = InputWarnings()
    inputs = [*files, *input_files(tools)]
    with (
        warnings,
        suppress(_NothingPlanted),
        _new_folder(Path(output), inputs, force=force) as folder,
        FolderWriter(folder) as writer,
        progress_bar(files, doing="plant") as progress,
    ):
        lines = raw_lines(files, on_bytes=progress.advance)
        for run in _read_runs(sort_by_session(lines) if sort else lines, toolsets, warnings):
            progress.add_calls(len(run.calls))
            _plant(run, sample, writer, warnings)
        read = writer.counts.runs + writer.counts.left_out + warnings.bad_lines
        require_input(read, noun="run", files=files, allowed=allow_empty)
        _require_called(only, writer.counts.called)
        summary = manifest(sample, writer.counts)
        planted = any(row["planted"] for row in summary["kinds"])
        if not planted:
            raise _NothingPlanted
        writer.finish(sample, summary)
    _print(summary, output if planted else None)
    raise typer.Exit(2 if warnings.bad_lines or warnings.returned else int(not planted))


class _NothingPlanted(Exception):
    """Nothing was planted, so the folder is removed."""


def _read_runs(
    lines: Iterable[RawLine | BadLine], toolsets: Toolsets, warnings: InputWarnings
) -> Iterator[Joined]:
    """Yield the sessions of the lines; *warnings* receives what is wrong with them."""
    for chunk in chunks(lines):
        notes: list[BadLine | SessionStart] = []
        yield from sessions(chunk, toolsets, noted=notes)
        warnings.add_notes(notes)


def _plant(run: Joined, sample: Sample, writer: FolderWriter, warnings: InputWarnings) -> None:
    """Add a run that has a right call, under a unique id, and plant faults in it."""
    if len(run.set_aside) == len(run.calls):
        writer.counts.left_out += 1
        return
    # cases name their call by its run, and files of several sources may share ids
    run = replace(run, run_id=writer.unique(run.run_id))
    try:
        writer.add(run)
    except (RecursionError, ValueError) as error:  # JSON that can be read and not be written
        warnings.add_bad_line(
            BadLine(run.path, run.line, f"it cannot be written: {describe_exception(error)}")
        )
        return
    sample.add(run)


def _kinds(names: list[str] | None) -> tuple[PlantedKind, ...]:
    """
    Return the kinds that begin with one of *names*; all kinds without names.

    Raises:
        BadInput: No kind begins with a name.
    """
    for name in names or ():
        if not any(kind.startswith(name) for kind in KINDS):
            hint = suggest_name(name, KINDS, otherwise=f"there are {', '.join(KINDS)}")
            raise BadInput(f"`--kinds`: no kind begins with `{escaped(name)}`; {hint}")
    chosen = tuple(names) if names else ("",)
    return tuple(kind for name, kind in KINDS.items() if name.startswith(chosen))


def _require_called(only: list[str] | None, called: Iterable[str]) -> None:
    called = set(called)
    for name in only or ():
        if name not in called:
            others = f"right calls use {len(called):,} others"
            hint = suggest_name(name, called, otherwise=others)
            raise BadInput(f"`--only-tool`: no right call uses `{escaped(name)}`; {hint}")


@contextmanager
def _new_folder(folder: Path, inputs: list[str], *, force: bool) -> Iterator[Path]:
    """
    Create a temporary folder that is renamed at the end, and removed on failure.

    Raises:
        BadInput: The folder cannot be created, or holds other files.
    """
    _require_free(folder, force=force)
    for name in FILES:
        require_not_input(str(folder / name), inputs, option="--output")
    summary = _temporary_folder(folder)
    try:
        with exit_on_sigterm():
            yield summary
        if not folder.exists():
            summary.rename(folder)
            return
        for name in FILES:
            os.replace(summary / name, folder / name)
    finally:
        shutil.rmtree(summary, ignore_errors=True)


def _temporary_folder(folder: Path) -> Path:
    try:
        return Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    except OSError as error:
        problem = f"no folder can be made in `{folder.parent}`: {error.strerror or error}"
        raise BadInput(f"`--output`: {problem}; name another folder") from None


def _require_free(folder: Path, *, force: bool) -> None:
    if not folder.parent.is_dir():
        raise BadInput(f"`--output`: there is no folder `{folder.parent}`; make it first")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadInput(f"`--output`: {folder} is a file; name a folder")
    held = {path.name for path in folder.iterdir()}
    # a mistyped folder must not be overwritten
    if held - {*FILES}:
        raise BadInput(f"`--output`: {folder} holds other files; name a new folder")
    if held and not force:
        raise BadInput(f"`--output`: {folder} holds planted cases; give `--force` to replace them")


def _print(summary: dict[str, Any], output: str | None) -> None:
    console = open_console()
    table = FittingTable(*_COLUMNS)
    for row in summary["kinds"]:
        why = row.get("empty_because", "")
        table.add_row(row["kind"], row["expect"], f"{row['planted']:,}", why)
    console.print(table)
    faults, harmless = (
        sum(row["planted"] for row in summary["kinds"] if row["expect"] == expect)
        for expect in ("flag", "clean")
    )
    calls = f"{summary['calls']:,} calls, {summary['right_calls']:,} of them right"
    counts = f"{summary['runs']:,} runs, {calls}"
    console.print_line(f"{counts}; planted {faults:,} faults and {harmless:,} harmless cases.")
    if output is None:
        console.print("Nothing could be planted, and nothing was written.")
        return
    console.print_line(
        safe(f"{output} contains these runs with all their personal data: keep it private.")
    )
    console.print_line(safe(f"Measure: abs-shield backtest {output} --policy MODULE:ATTR"))
