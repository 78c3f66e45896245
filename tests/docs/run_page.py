"""Runs the blocks of a page in order, in one namespace, and compares what they print."""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import types
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

COMMAND = "from abs_shield.cli import main; raise SystemExit(main())"
SHELL = (
    f"abs-shield() {{ '{sys.executable}' -c '{COMMAND}' \"$@\"; }}\n"
    f"pytest() {{ '{sys.executable}' -m pytest -p no:cacheprovider \"$@\"; }}\n"
)
PRELOADED = (
    "abs_shield.shield.shield",
    "abs_shield.answer.check_pipeline",
    "abs_shield.cli.replay_command",
    "abs_shield.policy.packs",
    "abs_shield.session",
    "abs_shield.stores.sqlite_store",
    "abs_shield.telemetry",
    "abs_shield.verification",
)
"""Imported once for all pages; `tests/docs/test_blocks.py` says which pages start afresh."""
SECONDS_A_PAGE = 120
SECONDS = re.compile(r"(?<= in )\d+\.\d+s$")


def run_block(page: types.ModuleType, name: str, line: int, source: str) -> str:
    """Return what a Python block prints; a fault names the page and its line."""
    out = StringIO()
    with redirect_stdout(out):
        exec(compile("\n" * (line - 1) + source, name, "exec"), page.__dict__)
    return out.getvalue()


def expected_output(source: str) -> str:
    """Return the expected output of the commands in a console block."""
    message = ""
    for command in (line for line in source.splitlines(keepends=True) if line.startswith("$ ")):
        ran = subprocess.run(
            ["bash", "-c", SHELL + command[2:]], capture_output=True, text=True, timeout=60
        )
        message += command + ran.stdout + ran.stderr
    return message


def bare(text: str) -> list[str]:
    """Lines without the blanks that end them; how long a run of tests took is left out."""
    return [SECONDS.sub("", line.rstrip()) for line in text.strip().splitlines()]


def check_page(name: str, blocks: list[tuple[int, str, str, str | None, str]]) -> None:
    """Run a page's blocks in the current folder, and exit at the first that differs."""
    sys.modules["page"] = page = types.ModuleType("page")
    for line, language, source, shown, file in blocks:
        if file:
            Path(file).write_text(source, encoding="utf-8")
        if language == "console":
            message, shown = expected_output(source), source
        else:
            message = run_block(page, name, line, source)
        if shown is not None and bare(message) != bare(shown):
            sys.exit(f"{name}, line {line}: the page shows\n{shown}\nbut it is\n{message}")


def serve() -> None:
    """Run one page for each line of the standard input, in a fork of this process."""
    for module in PRELOADED:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page of the memory that both share
    for request in sys.stdin:
        folder, name, blocks = json.loads(request)
        with tempfile.TemporaryFile() as errors:
            child = os.fork()
            if not child:
                _isolate(folder, errors.fileno())
                check_page(name, blocks)
                atexit._run_exitfuncs()
                os._exit(0)  # to unload all modules would take longer than most pages
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            errors.seek(0)
            print(json.dumps([code, errors.read().decode()]), flush=True)


def _isolate(folder: str, errors: int) -> None:
    """Detach a fork from the requests, the replies and the temporary folder of its parent."""
    signal.alarm(SECONDS_A_PAGE)
    null = os.open(os.devnull, os.O_RDWR)
    for source, target in ((null, 0), (null, 1), (errors, 2)):
        os.dup2(source, target)
    os.chdir(folder)
    os.environ["TMPDIR"] = tempfile.tempdir = folder


def main() -> None:
    """Run the one page on the standard input, or with ``--serve`` page after page."""
    if "--serve" in sys.argv:
        serve()
    else:
        check_page(*json.load(sys.stdin))


if __name__ == "__main__":
    main()
