"""`abs-shield backtest`: compare two policies on recorded runs, with precision and recall."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from abs_shield.backtest import Backtesting, Comparison, Kind, Labels, label_lines
from abs_shield.cli.backtest_output import bad_line_command, commands, record
from abs_shield.cli.backtest_tables import planted_folder, report
from abs_shield.cli.chunked_job import (
    Address,
    Engine,
    JobOptions,
    Sort,
    Workers,
    resolve_engine,
    run_chunks,
)
from abs_shield.cli.compared_policies import BacktestResult, compared_policy
from abs_shield.cli.console import open_console, print_json
from abs_shield.cli.input_warnings import AllowEmpty, InputWarnings, require_input
from abs_shield.cli.json_inputs import ToolsFile, read_toolsets
from abs_shield.cli.output_file import input_files
from abs_shield.cli.sweep_plot import SweepPlot
from abs_shield.cli.usage_errors import BadInput
from abs_shield.policy import Policy
from abs_shield.replay import BadLine
from abs_shield.text.safe_display import escaped


def run_backtest(
    job: Backtesting,
    files: list[str],
    *,
    declared: tuple[Policy, Policy | None],
    warnings: InputWarnings,
    options: JobOptions,
) -> BacktestResult:
    """
    Judge every run by both policies.

    Args:
        job: The backtest job.
        files: The run files.
        declared: The loaded policies of *job*.
        warnings: Receives warnings about the runs; those about labels are in it already.
        options: The engine and its options.

    Raises:
        PolicyError: A tool of a policy is wrong, or a rule does not fit it.
    """
    new, old = declared
    sides = job.sides(new, old)
    total = Comparison.of(*sides, most=job.examples)
    first_run = ""
    with run_chunks(
        job, files, options=options, doing="backtest", ready=job.chunk_function(sides)
    ) as (
        parts,
        progress,
    ):
        for part in parts:
            total.merge(part.comparison)
            warnings.add_notes(part.notes)
            first_run = first_run or part.first_run
            progress.add_calls(part.comparison.new.calls)
    return BacktestResult(
        comparison=total,
        new=compared_policy(job.policy, new, strict=job.strict),
        old=None if old is None else compared_policy(job.against, old, strict=job.strict),
        labels=job.labels.count,
        bad_lines=warnings.bad_lines,
        returned=warnings.returned,
        first_run=first_run,
        cases=0 if job.cases is None else job.cases.count,
    )


def read_labels(path: str | None, warnings: InputWarnings) -> Labels:
    """
    Read a file of labels; *warnings* receives the unreadable lines.

    Raises:
        BadInput: The file holds no labels.
    """
    labels = Labels()
    for line in () if path is None else label_lines(path):
        if isinstance(line, BadLine):
            warnings.add_bad_line(line)
            continue
        number, label = line
        try:
            labels.add(label)
        except ValueError as error:
            warnings.add_bad_line(BadLine(str(path), number, str(error)))
    # an empty file of labels is a broken export, not a policy without errors
    if path is not None and not (labels.count or warnings.bad_lines):
        raise BadInput(f"{path}: it contains no labels")
    return labels


app = typer.Typer(add_completion=False, rich_markup_mode=None)


class BacktestFormat(StrEnum):
    """Output formats of a backtest."""

    TABLE = "table"
    JSON = "json"
    GITHUB = "github"


class BacktestModes(StrEnum):
    """The modes to apply: the policy's own, or strict for every layer."""

    OWN = "own"
    STRICT = "strict"


class BacktestFailOn(StrEnum):
    """The kinds of change that make a backtest fail."""

    BLOCK_TO_ALLOW = "block-to-allow"
    ALLOW_TO_BLOCK = "allow-to-block"
    FLAG_TO_CLEAN = "flag-to-clean"
    CLEAN_TO_FLAG = "clean-to-flag"
    ANY = "any"


FilesOrFolder = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="Run files, .jsonl or .gz; - for stdin; or one folder of `abs-shield plant`.",
    ),
]
NewPolicy = Annotated[
    str | None,
    typer.Option(metavar="MODULE:ATTR", help="The new policy; default: all six layers, strict."),
]
OldPolicy = Annotated[
    str | None,
    typer.Option(metavar="MODULE:ATTR", help="The old policy, to compare with."),
]
LabelFile = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Lines that label calls as hallucinated or ok."),
]
ModesOption = Annotated[
    BacktestModes,
    typer.Option(help="Apply each policy's own modes, or strict mode for all layers."),
]
FormatOption = Annotated[
    BacktestFormat, typer.Option(help="Tables, one JSON object, or annotations for GitHub.")
]
FailOnOption = Annotated[
    list[BacktestFailOn] | None,
    typer.Option(metavar="CHANGE", help="Exit with 1 if a decision changes this way; repeatable."),
]
ExampleCount = Annotated[
    int, typer.Option(metavar="N", min=0, help="Show the first N calls of each kind.")
]
SweepPicture = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Draw the threshold sweep as .svg or .png."),
]


