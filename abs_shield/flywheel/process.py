"""Runs a program of the user's: no shell, a time limit, and nothing of it left behind."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from abs_shield.errors import ShieldError
from abs_shield.text.show import escaped, shown


def run_words(words: Sequence[str], stdin: str, *, timeout_s: float, who: str) -> bytes:
    """
    Run a program without a shell, and return what it writes to its standard output.

    Args:
        words: The program and its arguments.
        stdin: What it reads.
        timeout_s: Seconds; then it is ended, with what it started.
        who: What a message calls it.

    Raises:
        ShieldError: It cannot be started, takes too long, or its exit code is not 0.
    """
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise ShieldError(f"{who}: cannot start {shown(words[0])}: {escaped(str(error))}") from None
    try:
        out, told = process.communicate(stdin.encode(), timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise ShieldError(f"{who}: not done within {timeout_s:g} s") from None
    finally:
        _end(process)
    if process.returncode:
        reason = escaped(told.decode("utf-8", "replace").strip()[-300:], limit=300)
        raise ShieldError(f"{who}: exit code {process.returncode}: {reason or 'no message'}")
    return out


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program, and what it started and left behind."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
