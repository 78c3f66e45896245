"""Shared parts of commands: `-h`, `-o`, their help, and the checks before their work begins."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import wraps
from types import MappingProxyType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import CommandInfo, OptionInfo

from abs_shield.cli.help_text import (
    usage_words,
    write_example,
    write_parameters,
    write_rows,
    write_text,
)
from abs_shield.cli.output_file import input_files, require_writable, write_printed
from abs_shield.cli.usage_errors import BadInput
from abs_shield.text.show import escaped

HELP = {"help_option_names": ["-h", "--help"]}
"""The settings of the first command, which those below it inherit."""
WRITTEN = frozenset({"--output", "--html", "--export", "--save-heads", "--picture", "--report"})
"""Options that name a file to be written."""
WITHOUT_OUTPUT = MappingProxyType(
    {
        "mcp": "its standard output carries the protocol",
        "dashboard": "it prints nothing; `abs-shield report --html FILE` writes a page",
        "flywheel curate": "it asks on the terminal; `--export FILE` writes the gaps instead",
    }
)
"""Commands that have no `-o`, and why."""
_NAMES_WITHOUT_OUTPUT = {path.rpartition(" ")[2] for path in WITHOUT_OUTPUT}
_OUTPUT = ("--output", "-o")
_PRINTED_TO = "printed_to"
_Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write there; else standard output."),
]


class CliCommand(TyperCommand):
    """A command with plain help, which refuses what it does not take in its own words."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [*usage_words(self.get_params(ctx))]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        write_text(self.help or "", formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_parameters(self.get_params(ctx), formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        write_example(self.epilog or "", formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True  # else the library refuses them, in its own words
        try:
            rest = super().parse_args(ctx, args)
        except Exception as error:
            if hasattr(error, "ctx") and error.ctx is None:
                error.ctx = ctx  # of an option's value the library does not say whose it is
            _require_output(ctx, getattr(error, "option_name", ""))
            raise
        if rest and not ctx.resilient_parsing:
            hint = f"see `{ctx.command_path} --help`"
            raise BadInput(f"`{escaped(rest[0])}` is one argument too many; {hint}")
        return rest


def _require_output(ctx: Any, option: str) -> None:
    """Raise the reason where *option* is the output of a command that has none."""
    name = ctx.command_path.partition(" ")[2]
    if option in _OUTPUT and name in WITHOUT_OUTPUT:
        raise BadInput(f"`{name}` has no `{option}`: {WITHOUT_OUTPUT[name]}") from None


class CliGroup(TyperGroup):
    """Commands below one name, each with a sentence that is not cut off."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        write_text(self.help or "", formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_parameters(self.get_params(ctx), formatter)
        with formatter.section("Commands"):
            write_rows([*self.summaries()], formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        write_example(self.epilog or "", formatter)

    def summaries(self) -> Iterator[tuple[str, str]]:
        """Yield each command's name and its sentence."""
        for name, command in self.commands.items():
            yield name, command.get_short_help_str(limit=200)


def build_command(app: typer.Typer) -> Any:
    """Return the command, or the group of commands, of *app*, with what all of them share."""
    shared = copy(app)
    shared.registered_commands = [_adapt(info) for info in app.registered_commands]
    shared.info = copy(app.info)
    shared.info.cls = CliGroup
    return typer.main.get_command(shared)


def _adapt(info: CommandInfo) -> CommandInfo:
    adapted = copy(info)
    adapted.cls = CliCommand
    if info.callback is not None:
        adapted.callback = _with_output_checks(
            info.callback, name=info.name or info.callback.__name__
        )
    return adapted


def _with_output_checks(callback: Callable[..., Any], *, name: str) -> Callable[..., Any]:
    """Return a callback that looks at its output first, and with `-o` prints to a file."""
    signature = inspect.signature(callback, eval_str=True)
    declared = [*_output_options(signature)]
    written = {name: option for name, option, info in declared if info.metavar != "FOLDER"}
    has_output = any(option == "--output" for _, option, _ in declared)
    adds_output = not has_output and name not in _NAMES_WITHOUT_OUTPUT

    @wraps(callback)
    def command(**arguments: Any) -> Any:
        path = arguments.pop(_PRINTED_TO) if adds_output else None
        places = {option: arguments[parameter] for parameter, option in written.items()}
        _require_distinct(places if path is None else {**places, "--output": path})
        for parameter, option in written.items():
            if arguments[parameter] is not None:
                require_writable(arguments[parameter], option=option)
        if path is None:
            return callback(**arguments)
        return write_printed(
            path, lambda: callback(**arguments), inputs=input_files(*_texts(arguments))
        )

    parameters = [*signature.parameters.values()]
    if adds_output:
        parameters.append(
            inspect.Parameter(
                _PRINTED_TO, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_Output
            )
        )
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _require_distinct(places: Mapping[str, str | None]) -> None:
    """Refuse two options that would write to one file."""
    options: dict[str, str] = {}
    for option, path in places.items():
        if path is None or path == "-":
            continue
        other = options.setdefault(os.path.realpath(path), option)
        if other != option:
            raise BadInput(f"`{other}` and `{option}` both name one file, {path}; name two files")


def _output_options(signature: inspect.Signature) -> Iterator[tuple[str, str, OptionInfo]]:
    """Yield the parameters that name an output, with its option."""
    for name, parameter in signature.parameters.items():
        for info in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(info, OptionInfo):
                # in an `Annotated`, typer takes the first name for a default until it reads it
                names = (f"--{name.replace('_', '-')}", info.default, *(info.param_decls or ()))
                yield from ((name, option, info) for option in names if option in WRITTEN)


def _texts(arguments: Mapping[str, Any]) -> Iterator[str]:
    for value in arguments.values():
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, str):
                yield one
