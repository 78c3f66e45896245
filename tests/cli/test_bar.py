"""The progress bar of long commands: bytes, calls a second and time left, on a terminal only."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from abs_shield.cli import console as room
from abs_shield.cli.chunked_job import JobProgress
from abs_shield.replay import BadLine, Chunk, RawLine


@pytest.fixture
def terminal(monkeypatch):
    """Return the text that the bar writes to a standard error that is a terminal."""
    text = io.StringIO()
    monkeypatch.setattr(
        room, "Console", lambda stderr: Console(file=text, force_terminal=True, width=120)
    )
    return text


def test_the_bar_shows_bytes_and_rate(terminal, tmp_path):
    """The bar shows its task, the bytes done of the total, and the calls per second."""
    (tmp_path / "a").write_bytes(bytes(4_000))

    with room.progress_bar([str(tmp_path / "a")], doing="replay") as message:
        message.advance(1_000)
        message.add_calls(50)

    assert "replay" in terminal.getvalue()
    assert "1.0/4.0 kB" in terminal.getvalue()
    assert "calls/s" in terminal.getvalue()


def test_the_bar_restarts_for_the_next_step(terminal, tmp_path):
    """After sorting, the bar restarts for the replay and counts the bytes of the lines."""
    with room.progress_bar(["-"], doing="sort") as message:
        message.advance(700)
        message.restart("replay", 3)
        progress = JobProgress(message)
        list(progress.count_bytes([RawLine("f", 1, b"{}\n"), BadLine("f", 2, "too long")]))
        list(progress.track_results([*progress.track_chunks([Chunk((RawLine("f", 1, b"{}\n"),))])]))

    assert "3/3 bytes" in terminal.getvalue()


def test_the_bar_counts_judged_bytes_not_read_bytes(terminal, tmp_path):
    """Otherwise the time left would omit the chunks that are read but not yet judged."""
    (tmp_path / "a").write_bytes(bytes(4_000))
    chunk = Chunk((RawLine("f", 1, b"{}\n"), RawLine("f", 2, b"{}\n")))
    with room.progress_bar([str(tmp_path / "a")], doing="replay") as bar:
        progress = JobProgress(bar, lines=5)
        chunks = progress.track_chunks([chunk, chunk])
        progress.read(1_000)
        first = next(chunks)
        progress.read(3_000)
        list(progress.track_results([first]))

    assert 7 == progress.lines
    assert "1.0/4.0 kB" in terminal.getvalue()
    assert "4.0/4.0 kB" not in terminal.getvalue()


def test_no_bar_without_a_terminal(capsys):
    """Nothing is written to a standard error that is not a terminal, such as a log file."""
    with room.progress_bar(["-"], doing="replay") as message:
        message.advance(1)

    assert ("", "") == capsys.readouterr()


def test_with_progress_counts_the_items(terminal):
    """`with_progress` yields each item and shows how many of the total it has yielded."""
    assert [1, 2, 3] == list(room.with_progress(iter([1, 2, 3]), doing="label", total=3))
    assert "label" in terminal.getvalue()
    assert "100%" in terminal.getvalue()


def test_with_progress_without_a_terminal_only_yields(capsys):
    """Without a terminal `with_progress` yields each item and writes nothing."""
    assert [1] == list(room.with_progress([1], doing="label", total=1))
    assert ("", "") == capsys.readouterr()
