"""An input that holds nothing: bad input, unless it is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from abs_shield.cli.usage_errors import BadInput

AllowEmpty = Annotated[
    bool, typer.Option("--allow-empty", help="Accept an input that holds nothing.")
]


def require_input(count: int, *, noun: str, files: Sequence[str], allowed: bool) -> None:
    """
    Refuse an input without content, so that a broken export does not pass for a good one.

    Args:
        count: How many were read.
        noun: The word for one of them.
        files: The input.
        allowed: Whether ``--allow-empty`` was given.

    Raises:
        BadInput: Nothing was read, and that is not allowed.
    """
    if not count and not allowed:
        source = files[0] if len(files) == 1 else f"{len(files)} files"
        source = "<stdin>" if source == "-" else source
        raise BadInput(
            f"{source}: no {noun} was read; give another file, or `--allow-empty` if that is right"
        )
