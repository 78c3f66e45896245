"""Chunks never split a session, contain every line once, and do not affect decisions."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.replay import BadLine, Chunk, Judging, RawLine, Toolsets, chunk_runs, chunks
from abs_shield.replay.run_reader import session_of

TOOLS = [
    {"name": "lend_copy", "parameters": {"type": "object", "properties": {"copy_id": {}}}},
    {"name": "count_copies", "parameters": {"type": "object"}},
]


def run(session, place):
    """Return a run that names the copies of all earlier places of the layout."""
    calls = [
        {"name": "lend_copy", "arguments": {"copy_id": f"copy_{n:05}"}} for n in range(1, place)
    ]
    record = {
        "tools": TOOLS,
        "messages": [
            {"role": "user", "content": f"Please lend copy_{place:05}."},
            {"role": "assistant", "tool_calls": calls},
        ],
    }
    return json.dumps(record if session is None else {"session_id": session, **record}).encode()


SESSIONS = st.sampled_from([None, "a", "b", 'c"\\u0041', "d"])
LAYOUTS = st.lists(
    st.one_of(
        st.tuples(st.just("run"), SESSIONS),
        st.tuples(st.just("wrong"), SESSIONS),
        st.tuples(st.sampled_from(["no json", "bad line"]), st.none()),
    ),
    max_size=12,
)


def laid_out(layout):
    """Yield the lines of a layout: runs, invalid runs, invalid JSON and bad lines."""
    for place, (kind, session) in enumerate(layout, start=1):
        if kind == "bad line":
            yield BadLine("f", place, "it is too long")
        elif kind == "no json":
            yield RawLine("f", place, b"{")
        elif kind == "wrong":
            yield RawLine("f", place, json.dumps({"session_id": session}).encode())
        else:
            yield RawLine("f", place, run(session, place))


@given(LAYOUTS, st.integers(1, 6), st.integers(1, 4_000))
def test_chunks_contain_every_line_once(layout, most_lines, most_bytes):
    """The lines of all chunks are the input in order, and no chunk is empty."""
    lines = list(laid_out(layout))

    parts = list(chunks(lines, most_lines=most_lines, most_bytes=most_bytes))

    assert lines == [line for chunk in parts for line in chunk.lines]
    assert all(chunk.lines for chunk in parts)


@given(LAYOUTS, st.integers(1, 6))
def test_a_session_is_never_split(layout, most_lines):
    """Lines beyond the limit of a chunk all belong to its last session."""
    parts = list(chunks(laid_out(layout), most_lines=most_lines))

    for before, after in pairwise(parts):
        last, first = session_name(before.lines[-1]), session_name(after.lines[0])
        assert last is None or last != first
    for chunk in parts:
        beyond = [session_name(line) for line in chunk.lines[most_lines - 1 :]]
        assert len(beyond) < 2 or (len({*beyond}) == 1 and beyond[0] is not None)


def session_name(line):
    return session_of(line.data) if isinstance(line, RawLine) else None


@given(LAYOUTS, st.integers(1, 5))
def test_decisions_do_not_depend_on_the_size_of_chunks(layout, most_lines):
    """Rows and notes are the same for chunks of every size."""
    lines = list(laid_out(layout))

    whole = judge_in_chunks(lines, most_lines=100)

    assert whole == judge_in_chunks(lines, most_lines=most_lines)


def judge_in_chunks(lines, *, most_lines):
    judge = Judging(rows="jsonl").prepare()
    parts = [judge(chunk) for chunk in chunks(lines, most_lines=most_lines)]
    messages = [one for part in parts for one in part.notes]
    return b"".join(part.rows for part in parts), messages


@pytest.fixture
def shared_session():
    """Return two runs of one session; the second names a copy mentioned in the first."""
    return [RawLine("f", 1, run("a", 1)), RawLine("f", 2, run("a", 2))]


def test_consecutive_runs_share_their_session(shared_session):
    """Text of the first run is mentioned in the second, unless another run is between."""
    between = [shared_session[0], RawLine("f", 2, run(None, 1)), shared_session[1]]

    assert unknown(shared_session) == []
    assert unknown(between) == ["copy_00001"]


def unknown(lines):
    """Return the unmentioned copies."""
    rows = judge_in_chunks(lines, most_lines=100)[0].splitlines()
    findings = [finding for row in map(json.loads, rows) for finding in row["findings"]]
    return sorted(
        one["detail"].split('"')[1] for one in findings if one["check"] == "phantom_target"
    )


def test_the_start_of_a_session_is_reported_once():
    """Consecutive runs of one session are one start; after another run it starts again."""
    layout = [("wrong", "a"), ("run", "a"), ("run", "a"), ("run", None), ("run", "a")]

    result = judge_in_chunks(list(laid_out(layout)), most_lines=100)[1]

    assert [(one.line, getattr(one, "name", None)) for one in result] == [
        (1, None),
        (2, '"a"'),
        (5, '"a"'),
    ]


def test_an_invalid_run_does_not_end_its_session():
    """The run after a line with the session's id, but without messages, continues the session."""
    chunk = Chunk((RawLine("f", 1, run("a", 1)), RawLine("f", 2, b'{"session_id": "a"}'),
                   RawLine("f", 3, run("a", 2))))  # fmt: skip

    assert [True, False, False] == [begins for _, begins in chunk_runs(chunk, Toolsets())]


def test_the_text_of_a_chunk_is_its_range_of_lines():
    """The text names one file and its lines, or the first and last line of several files."""
    one = Chunk((RawLine("f", 1, b""), RawLine("f", 9, b"")))
    two = Chunk((RawLine("f", 1, b""), BadLine("g", 2, "")))

    assert ("f:1-9", "f:1 to g:2") == (str(one), str(two))
