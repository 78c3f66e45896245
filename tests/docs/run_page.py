"""Runs the blocks of one page in order, in one namespace, and compares what they print."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import types
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

COMMAND = "from abs_shield.cli import main; raise SystemExit(main())"
SHELL = (
    f"abs-shield() {{ '{sys.executable}' -c '{COMMAND}' \"$@\"; }}\n"
    f"pytest() {{ '{sys.executable}' -m pytest -p no:cacheprovider \"$@\"; }}\n"
)
SECONDS = re.compile(r"(?<= in )\d+\.\d+s$")


def printed(page: types.ModuleType, name: str, line: int, source: str) -> str:
    """What a Python block prints; a fault names the page and its line."""
    out = StringIO()
    with redirect_stdout(out):
        exec(compile("\n" * (line - 1) + source, name, "exec"), page.__dict__)
    return out.getvalue()


def answered(source: str) -> str:
    """What stands in a terminal after the commands of a console block."""
    told = ""
    for command in (line for line in source.splitlines(keepends=True) if line.startswith("$ ")):
        ran = subprocess.run(
            ["bash", "-c", SHELL + command[2:]], capture_output=True, text=True, timeout=60
        )
        told += command + ran.stdout + ran.stderr
    return told


def bare(text: str) -> list[str]:
    """Lines without the blanks that end them; how long a run of tests took is left out."""
    return [SECONDS.sub("", line.rstrip()) for line in text.strip().splitlines()]


def main() -> None:
    """Read a page's name and blocks as JSON, and stop at the first that differs."""
    name, blocks = json.load(sys.stdin)
    sys.modules["page"] = page = types.ModuleType("page")
    for line, language, source, shown, file in blocks:
        if file:
            Path(file).write_text(source, encoding="utf-8")
        if language == "console":
            told, shown = answered(source), source
        else:
            told = printed(page, name, line, source)
        if shown is not None and bare(told) != bare(shown):
            sys.exit(f"{name}, line {line}: the page shows\n{shown}\nbut it is\n{told}")


if __name__ == "__main__":
    main()
