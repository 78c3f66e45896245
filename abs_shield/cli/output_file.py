"""Output of a command: the terminal, or a file that appears when it is complete."""

from __future__ import annotations

import io
import os
import signal
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import IO

import typer

from abs_shield.cli.usage_errors import BadInput


@contextmanager
def open_output(
    path: str | None,
    *,
    inputs: Iterable[str] = (),
    option: str = "--output",
    private: bool = False,
) -> Iterator[IO[bytes]]:
    """
    Open a temporary file that is renamed to *path* at the end; None is the standard output.

    A device or a pipe is written directly. A *private* file is readable by its owner only.

    Raises:
        BadInput: The file is one of the *inputs*.
        OSError: It cannot be written.
    """
    if path is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    require_not_input(path, inputs, option=option)
    # renaming over a symbolic link would replace the link, not its target
    real = Path(os.path.realpath(path))
    if _is_special(real, option=option):
        with open(real, "wb") as file:
            yield file
        return
    with _temporary_file(real, 0o600 if private else 0o666) as file:
        yield file


def write_printed(path: str, run: Callable[[], object], *, inputs: Iterable[str]) -> None:
    """
    Run a command, and write what it prints to *path*, which appears when it is complete.

    Raises:
        BadInput: The file is one of the *inputs*.
        OSError: It cannot be written.
        typer.Exit: The command ended with a code; the file is still written.
    """
    require_writable(path, option="--output")
    ended = None
    with open_output(path, inputs=inputs) as file:
        text = io.TextIOWrapper(file, "utf-8", "backslashreplace", write_through=True)
        with redirect_stdout(text):
            try:
                run()
            except typer.Exit as exit_:
                ended = exit_
        text.flush()
        # or the wrapper closes the file when it is collected
        text.detach()
    # raised only now, so that the file appears for exit code 1 as well
    if ended is not None:
        raise ended


def require_writable(path: str, *, inputs: Iterable[str] = (), option: str) -> None:
    """
    Raise, before any work is done, if an output cannot be written; leaves no file.

    Raises:
        BadInput: The path is one of the *inputs* or a folder, its folder does not exist, or
            it is not writable.
    """
    if path == "-":
        return
    require_not_input(path, inputs, option=option)
    real = Path(os.path.realpath(path))
    try:
        if not real.parent.is_dir():
            folder = real.parent if os.path.islink(path) else Path(path).parent
            raise BadInput(f"`{option}`: {path}: there is no folder `{folder}`; make it first")
        if _is_special(real, option=option):
            with open(real, "ab"):
                return
        with tempfile.TemporaryFile(dir=real.parent):
            pass
    except OSError as error:
        why = error.strerror or str(error)
        raise BadInput(
            f"`{option}`: {path} cannot be written: {why}; name a file in another folder"
        ) from None


def require_not_input(path: str, inputs: Iterable[str], *, option: str) -> None:
    """
    Raise if an output file is also an input.

    Raises:
        BadInput: The file is one of the *inputs*.
    """
    if any(name != "-" and _is_same_file(name, path) for name in inputs):
        raise BadInput(f"`{option}`: {path} is read as well; name another file")


def input_files(*places: str | None) -> list[str]:
    """Return the files among paths and policy references, as ``inputs`` of `open_output`."""
    names = [name for name in places if name is not None]
    return [name.rpartition(":")[0] if ".py:" in name else name for name in names]


@contextmanager
def _temporary_file(real: Path, mode: int) -> Iterator[IO[bytes]]:
    # in the same folder, because a rename works only within a file system
    unfinished = real.with_name(f".{real.name}.{os.getpid()}.part")
    try:
        with exit_on_sigterm(), open(unfinished, "wb", opener=_opener(mode)) as file:
            yield file
        os.replace(unfinished, real)  # atomic: a reader sees the old or the new file
    except FileNotFoundError as error:
        # the message must name the file that the user gave
        if error.filename == str(unfinished):
            error.filename = str(real)
        raise
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()


@contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Turn SIGTERM within the block into an exception, so that temporary files are removed."""

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)  # as shells report signals

    try:
        # without a handler, Python ends without removing the temporary file
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:  # only the main thread can handle signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _opener(mode: int) -> Callable[[str, int], int]:
    return lambda path, flags: os.open(path, flags, mode)


def _is_same_file(name: str, path: str) -> bool:
    with suppress(OSError):
        return os.path.samefile(name, path)
    return False


def _is_special(path: Path, *, option: str) -> bool:
    with suppress(FileNotFoundError):
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise BadInput(f"`{option}`: {path} is a folder; name a file in it")
        return not stat.S_ISREG(mode)
    return False
