"""A file that a command writes: whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abs_shield.cli.faults import BadInput


@contextmanager
def output(path: str) -> Iterator[Path]:
    """
    Give a name to write under; once the block ends well, the file stands at *path*.

    Raises:
        BadInput: *path* is a folder, or its folder does not exist.
    """
    target = Path(path)
    if target.is_dir():
        raise BadInput(f"{path}: it is a folder; name a file in it")
    if not target.parent.is_dir():
        raise BadInput(f"{path}: there is no folder `{target.parent}`")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
