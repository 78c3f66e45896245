"""Writes a file that is there whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

from abs_shield.cli.faults import BadInput


def write_whole(path: Path, lines: Iterable[str]) -> None:
    """
    Write *lines* under a temporary name beside *path*, then rename.

    Raises:
        BadInput: *path* is a folder.
    """
    if path.is_dir():
        raise BadInput(f"{path}: it is a folder; name a file in it")
    made = path.with_name(f".{path.name[:64]}.{uuid4().hex[:8]}")
    try:
        with made.open("x", encoding="utf-8") as file:
            file.writelines(lines)
        os.replace(made, path)
    finally:
        made.unlink(missing_ok=True)
