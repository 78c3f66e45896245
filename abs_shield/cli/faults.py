"""What a user of the command line can get wrong, each as one line that says what instead."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped

_CHOICES = re.compile(r"'(?P<got>.*)' is not one of (?P<words>'.+')\.?$", re.DOTALL)
_WORD = re.compile("'([^']+)'")


class BadInput(Exception):
    """Something given to a command cannot be used; one line that says what and what instead."""


def wrong_usage(error: Any) -> str:
    """Say on one line what is wrong with the options that typer refused."""
    if hasattr(error, "possibilities"):
        return _no_option(error)
    if known := getattr(getattr(error.ctx, "command", None), "commands", None):
        return _no_command(str(error.message), list(known))
    help_ = f"see `{_command(error)} --help`"
    message = str(error.message).removeprefix("Value error, ").rstrip(".")
    parameter = getattr(error, "param", None)
    if parameter is None or not message:
        return f"{error.format_message().rstrip('.')}; {help_}"
    choice = _CHOICES.search(message)
    told = _no_choice(choice["got"], choice["words"]) if choice else f"{message}; {help_}"
    return f"`{parameter.opts[0]}`: {told}"


def _no_option(error: Any) -> str:
    known = [name for one in error.ctx.command.params for name in one.opts] if error.ctx else []
    near = nearest(error.option_name, known)
    hint = f"did you mean `{near[0]}`?" if near else f"see `{_command(error)} --help`"
    return f"no option is named `{escaped(error.option_name)}`; {hint}"


def _no_command(message: str, known: list[str]) -> str:
    named = _WORD.search(message)
    told = f"no command is named `{escaped(named[1])}`" if named else "a command is missing"
    near = nearest(named[1], known) if named else []
    return f"{told}; did you mean `{near[0]}`?" if near else f"{told}; there are {', '.join(known)}"


def _no_choice(got: str, choices: str) -> str:
    words = _WORD.findall(choices)
    near = nearest(got, words)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(words)}"
    return f"there is no `{escaped(got)}`; {hint}"


def _command(error: Any) -> str:
    return str(error.ctx.command_path) if error.ctx else "abs-shield"


def wrong_file(error: OSError) -> str:
    """Say on one line what is wrong with a file, and which one was probably meant."""
    if not error.filename:
        return f"error: {error.strerror or error}"
    path = Path(str(error.filename))
    told = f"{path}: {error.strerror or error}"
    if isinstance(error, FileNotFoundError):
        return f"{told}; {_there(path)}"
    if isinstance(error, IsADirectoryError):
        return f"{told}; name a file in it"
    return f"{told}; make it readable" if isinstance(error, PermissionError) else told


def _there(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no folder `{path.parent}`"
    near: list[str] = []
    with suppress(OSError):
        near = nearest(path.name, sorted(entry.name for entry in path.parent.iterdir()))
    return f"did you mean `{path.parent / near[0]}`?" if near else "name a file that exists"
