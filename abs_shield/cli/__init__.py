"""The `abs-shield` command: one file a subcommand, imported when it is asked for."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from abs_shield.cli.faults import BadInput, wrong_file, wrong_usage
from abs_shield.errors import ShieldError
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped
from abs_shield.version import __version__

COMMANDS = (
    "demo", "check", "init", "replay", "backtest", "plant", "report", "dashboard", "show", "label",
    "log", "prove", "layers", "ground", "quality", "flywheel", "calibrate", "mcp",
)  # fmt: skip
"""Each is a file of this folder with an `app`."""
_USAGE = cast("type[Exception]", typer.BadParameter.__mro__[2])
_SILENT = logging.NullHandler()
_INTERRUPTED = 130
_TERMINATED = 143
_BROKEN_PIPE = 141


class _Commands(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in COMMANDS:
            module = import_module(f"abs_shield.cli.{cmd_name}")
            return typer.main.get_command(module.app)
        near = nearest(cmd_name, COMMANDS)
        hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(COMMANDS)}"
        raise BadInput(f"no command is named `{escaped(cmd_name)}`; {hint}")


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    rich_markup_mode=None,
    epilog="Example: abs-shield demo",
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"abs-shield {__version__}")
        raise typer.Exit


@app.callback()
def _abs_shield(
    version: Annotated[
        bool,
        typer.Option("--version", help="Say the version.", callback=_tell_version, is_eager=True),
    ] = False,
) -> None:
    """Judge the tool calls that an AI agent proposes, before they run."""


def main(argv: Sequence[str] | None = None) -> int:
    """
    Run one command.

    Returns:
        0 for done, 1 where the command's own question is answered badly, 2 for bad input.
    """
    logging.getLogger("abs_shield").addHandler(_SILENT)
    args = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:
        return _told("the standard output is closed; send it to a file, or to /dev/null")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        _run(args or ["--help"])
    except typer.Exit as ended:
        return _flushed(ended.exit_code)
    except _USAGE as error:
        return _told(wrong_usage(error))
    except BrokenPipeError:
        return _quietly()
    except OSError as error:
        return _told(wrong_file(error))
    except (BadInput, ShieldError) as error:
        return _told(str(error))
    except KeyboardInterrupt:
        return _INTERRUPTED
    except SystemExit as ended:
        return _ended(ended)
    return _flushed(0)


def _run(args: list[str]) -> None:
    command = typer.main.get_command(app)
    with command.make_context("abs-shield", args) as context:
        command.invoke(context)


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _quietly()
    return code


def _ended(ended: SystemExit) -> int:
    """A signal ended it; or a policy's code did, which must not pass for an answer."""
    if ended.code == _TERMINATED:
        return _TERMINATED
    return _told("something that was judged with ended the program; a rule must not call `exit`")


def _quietly() -> int:
    """Nobody reads on: what is still buffered goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _BROKEN_PIPE


def _told(message: str) -> int:
    print(f"abs-shield: {escaped(message, limit=1_000)}", file=sys.stderr)
    return 2
