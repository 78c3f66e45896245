"""Progress is printed to stderr: rarely to a file, more often on a terminal."""

from __future__ import annotations

import sys

import pytest

from benchmarks import command_line
from benchmarks.command_line import report_progress


def test_a_file_gets_one_line_at_first(capsys: pytest.CaptureFixture[str]) -> None:
    """The items are unchanged, and a short loop adds no further line."""
    items = list(report_progress(iter("abc"), doing="reading", total=3))
    captured = capsys.readouterr()

    assert ["a", "b", "c"] == items
    assert "" == captured.out
    assert captured.err.endswith(" s] reading\n")
    assert 1 == captured.err.count("\n")


@pytest.mark.parametrize(("total", "last"), [(3, "reading: 2 of 3\n"), (None, "reading: 2\n")])
def test_later_lines_count_the_items(
    total: int | None,
    last: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The expected number of items is added if it is known."""
    monkeypatch.setattr(command_line, "_EVERY_S", 0.0)
    list(report_progress("abc", doing="reading", total=total))

    assert capsys.readouterr().err.endswith(last)


def test_a_terminal_gets_more_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal progress is printed more often than to a file."""
    monkeypatch.setattr(command_line, "_EVERY_S_ON_A_TERMINAL", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    list(report_progress("abc", doing="reading", total=3))

    assert 4 == capsys.readouterr().err.count("\n")
