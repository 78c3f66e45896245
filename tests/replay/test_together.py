"""Sorting on disk moves a session's lines together, and changes no other order."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.errors import ReplayError
from abs_shield.replay import BadLine, RawLine
from abs_shield.replay import session_order as room
from abs_shield.replay.run_reader import session_of
from abs_shield.replay.session_order import sort_by_session

ENTRIES = st.lists(st.sampled_from([None, "a", "b", "c", "bad line", "no json"]), max_size=30)


def lines(entries):
    """Yield one line for each entry, in two files."""
    for n, entry in enumerate(entries, start=1):
        path = "one" if n < 10 else "two\udcff"
        if entry == "bad line":
            yield BadLine(path, n, "too long")
        elif entry in (None, "no json"):
            yield RawLine(path, n, b"{}" if entry is None else b"\xff")
        else:
            yield RawLine(path, n, b'{"session_id": "%s", "n": %d}' % (entry.encode(), n))


@given(ENTRIES)
def test_sessions_are_sorted_by_their_first_line(entries):
    """The result equals a stable sort in memory by each session's first line."""
    given = list(lines(entries))
    named = [session_of(line.data) if isinstance(line, RawLine) else None for line in given]
    first = [n if name is None else named.index(name) for n, name in enumerate(named)]

    expected = [given[n] for n in sorted(range(len(given)), key=first.__getitem__)]

    assert expected == list(sort_by_session(iter(given)))


def test_the_total_size_is_reported_before_the_first_line():
    """`on_sorted` is called with the number of bytes when the first line is returned."""
    progress = []
    ordered = sort_by_session(
        [RawLine("f", 1, b"{}"), RawLine("f", 2, b"[]\n")], on_sorted=progress.append
    )

    assert progress == []
    next(ordered)
    assert progress == [5]


def test_a_full_disk_is_one_line(monkeypatch):
    """A full disk raises a one-line error that names TMPDIR."""
    monkeypatch.setattr(room, "_TABLES", "PRAGMA max_page_count = 20;" + room._TABLES)

    with pytest.raises(ReplayError, match=r"^cannot sort: database or disk is full; let TMPDIR"):
        list(sort_by_session(RawLine("f", n, bytes(10_000)) for n in range(1_000)))


def test_ctrl_c_stops_the_sorting(monkeypatch):
    """A KeyboardInterrupt raised inside SQLite is raised in the caller."""

    def stopped():
        raise KeyboardInterrupt

    connect = sqlite3.connect

    class Impatient(sqlite3.Connection):
        def set_progress_handler(self, handler, steps):
            super().set_progress_handler(stopped, 1_000)

    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Impatient, **k))

    with pytest.raises(KeyboardInterrupt):
        list(sort_by_session(RawLine("f", n, b"{}") for n in range(5_000)))
