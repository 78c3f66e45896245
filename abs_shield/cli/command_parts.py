"""Shared parts of commands: `-h`, `-o`, help texts, and checks of options."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import wraps
from types import MappingProxyType
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import CommandInfo, OptionInfo

from abs_shield.cli.output_file import input_files, require_writable, write_printed
from abs_shield.cli.shared_options import OutputFile
from abs_shield.cli.usage_errors import (
    BadInput,
    usage_words,
    write_example,
    write_parameters,
    write_rows,
    write_text,
)
from abs_shield.text.safe_display import escaped

HELP = {"help_option_names": ["-h", "--help"]}
"""Context settings of the root command, which subcommands inherit."""
WRITTEN = frozenset({"--output", "--html", "--export", "--save-heads", "--picture", "--report"})
"""Options that name an output file."""
WITHOUT_OUTPUT = MappingProxyType(
    {
        "mcp": "its standard output carries the protocol",
        "dashboard": "it prints nothing; `abs-shield report --html FILE` writes a page",
        "flywheel curate": "it asks on the terminal; `--export FILE` writes the gaps instead",
    }
)
"""Commands without `-o`, with the reason."""
_NAMES_WITHOUT_OUTPUT = {path.rpartition(" ")[2] for path in WITHOUT_OUTPUT}
_OUTPUT = ("--output", "-o")
_PRINTED_TO = "printed_to"


class CliCommand(TyperCommand):
    """A command with plain help and its own messages for unexpected arguments."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [*usage_words(self.get_params(ctx))]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        write_text(self.help or "", formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_parameters(self.get_params(ctx), formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        write_example(self.epilog or "", formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True  # else the library rejects them with its own message
        try:
            rest = super().parse_args(ctx, args)
        except Exception as error:
            if hasattr(error, "ctx") and error.ctx is None:
                error.ctx = ctx  # the library sets no context on an error of an option's value
            _require_output(ctx, getattr(error, "option_name", ""))
            raise
        # while a shell completes, an unfinished line is no error
        if rest and not ctx.resilient_parsing:
            hint = f"see `{ctx.command_path} --help`"
            raise BadInput(f"`{escaped(rest[0])}` is one argument too many; {hint}")
        return rest


def _require_output(ctx: Any, option: str) -> None:
    """Raise if *option* is the output option of a command without one, with the reason."""
    name = ctx.command_path.partition(" ")[2]
    if option in _OUTPUT and name in WITHOUT_OUTPUT:
        raise BadInput(f"`{name}` has no `{option}`: {WITHOUT_OUTPUT[name]}") from None


class CliGroup(TyperGroup):
    """A group of commands, each listed with its whole first sentence."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        write_text(self.help or "", formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_parameters(self.get_params(ctx), formatter)
        with formatter.section("Commands"):
            write_rows([*self.summaries()], formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        write_example(self.epilog or "", formatter)

    def summaries(self) -> Iterator[tuple[str, str]]:
        """Yield each command's name and summary."""
        for name, command in self.commands.items():
            yield name, command.get_short_help_str(limit=200)


def build_command(app: typer.Typer) -> Any:
    """Build the command, or the group of commands, of *app*, with the shared options and help."""
    # a copy, because the original app is also used by itself, in tests and docs
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
    """Return a callback that checks its output files first, and with `-o` prints to a file."""
    signature = inspect.signature(callback, eval_str=True)
    declared = [*_output_options(signature)]
    written = {name: option for name, option, info in declared if info.metavar != "FOLDER"}
    has_output = any(option == "--output" for _, option, _ in declared)
    adds_output = not has_output and name not in _NAMES_WITHOUT_OUTPUT

    @wraps(callback)
    def command(**arguments: Any) -> Any:
        path = arguments.pop(_PRINTED_TO) if adds_output else None
        path = None if path == "-" else path
        # `-` is the standard output, which is what no `--output` stands for
        for parameter, option in written.items():
            if option == "--output" and arguments[parameter] == "-":
                arguments[parameter] = None
        places = {option: arguments[parameter] for parameter, option in written.items()}
        # all checks before any work: a run of an hour must not end at a full or missing folder
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
                _PRINTED_TO, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=OutputFile
            )
        )
    # typer reads the options from the signature
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _require_distinct(places: Mapping[str, str | None]) -> None:
    """Raise if two options would write to one file."""
    options: dict[str, str] = {}
    for option, path in places.items():
        if path is None or path == "-":
            continue
        # resolved, because two names may lead to one file
        other = options.setdefault(os.path.realpath(path), option)
        if other != option:
            raise BadInput(f"`{other}` and `{option}` both name one file, {path}; name two files")


def _output_options(signature: inspect.Signature) -> Iterator[tuple[str, str, OptionInfo]]:
    """Yield the parameters that name an output file, each with its option."""
    for name, parameter in signature.parameters.items():
        for info in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(info, OptionInfo):
                # in an `Annotated`, typer keeps the first name as the default until it parses it
                names = (f"--{name.replace('_', '-')}", info.default, *(info.param_decls or ()))
                yield from ((name, option, info) for option in names if option in WRITTEN)


def _texts(arguments: Mapping[str, Any]) -> Iterator[str]:
    for value in arguments.values():
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, str):
                yield one
