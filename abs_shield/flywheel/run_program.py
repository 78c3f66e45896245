"""Running of a user's program without a shell, with a time limit and cleanup."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from abs_shield.errors import ShieldError
from abs_shield.text.safe_display import escaped, shown


def run_program(words: Sequence[str], stdin: str, *, timeout_s: float, who: str) -> bytes:
    """
    Run a program without a shell, and return its standard output.

    Args:
        words: The program and its arguments.
        stdin: Its standard input.
        timeout_s: Time limit in seconds; then it is killed with its child processes.
        who: Name of the program in messages.

    Raises:
        ShieldError: It cannot be started, times out, or its exit code is not 0.
    """
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # its own process group, so that children can be killed with it
        )
    except (OSError, ValueError) as error:
        raise ShieldError(f"{who}: cannot start {shown(words[0])}: {escaped(str(error))}") from None
    try:
        out, errors = process.communicate(stdin.encode(), timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise ShieldError(f"{who}: not done within {timeout_s:g} s") from None
    finally:
        _end(process)
    if process.returncode:
        # errors end a log
        reason = escaped(errors.decode("utf-8", "replace").strip()[-300:], limit=300)
        raise ShieldError(f"{who}: exit code {process.returncode}: {reason or 'no message'}")
    return out


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the program and its remaining child processes."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
