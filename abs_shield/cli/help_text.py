"""Help texts of commands: plain words for values, and unbroken names at 80 columns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any

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
