"""Fine-tuning with a user's command, from training data to a candidate."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from abs_shield.errors import ShieldError
from abs_shield.flywheel.candidate import run_program
from abs_shield.flywheel.version_artifact import hash_at
from abs_shield.text.safe_display import escaped

DATA, OUT = "{data}", "{out}"


def train(
    words: Sequence[str],
    *,
    data: str | PathLike[str],
    out: str | PathLike[str],
    timeout_s: float = 86_400.0,  # a day: a fine-tuning takes hours
) -> dict[str, str]:
    """
    Run a training command, and return hashes of the data it read and of the candidate it wrote.

    Args:
        words: The program and its arguments, run without a shell. The word ``{data}`` is replaced
            by the path of the training file, ``{out}`` by that of the candidate, a file or folder.
        data: The training file, from `render_export`.
        out: The path of the candidate, which must not exist yet.
        timeout_s: Time limit in seconds.

    Raises:
        ShieldError: A word is missing, the command fails or times out, or wrote no or an empty
            candidate with exit code 0. Its output is deleted then.
    """
    missing = [name for name in (DATA, OUT) if name not in words]
    if missing:
        raise ShieldError(f"train: the command has no word `{missing[0]}`; name both files")
    if Path(out).exists() or Path(out).is_symlink():
        raise ShieldError(f"train: {escaped(str(out), limit=300)} exists; name another file")
    paths = {DATA: str(data), OUT: str(out)}
    try:
        run_program([paths.get(word, word) for word in words], "", timeout_s=timeout_s, who="train")
        if not _holds_something(Path(out)):
            raise ShieldError("train: exit code 0, but it wrote no candidate, or an empty one")
        return {"data": hash_at(str(data)), "candidate": hash_at(str(out))}
    except BaseException:  # a partial candidate must not be used, or block the next attempt
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
