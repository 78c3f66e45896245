"""Check that an input is not empty, unless that is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from abs_shield.cli.usage_errors import BadInput

AllowEmpty = Annotated[bool, typer.Option("--allow-empty", help="Accept an empty input.")]


def require_input(count: int, *, noun: str, files: Sequence[str], allowed: bool) -> None:
    """
    Raise if an input is empty, so that a broken export does not pass for a good one.

    Args:
        count: Number of entries read.
        noun: The singular noun for an entry.
        files: The input files.
        allowed: Whether ``--allow-empty`` is set.

    Raises:
        BadInput: The input is empty, and that is not allowed.
    """
    if not count and not allowed:
        source = files[0] if len(files) == 1 else f"{len(files)} files"
        source = "<stdin>" if source == "-" else source
        raise BadInput(
            f"{source}: no {noun} was read; give another file, or `--allow-empty` if that is right"
        )
