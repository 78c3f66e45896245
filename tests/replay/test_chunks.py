"""Chunks never split a session, lose nothing, and do not change what is judged."""

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
    """A run that names its copy; the runs of one session name the copies of those before it."""
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
    """The lines of a layout: a session's runs in a row share what was said, whoever is between."""
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
def test_chunks_hold_every_line_once(layout, most_lines, most_bytes):
    """Put together again they are the input; none is empty, and none is full before its end."""
    lines = list(laid_out(layout))

    parts = list(chunks(lines, most_lines=most_lines, most_bytes=most_bytes))

    assert lines == [line for chunk in parts for line in chunk.lines]
    assert all(chunk.lines for chunk in parts)


@given(LAYOUTS, st.integers(1, 6))
def test_a_session_is_never_split(layout, most_lines):
    """A chunk ends where the next line is of another session; a full one ends as soon as it can."""
    parts = list(chunks(laid_out(layout), most_lines=most_lines))

    for before, after in pairwise(parts):
        last, first = named(before.lines[-1]), named(after.lines[0])
        assert last is None or last != first
    for chunk in parts:
        beyond = [named(line) for line in chunk.lines[most_lines - 1 :]]
        assert len(beyond) < 2 or (len({*beyond}) == 1 and beyond[0] is not None)


def named(line):
    return session_of(line.data) if isinstance(line, RawLine) else None


@given(LAYOUTS, st.integers(1, 5))
def test_what_is_judged_does_not_depend_on_the_chunks(layout, most_lines):
    """Rows, counts, findings and what is told are the same for chunks of every size."""
    lines = list(laid_out(layout))

    whole = judged(lines, most_lines=100)

    assert whole == judged(lines, most_lines=most_lines)


def judged(lines, *, most_lines):
    judge = Judging(rows="jsonl").prepare()
    parts = [judge(chunk) for chunk in chunks(lines, most_lines=most_lines)]
    messages = [one for part in parts for one in part.notes]
    return b"".join(part.rows for part in parts), messages


@pytest.fixture
def shared():
    """Two runs of one session: the second names what the user said in the first."""
    return [RawLine("f", 1, run("a", 1)), RawLine("f", 2, run("a", 2))]


def test_runs_that_follow_each_other_share_their_session(shared):
    """Text of the user in the first run is known in the second, unless another run is between."""
    between = [shared[0], RawLine("f", 2, run(None, 1)), shared[1]]

    assert unknown(shared) == []
    assert unknown(between) == ["copy_00001"]


def unknown(lines):
    """Return the unmentioned copies."""
    rows = judged(lines, most_lines=100)[0].splitlines()
    findings = [finding for row in map(json.loads, rows) for finding in row["findings"]]
    return sorted(
        one["detail"].split('"')[1] for one in findings if one["check"] == "phantom_target"
    )


def test_a_session_that_begins_is_reported_once():
    """Where a session begins is told once for the lines that follow each other."""
    layout = [("wrong", "a"), ("run", "a"), ("run", "a"), ("run", None), ("run", "a")]

    result = judged(list(laid_out(layout)), most_lines=100)[1]

    assert [(one.line, getattr(one, "name", None)) for one in result] == [
        (1, None),
        (2, '"a"'),
        (5, '"a"'),
    ]


def test_a_line_of_a_session_that_is_no_run_does_not_end_it():
    """A line that names the session but has no messages leaves what was seen."""
    chunk = Chunk((RawLine("f", 1, run("a", 1)), RawLine("f", 2, b'{"session_id": "a"}'),
                   RawLine("f", 3, run("a", 2))))  # fmt: skip

    assert [True, False, False] == [begins for _, begins in chunk_runs(chunk, Toolsets())]


def test_a_chunk_says_where_it_is():
    """Its name is that of its lines, of one file or of several."""
    one = Chunk((RawLine("f", 1, b""), RawLine("f", 9, b"")))
    two = Chunk((RawLine("f", 1, b""), BadLine("g", 2, "")))

    assert ("f:1-9", "f:1 to g:2") == (str(one), str(two))
