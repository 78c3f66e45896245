"""The `abs-shield` command: one module for each subcommand, imported on demand."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from importlib import import_module
from typing import Annotated, Any, cast

import typer

from abs_shield.cli.command_parts import HELP, CliGroup, build_command
from abs_shield.cli.usage_errors import BadInput, file_message, usage_message
from abs_shield.errors import ShieldError
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped
from abs_shield.version import __version__

COMMANDS = {
    "demo": "Watch an agent hallucinate, be stopped, and correct itself.",
    "check": "Judge one proposed call from the standard input.",
    "init": "Propose a policy from tools and recorded runs.",
    "replay": "Judge every call of recorded runs again.",
    "backtest": "Compare two policies on recorded runs.",
    "plant": "Plant faults in recorded runs, to measure a policy.",
    "report": "Show what each layer did, and what is safe to enforce.",
    "dashboard": "Serve the risk heatmap of a decision log as a page.",
    "grafana": "Print a Grafana dashboard or Prometheus alert rules.",
    "show": "Show one decision of the log, in words.",
    "label": "Record whether a decision was right.",
    "log": "Verify, export or prune the decision log.",
    "prove": "Find mistakes in a policy before it is used.",
    "layers": "List the layers, and how often each is right.",
    "ground": "Check recorded answers against their sources.",
    "quality": "Check outputs of agents with the quality cascade.",
    "flywheel": "Turn findings into training data and better versions.",
    "calibrate": "Apply labels to the engine and the answer gate.",
    "mcp": "Judge every call of an MCP server's tools.",
}
"""Every command and its line in the help; `check_command.py` holds the `app` of ``check``."""
_FOLDERS = frozenset({"demo", "flywheel", "log", "report"})
"""Commands whose `app` is in a folder of the command's name."""
# by its place among the bases, because typer has no public name for this class
_USAGE = cast("type[Exception]", typer.BadParameter.__mro__[2])
_NAME = "abs-shield"
_COMPLETE = "_ABS_SHIELD_COMPLETE"
"""Environment variable set by a shell's completion script."""
# or Python prints warnings of the library on the standard error, between the command's lines
_SILENT = logging.NullHandler()
_INTERRUPTED = 130  # as shells report SIGINT: 128 + 2
_TERMINATED = 143  # as shells report SIGTERM: 128 + 15
_BROKEN_PIPE = 141  # as shells report SIGPIPE: 128 + 13


class _Commands(CliGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # the other commands are not imported
        if cmd_name in COMMANDS:
            name = cmd_name if cmd_name in _FOLDERS else f"{cmd_name}_command"
            # imported here: all commands together take many times as long as one
            return build_command(import_module(f"abs_shield.cli.{name}").app)
        hint = suggest_name(cmd_name, COMMANDS, otherwise=f"there are {', '.join(COMMANDS)}")
        raise BadInput(f"no command is named `{escaped(cmd_name)}`; {hint}")

    def summaries(self) -> Iterator[tuple[str, str]]:
        return iter(COMMANDS.items())


app = typer.Typer(
    cls=_Commands,
    context_settings=HELP,
    rich_markup_mode=None,
    epilog="Example: abs-shield demo",
)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"abs-shield {__version__}")
        raise typer.Exit


@app.callback()
def _abs_shield(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Judge the tool calls that an AI agent proposes, before they run."""


def main(argv: Sequence[str] | None = None) -> int:
    """
    Run one command.

    Returns:
        0 for success, 1 if the command's check failed, 2 for bad input.
    """
    logging.getLogger("abs_shield").addHandler(_SILENT)
    args = list(sys.argv[1:] if argv is None else argv)
    # a program may be started with a closed standard output, as `abs-shield report >&-`
    if sys.stdout is None:
        return _print_error("the standard output is closed; send it to a file, or to /dev/null")
    for stream in (sys.stdout, sys.stderr):
        # tests and other programs may replace the streams
        if hasattr(stream, "reconfigure"):
            # a model's text may have characters that the terminal's encoding lacks
            stream.reconfigure(errors="backslashreplace")
    try:
        _run(args or ["--help"])
    except typer.Exit as ended:
        return _flush(ended.exit_code)
    except _USAGE as error:
        return _print_error(usage_message(error))
    except BrokenPipeError:
        return _drop_output()
    except OSError as error:
        return _print_error(file_message(error))
    except (BadInput, ShieldError) as error:
        return _print_error(str(error))
    except KeyboardInterrupt:
        return _INTERRUPTED
    except SystemExit as ended:
        return _exit_code(ended)
    return _flush(0)


def _run(args: list[str]) -> None:
    command = typer.main.get_command(app)
    if _COMPLETE in os.environ:
        _complete(command)
    with _parse(command, args) as context:
        command.invoke(context)


def _complete(command: Any) -> None:
    """Answer the completion script that `--show-completion` prints for a shell."""
    try:
        command.main(args=[], prog_name=_NAME)
    except SystemExit as ended:
        raise typer.Exit(int(ended.code or 0)) from None


def _parse(command: Any, args: list[str]) -> Any:
    """
    Return the context of a command line; options about completion exit here.

    Raises:
        BadInput: The shell is not recognised.
    """
    try:
        with redirect_stderr(io.StringIO()):  # hides typer's own message about an unknown shell
            return command.make_context(_NAME, args)
    except (SystemExit, typer.Exit) as ended:
        if getattr(ended, "code", 0) or getattr(ended, "exit_code", 0):
            raise BadInput(
                "no shell was recognised; run this in bash, zsh, fish or PowerShell"
            ) from None
        raise typer.Exit from None


def _flush(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _drop_output()
    return code


def _exit_code(ended: SystemExit) -> int:
    """Return the exit code after SIGTERM, or 2 if a policy's own code called `exit`."""
    if ended.code == _TERMINATED:
        return _TERMINATED
    return _print_error("code of the policy ended the program; a rule must not call `exit`")


def _drop_output() -> int:
    """Drop buffered output after the pipe's reader has closed it; return the exit code."""
    # or Python flushes the rest at exit, and reports the broken pipe once more
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _BROKEN_PIPE


def _print_error(message: str) -> int:
    print(f"abs-shield: {escaped(message, limit=1_000)}", file=sys.stderr)
    return 2
