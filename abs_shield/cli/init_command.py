"""`abs-shield init`: a policy proposed from tools and recorded runs."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from abs_shield.cli.input_warnings import LineErrors, render_line
from abs_shield.cli.json_inputs import ToolsFile
from abs_shield.cli.shared_options import OutputFile, RecordedRuns
from abs_shield.cli.tool_sources import from_file, from_openapi, from_server
from abs_shield.cli.usage_errors import BadInput
from abs_shield.mining import LenientToolsets, LetThrough, Mined, Recorded, ToolSource, mine
from abs_shield.mining.module_header import blocked_line, fault_lists
from abs_shield.policy.tool_declaration import LONGEST_NAME
from abs_shield.replay import BadLine
from abs_shield.replay.toolsets import OnBadTool
from abs_shield.text.safe_display import escaped, quantity

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_STDIN = "-"
_LONGEST_LINE = 1_000  # a fault may quote a whole argument


@app.command(epilog="Example: abs-shield init --tools tools.json --runs runs.jsonl.gz -o policy.py")
def init(
    tools: ToolsFile = None,
    mcp: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="Ask the MCP server that this starts, or a URL."),
    ] = None,
    openapi: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="An OpenAPI 3 description, .json or .yaml."),
    ] = None,
    runs: RecordedRuns = None,
    toolset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which list of --tools to use, with only its runs."),
    ] = None,
    let_through: Annotated[
        LetThrough,
        typer.Option(
            help="Which faults of recorded calls are suppressed: none; worked: those for which a"
            " call worked; all: even those that the tool rejected every time."
        ),
    ] = LetThrough.NONE,
    output: OutputFile = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Time limit for the MCP server.")
    ] = 60.0,
) -> None:
    """
    Write a policy module: tools, targets, pairs, effects and rules, each with its evidence.

    It is in audit mode. Strict mode enforces every fault of the recorded calls; for faults that the
    tool did not reject, there is a commented-out suppression with their number. Exits with 0; with
    1 if the written module has errors, or blocks faults that --let-through names; with 2 for bad
    input, such as a tool that was left out or a session that continues after another one began.
    """
    files = runs or []
    _require_readable(files)  # a pass over large files takes minutes
    place = _output_path(output, force=force)
    unread: list[str] = []
    source, toolsets = _source(tools, mcp, openapi, toolset, unread.append, within_s=timeout)
    if source is None and not files:
        raise BadInput("give one of `--tools`, `--mcp`, `--openapi`, or `--runs` that list tools")
    bad: list[BadLine] = []
    recorded = Recorded(paths=tuple(files), toolsets=toolsets, toolset=toolset) if files else None
    with _progress(files) as progress:
        mined = mine(
            source, recorded, let_through=let_through, progress=progress, on_bad_line=bad.append
        )
    for line in unread:
        _print_message(str(line))
    _print_line_errors(bad)
    if not mined.draft.tools:
        raise BadInput("no tool is known; give `--tools`, `--mcp` or `--openapi`")
    _write(mined.text, place)
    _summary(mined)
    # bad input first: a policy from part of the runs must not pass unseen
    raise typer.Exit(2 if bad or unread else 0 if mined.proof.ok and not _blocks(mined) else 1)


def _blocks(mined: Mined) -> bool:
    """Return whether strict mode blocks calls that --let-through names."""
    if mined.last is None or mined.draft.let_through is LetThrough.NONE:
        return False
    every = mined.draft.let_through is LetThrough.ALL
    return bool(mined.last.blocks if every else mined.stays)


def _print_line_errors(bad: list[BadLine]) -> None:
    noun = "lines that cannot be read"
    line_errors = LineErrors(noun, lambda line: f"abs-shield: {render_line(line)}")
    for line in bad:
        line_errors.add(line)
    line_errors.close()


def _require_readable(files: list[str]) -> None:
    """
    Check the files before any work is done.

    Raises:
        BadInput: A file is not regular, such as a pipe, which cannot be read again.
        OSError: A file cannot be opened.
    """
    for path in files:
        mode = 0 if path == _STDIN else Path(path).stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise BadInput(f"`--runs {path}`: runs are read more than once; write them to a file")
        with open(path, "rb") as file:
            file.read(1)


def _source(
    tools: str | None,
    mcp: str | None,
    openapi: str | None,
    toolset: str | None,
    on_bad: OnBadTool,
    *,
    within_s: float,
) -> tuple[ToolSource | None, LenientToolsets]:
    options = [
        name
        for name, value in (("--tools", tools), ("--mcp", mcp), ("--openapi", openapi))
        if value is not None
    ]
    if len(options) > 1:
        raise BadInput(f"got `{options[0]}` and `{options[1]}`; give one of them")
    if toolset is not None and tools is None:
        raise BadInput("`--toolset` names a list of `--tools`; give that file")
    if tools is not None:
        return from_file(tools, toolset, on_bad)
    if mcp is not None:
        return from_server(mcp, on_bad, within_s=within_s), LenientToolsets()
    return (None if openapi is None else from_openapi(openapi)), LenientToolsets()


def _output_path(output: str | None, *, force: bool) -> Path | None:
    """
    Return the path of the module; None for the standard output.

    Raises:
        BadInput: The file exists, its folder does not, or it is not a Python file.
    """
    if output is None or output == _STDIN:
        return None
    path = Path(output)
    if path.suffix != ".py":
        raise BadInput(f"{path}: a policy is a Python module; name it `{path.stem or 'policy'}.py`")
    if not path.parent.is_dir():
        raise BadInput(f"{path}: there is no folder `{path.parent}`; make it first")
    # a policy that people have edited must not be lost
    if path.exists() and not (force and path.is_file()):
        raise BadInput(f"{path}: it exists; give `--force` to write over it, or another name")
    return path


def _write(text: str, place: Path | None) -> None:
    """Write atomically: the old content stays until the new text is complete."""
    if place is None:
        sys.stdout.write(text)
        return
    handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=f".{place.stem}", suffix=".py")
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        # `mkstemp` makes files that only their owner can read; this one is shared like any source
        # file
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(place)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)  # the system has no call that only reads it
    os.umask(mask)
    return mask


def _summary(mined: Mined) -> None:
    counts = mined.draft.counts()
    declared = sum(each["declared"] for each in counts.values())
    commented = sum(each["commented"] for each in counts.values())
    _print_message(
        f"{quantity(len(mined.draft.tools), 'tool')}, {quantity(declared, 'proposal')} declared,"
        f" {commented:,} as comments, {quantity(mined.draft.unmarked, 'target')} judged without a"
        f" mark; {mined.proof.summary}"
    )
    if mined.first is None or mined.last is None:
        return
    if not mined.last.calls:
        _print_message("the runs contain no call; all proposals come from the tools")
        return
    _print_message(blocked_line(mined.first, mined.last))
    for each in mined.draft.withdrawn:
        tool = escaped(each.tool, limit=LONGEST_NAME)
        _print_message(f"withdrawn: {each.kind} of {tool}: {each.objection}")
    for title, lines in fault_lists(mined.draft, mined.stays):
        for line in lines:
            _print_message(f"{title}: {line}")
    flagged = ", ".join(f"{layer} {count:,}" for layer, count in sorted(mined.last.flagged.items()))
    if flagged:
        _print_message(f"flagged, but not blocked: {flagged}")


def _print_message(text: str) -> None:
    print(f"abs-shield: {escaped(text, limit=_LONGEST_LINE)}", file=sys.stderr)


@contextmanager
def _progress(files: list[str]) -> Iterator[Callable[[str], Callable[[int], object]]]:
    """Show the current pass over the files on the standard error if it is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:  # before rich 14.3 a disabled `Progress` ends with an empty line
        yield lambda what: lambda count: None
        return
    columns = (TextColumn("init: {task.description}"), BarColumn(), TimeRemainingColumn())
    total = sum(Path(file).stat().st_size for file in files)
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False
    ) as progress:  # fmt: skip
        task = progress.add_task("reading the tools", total=total or None)

        def start_pass(what: str) -> Callable[[int], object]:
            progress.reset(task, description=what)
            return lambda count: progress.advance(task, count)

        yield start_pass
