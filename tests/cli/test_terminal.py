"""Output on a terminal of 80 columns: each command runs on a pseudo-terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.shop import fill_log, order, refund
from tests.processes import run_python

pty = pytest.importorskip("pty", reason="needs a Unix system with pseudo terminals")
LONG = "a_tool_whose_name_is_longer_than_a_column_of_a_table_of_this_width"
RULES = f"""from abs_shield import Tool, rule, shield


@rule(tool="{LONG}")
def never(account: int) -> bool:
    "An account is above 0."
    return account > 0


policy = shield.configure(rules=[never], tools=[Tool(name="b", parameters={{}})])
"""
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def run_on_terminal(*words: str, columns: int = 80) -> list[str]:
    """Run a command on a pseudo-terminal and return the lines that it writes."""
    fcntl, termios = (
        pytest.importorskip("fcntl", reason="needs a Unix system with file locks"),
        pytest.importorskip("termios", reason="needs a Unix system with terminals"),
    )
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, bytes([40, 0, columns, 0, 0, 0, 0, 0]))
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    ran = subprocess.Popen(
        [sys.executable, "-m", "abs_shield", *words],
        stdin=side, stdout=side, stderr=subprocess.DEVNULL, env={**env, "TERM": "xterm"},
    )  # fmt: skip
    os.close(side)
    written = b""
    try:
        while block := os.read(main, 65_536):
            written += block
    except OSError:  # Linux says so where the other side is closed
        pass
    ran.wait(60)
    os.close(main)
    return [line.rstrip() for line in _ESCAPE.sub("", written.decode()).splitlines()]


def test_lines_are_wrapped_between_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is wider than the terminal, and continuation lines are indented."""
    monkeypatch.chdir(tmp_path)
    log = "log.db"  # a path is not wrapped, and that of a temporary folder may be long
    fill_log(log, *map(order, range(3)), refund(1, 900), refund(2, 900))
    lines = run_on_terminal("report", log)
    reason = next(n for n, line in enumerate(lines) if line.startswith("    - none of 5 calls"))
    text = " ".join(" ".join(lines).split())

    assert 80 >= max(map(len, lines))
    assert lines[reason + 1].startswith("        ")
    assert "which counts sessions where these are fewer." in text


def test_output_to_a_pipe_is_not_wrapped(tmp_path: Path) -> None:
    """Output that is not a terminal, such as a pipe to grep, has each sentence on one line."""
    log = str(tmp_path / "log.db")
    fill_log(log, refund(1, 900))
    done = run_python("-m", "abs_shield", "report", log)

    assert re.search(r"^  4\. .* where these are fewer\.$", done.stdout, re.M)


def test_a_long_name_is_not_broken(tmp_path: Path) -> None:
    """A problem with a name that is wider than a column is printed as lines instead of a table."""
    (tmp_path / "rules.py").write_text(RULES)
    lines = run_on_terminal("prove", f"{tmp_path}/rules.py:policy")

    assert [line for line in lines if f"`{LONG}`" in line]
    assert [line for line in lines if line.startswith("error unknown_tool")]
