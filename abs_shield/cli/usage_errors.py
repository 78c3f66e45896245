"""Help texts, and messages for wrong use of the command line, one line each, with a hint."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path, PurePath
from typing import Any

from abs_shield.text.nearest import nearest, suggest_name
from abs_shield.text.safe_display import escaped

_NAMES = 30
"""Width of the column of option names; a longer name has its own line."""
_BEFORE_OPTION = re.compile(r" (?=-)|(?<= \|) ")


def value_word(parameter: Any) -> str:
    """Return the word for a parameter's value: its metavar, its choices, else its name."""
    if parameter.metavar:
        return str(parameter.metavar).removesuffix("...").strip("[]")
    # typer 0.29 removed `type`
    kind = getattr(parameter, "type_descriptor", None) or parameter.type
    choices = getattr(kind, "choices", None) or ()
    return "|".join(_text(choice) for choice in choices) or str(parameter.name).upper()


def bounds(parameter: Any) -> tuple[float | None, float | None]:
    """Return the minimum and maximum of a parameter's value; None without one."""
    holder = parameter if hasattr(parameter, "min") else getattr(parameter, "type", None)
    return getattr(holder, "min", None), getattr(holder, "max", None)


def bounds_text(least: float | None, most: float | None) -> str:
    """
    Return the bounds in words; empty without any.

    >>> bounds_text(1, None), bounds_text(1, 9), bounds_text(None, None)
    ('at least 1', '1 to 9', '')
    """
    if least is not None and most is not None:
        return f"{least:g} to {most:g}"
    if least is not None:
        return f"at least {least:g}"
    return "" if most is None else f"at most {most:g}"


def usage_words(parameters: Iterable[Any]) -> Iterator[str]:
    """Yield the words of the usage line."""
    yield "[OPTIONS]"
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            word = value_word(parameter) + "..." * (parameter.nargs != 1)
            yield word if parameter.required else f"[{word}]"


def write_parameters(parameters: Sequence[Any], formatter: Any) -> None:
    """Write the sections of the arguments and of the options."""
    arguments = [_argument(one) for one in parameters if one.param_type_name == "argument"]
    options = [_option(one) for one in parameters if one.param_type_name == "option"]
    for title, rows in (("Arguments", arguments), ("Options", options)):
        if rows:
            with formatter.section(title):
                write_rows(rows, formatter)


def write_rows(rows: Sequence[tuple[str, str]], formatter: Any) -> None:
    """Write names with their descriptions."""
    indent = " " * formatter.current_indent
    column = min(max(len(name) for name, _ in rows), _NAMES) + 2
    width = formatter.width - len(indent) - column
    for name, text in rows:
        lines = _wrap(text, width) or [""]
        # a long name on a line of its own: the descriptions stay in one column
        if len(name) > column - 2:
            lines = ["", *lines]
        first, *rest = lines
        formatter.write(f"{indent}{name:<{column}}{first}".rstrip() + "\n")
        formatter.write("".join(f"{indent}{' ' * column}{line}\n" for line in rest))


def write_text(text: str, formatter: Any) -> None:
    """Write paragraphs."""
    indent = " " * (formatter.current_indent + formatter.indent_increment)
    for paragraph in text.split("\n\n"):
        formatter.write("\n")
        for line in _wrap(" ".join(paragraph.split()), formatter.width - len(indent)):
            formatter.write(f"{indent}{line}\n")


def write_example(epilog: str, formatter: Any) -> None:
    """Write the examples, wrapped so that they can be copied into a shell."""
    for example in epilog.splitlines():
        formatter.write("\n" + " \\\n    ".join(_parts(example, formatter.width - 6)) + "\n")


def _parts(example: str, width: int) -> list[str]:
    """Return an example in lines, each but the first beginning with an option."""
    lines = [""]
    for part in _BEFORE_OPTION.split(example):
        if lines[-1] and len(lines[-1]) + 1 + len(part) > width:
            lines.append(part)
        else:
            lines[-1] = f"{lines[-1]} {part}".strip()
    return lines


def _wrap(text: str, width: int) -> list[str]:
    # names of options have hyphens, and are copied from the help
    return textwrap.wrap(text, max(width, 20), break_on_hyphens=False, break_long_words=False)


def _argument(parameter: Any) -> tuple[str, str]:
    return value_word(parameter), parameter.help or ""


def _option(parameter: Any) -> tuple[str, str]:
    names = ", ".join(sorted((*parameter.opts, *parameter.secondary_opts), key=len))
    if not parameter.is_flag:
        names = f"{names} {value_word(parameter)}"
    notes = [f"default: {_default(parameter)}", bounds_text(*bounds(parameter)), "required"]
    shown = (bool(_default(parameter)), bool(notes[1]), parameter.required)
    extra = "; ".join(note for note, wanted in zip(notes, shown, strict=True) if wanted)
    help_ = parameter.help or ""
    return names, f"{help_}  [{extra}]" if extra else help_


def _default(parameter: Any) -> str:
    value = parameter.default
    if parameter.is_flag or callable(value) or value is None or value in ((), [], ""):
        return ""
    return _text(value)


def _text(value: Any) -> str:
    return str(value.value if isinstance(value, Enum) else value)


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
    hint = suggest_name(error.option_name, options, otherwise=_help_hint(error))
    return f"no option is named `{escaped(error.option_name)}`; {hint}"


def _no_command(message: str, commands: list[str]) -> str:
    name = _WORD.search(message)
    problem = f"no command is named `{escaped(name[1])}`" if name else "a command is missing"
    near = nearest(name[1], commands) if name else []
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(commands)}"
    return f"{problem}; {hint}"


def _no_choice(got: str, choices: str) -> str:
    words = _WORD.findall(choices)
    hint = suggest_name(got, words, otherwise=f"use one of {', '.join(words)}")
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
