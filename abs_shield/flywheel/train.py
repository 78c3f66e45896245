"""Fine-tuning: a command that the user gives; training data in, a candidate out."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from abs_shield.errors import ShieldError
from abs_shield.flywheel.artifact import hash_at
from abs_shield.flywheel.process import run_words
from abs_shield.text.show import escaped

DATA, OUT = "{data}", "{out}"


def train(
    words: Sequence[str],
    *,
    data: str | PathLike[str],
    out: str | PathLike[str],
    timeout_s: float = 86_400.0,
) -> dict[str, str]:
    """
    Run a training command, and return hashes of the data it read and of the candidate it wrote.

    Args:
        words: The program and its arguments; no shell reads them. A word ``{data}`` becomes the
            path of the training file, a word ``{out}`` that of the candidate, a file or folder.
        data: The training file, as `render_export` writes it.
        out: Where the candidate is to be written; there must be nothing yet.
        timeout_s: Seconds that it may take.

    Raises:
        ShieldError: A word is missing, the command fails or takes too long, or nothing, or
            something empty, was written although its exit code is 0. What it wrote is then deleted.
    """
    missing = [name for name in (DATA, OUT) if name not in words]
    if missing:
        raise ShieldError(f"train: the command has no word `{missing[0]}`; name both files")
    if Path(out).exists() or Path(out).is_symlink():
        raise ShieldError(f"train: {escaped(str(out), limit=300)} exists; name another file")
    paths = {DATA: str(data), OUT: str(out)}
    try:
        run_words([paths.get(word, word) for word in words], "", timeout_s=timeout_s, who="train")
        if not _holds_something(Path(out)):
            raise ShieldError("train: exit code 0, but it wrote no candidate, or an empty one")
        return {"data": hash_at(str(data)), "candidate": hash_at(str(out))}
    except BaseException:  # half a candidate must not be taken for one, nor stop the next try
        _delete(Path(out))
        raise


def _holds_something(path: Path) -> bool:
    """Return whether there is a file with content, or a folder with such a file."""
    files = path.rglob("*") if path.is_dir() else [path]
    return any(one.is_file() and one.stat().st_size for one in files)


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
