"""The bar of long work: bytes, calls a second, time left, on a terminal alone."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from abs_shield.cli import console as room
from abs_shield.cli.chunked_job import JobProgress
from abs_shield.replay import BadLine, Chunk, RawLine


@pytest.fixture
def terminal(monkeypatch):
    """A standard error that is a terminal, as a text."""
    text = io.StringIO()
    monkeypatch.setattr(
        room, "Console", lambda stderr: Console(file=text, force_terminal=True, width=120)
    )
    return text


def test_what_it_shows(terminal, tmp_path):
    """Bytes of the files, the rate, and the time that is left."""
    (tmp_path / "a").write_bytes(bytes(4_000))

    with room.progress_bar([str(tmp_path / "a")], doing="replay") as message:
        message.advance(1_000)
        message.add_calls(50)

    assert "replay" in terminal.getvalue()
    assert "1.0/4.0 kB" in terminal.getvalue()
    assert "calls/s" in terminal.getvalue()


def test_a_second_kind_of_work(terminal, tmp_path):
    """After sorting it begins anew, with the bytes of the lines."""
    with room.progress_bar(["-"], doing="sort") as message:
        message.advance(700)
        message.restart("replay", 3)
        progress = JobProgress(message)
        list(progress.count_bytes([RawLine("f", 1, b"{}\n"), BadLine("f", 2, "too long")]))
        list(progress.track_results([*progress.track_chunks([Chunk((RawLine("f", 1, b"{}\n"),))])]))

    assert "3/3 bytes" in terminal.getvalue()


def test_it_shows_what_is_judged_not_what_is_read(terminal, tmp_path):
    """An estimate must include the time of items that are read but not yet judged."""
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


def test_nothing_where_there_is_no_terminal(capsys):
    """A log does not fill with bars."""
    with room.progress_bar(["-"], doing="replay") as message:
        message.advance(1)

    assert ("", "") == capsys.readouterr()


def test_items_are_counted(terminal):
    """The number of items read so far, while each is passed on."""
    assert [1, 2, 3] == list(room.with_progress(iter([1, 2, 3]), doing="label", total=3))
    assert "label" in terminal.getvalue()
    assert "100%" in terminal.getvalue()


def test_items_are_not_counted_where_there_is_no_terminal(capsys):
    """They are given on alone."""
    assert [1] == list(room.with_progress([1], doing="label", total=1))
    assert ("", "") == capsys.readouterr()
