"""Messages for wrong use of the command line, one line each, with a hint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from abs_shield.cli.help_text import bounds, bounds_text, value_word
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped

_CHOICES = re.compile(r"'(?P<got>.*)' is not one of (?P<words>'.+')\.?$", re.DOTALL)
_GOT = re.compile("'?(.*?)'? is not ", re.DOTALL)
_WORD = re.compile("'([^']+)'")


class BadInput(Exception):
    """An input of a command is unusable; the message is one line, with a hint."""


def usage_message(error: Any) -> str:
    """Return a one-line message for an error of typer."""
    parameter = getattr(error, "param", None)
    # by their attributes, because the classes have other names in each version of typer
    if hasattr(error, "possibilities"):
        return _no_option(error)
    if hasattr(error, "option_name"):
        return _no_value(error)
    if parameter is not None:
        return _wrong_value(error, parameter)
    if commands := getattr(getattr(error.ctx, "command", None), "commands", None):
        return _no_command(str(error.message), list(commands))
    return f"{_library_message(error)}; {_help_hint(error)}"


def _wrong_value(error: Any, parameter: Any) -> str:
    name = value_word(parameter) if parameter.param_type_name == "argument" else parameter.opts[0]
    if hasattr(error, "param_type"):
        return f"`{name}` is missing; {_help_hint(error)}"
    message = str(error.message).removeprefix("Value error, ").rstrip(".")
    if choice := _CHOICES.search(message):
        return f"`{name}`: {_no_choice(choice['got'], choice['words'])}"
    within = bounds_text(*bounds(parameter))
    whole = "integer" in message or all(isinstance(one, int) for one in _defined(bounds(parameter)))
    noun = "a whole number" if whole else "a number"
    wanted = f"give {noun}, {within}" if within else f"give {noun}"
    return f"`{name}`: {_got(error)}{wanted}; {_help_hint(error)}"


def _defined(numbers: Iterable[float | None]) -> Iterator[float]:
    return (number for number in numbers if number is not None)


def _got(error: Any) -> str:
    """Return the rejected value as text, if the library reports it."""
    cause = error.__cause__
    before = _GOT.match(str(error.message))  # before typer 0.29 there is no cause
    value = before[1] if before else None
    if hasattr(cause, "errors"):
        value = cause.errors()[0].get("input")
    return "" if value is None else f"got `{escaped(str(value), limit=80)}`; "


def _no_value(error: Any) -> str:
    """Return the message for an option without its value, or a flag with one."""
    parameters = error.ctx.command.params if error.ctx else ()
    flag = any(error.option_name in one.opts and one.is_flag for one in parameters)
    problem = "takes no value" if flag else "needs a value"
    return f"`{escaped(error.option_name)}` {problem}; {_help_hint(error)}"


def _library_message(error: Any) -> str:
    return escaped(str(error.message).rstrip("."), limit=300)


def _help_hint(error: Any) -> str:
    return f"see `{_command(error)} --help`"


def _no_option(error: Any) -> str:
    options = [name for one in error.ctx.command.params for name in one.opts] if error.ctx else []
    near = nearest(error.option_name, options)
    hint = f"did you mean `{near[0]}`?" if near else _help_hint(error)
    return f"no option is named `{escaped(error.option_name)}`; {hint}"


def _no_command(message: str, commands: list[str]) -> str:
    name = _WORD.search(message)
    problem = f"no command is named `{escaped(name[1])}`" if name else "a command is missing"
    near = nearest(name[1], commands) if name else []
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(commands)}"
    return f"{problem}; {hint}"


def _no_choice(got: str, choices: str) -> str:
    words = _WORD.findall(choices)
    near = nearest(got, words)
    hint = f"did you mean `{near[0]}`?" if near else f"use one of {', '.join(words)}"
    return f"`{escaped(got)}` is not valid; {hint}"


def _command(error: Any) -> str:
    return str(error.ctx.command_path) if error.ctx else "abs-shield"


def file_message(error: OSError) -> str:
    """Return a one-line message for a file error, with the nearest existing file."""
    if not error.filename:
        return f"error: {error.strerror or error}"
    path = Path(str(error.filename))
    problem = f"{path}: {error.strerror or error}"
    if isinstance(error, FileNotFoundError):
        return f"{problem}; {_path_hint(path)}"
    if isinstance(error, IsADirectoryError):
        return f"{problem}; name a file in it"
    return f"{problem}; make it readable" if isinstance(error, PermissionError) else problem


def _path_hint(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no folder `{path.parent}`"
    near: list[str] = []
    kind = path.suffix  # a file with another suffix is not a likely candidate
    with suppress(OSError):  # the folder may not be readable
        entries = sorted(entry.name for entry in path.parent.iterdir())
        near = nearest(path.name, [name for name in entries if PurePath(name).suffix == kind])
    return f"did you mean `{path.parent / near[0]}`?" if near else "name a file that exists"