@app.command(
    epilog="Example: abs-shield backtest runs.jsonl --policy new:policy --against old:policy"
)
def backtest(
    files: FilesOrFolder,
    policy: NewPolicy = None,
    against: OldPolicy = None,
    tools: ToolsFile = None,
    labels: LabelFile = None,
    modes: ModesOption = BacktestModes.OWN,
    format: FormatOption = BacktestFormat.TABLE,
    fail_on: FailOnOption = None,
    examples: ExampleCount = 3,
    sort: Sort = False,
    workers: Workers = None,
    engine: Engine = None,
    address: Address = None,
    allow_empty: AllowEmpty = False,
    picture: SweepPicture = None,
) -> None:
    """
    Judge recorded runs by a new policy and by the old one, and show the decisions that change.

    Exits with 0, with 1 under --fail-on, with 2 for bad input: an unreadable line, or a session
    that returns.
    """
    _check_options(files, policy, against, labels, fail_on)
    warnings = _open_warnings(format)
    folder = planted_folder(files, warnings)
    if folder is not None:
        files, tools = [folder.runs], tools or folder.toolsets
    options = JobOptions(*resolve_engine(engine, workers=workers, address=address), sort=sort)
    inputs = [*files, *input_files(tools, labels, policy, against)]
    plot = None if picture is None else SweepPlot(picture, inputs=inputs)
    job = Backtesting(
        policy=policy,
        against=against,
        folder=str(Path.cwd()),
        strict=modes is BacktestModes.STRICT,
        examples=examples,
        cases=None if folder is None else folder.cases,
    )
    with redirect_stdout(sys.stderr):  # what a policy's module prints is no part of the report
        declared = job.policies()
    with warnings:
        job = replace(job, labels=read_labels(labels, warnings), toolsets=read_toolsets(tools))
        done = run_backtest(job, files, declared=declared, warnings=warnings, options=options)
    read = done.comparison.runs + done.bad_lines
    require_input(read, noun="run", files=files, allowed=allow_empty)
    _require_match(labels, job.labels, done)
    failing = _failing_kinds(fail_on)
    try:  # first, as the reader of the report may leave; a picture that fails costs no report
        if plot is not None:
            plot.draw(done.comparison.new)
    finally:
        _print(done, files, format, failing)
    raise typer.Exit(_exit_code(done, failing))


def _check_options(
    files: Iterable[str],
    policy: str | None,
    against: str | None,
    labels: str | None,
    fail_on: list[BacktestFailOn] | None,
) -> None:
    if against is not None and policy is None:
        raise BadInput("`--against` names the old policy; name the new one with `--policy`")
    if fail_on and against is None:
        raise BadInput("`--fail-on` needs two policies; name the old policy with `--against`")
    if labels == "-" and "-" in files:
        raise BadInput("runs and labels cannot both come from the standard input; name a file")


def _open_warnings(format: BacktestFormat) -> InputWarnings:
    return InputWarnings(bad_line_command) if format is BacktestFormat.GITHUB else InputWarnings()


def _require_match(path: str | None, labels: Labels, done: BacktestResult) -> None:
    """Raise if no label matches a call, with the first label and the first run."""
    # labels of other runs would look like a policy without any hit
    if path is None or not labels.count or done.comparison.matched:
        return
    _, scope, call = next(iter(labels.by_key))
    first_label = f"; the first label names `{escaped(scope)}` and call {escaped(str(call))}"
    first_run = escaped(done.first_run)
    run = f", the first run is `{first_run}`" if first_run else ", there is no run"
    raise BadInput(f"{path}: 0 of {labels.count} labels fit a call{first_label}{run}")


def _exit_code(done: BacktestResult, failing: Iterable[Kind]) -> int:
    # bad input first: a result on part of the runs must not pass
    if done.bad_lines or done.returned:
        return 2
    return int(any(done.comparison.kinds[kind] for kind in failing))


def _failing_kinds(fail_on: list[BacktestFailOn] | None) -> tuple[Kind, ...]:
    requested = fail_on or ()
    return tuple(kind for kind in Kind if kind in requested or BacktestFailOn.ANY in requested)


def _print(
    done: BacktestResult, files: list[str], format: BacktestFormat, failing: tuple[Kind, ...]
) -> None:
    if format is BacktestFormat.JSON:
        print_json({"files": files, **record(done)})
    elif format is BacktestFormat.GITHUB:
        for command in commands(done, failing=failing):
            print(command)
    else:
        open_console().print_report(report(done))
