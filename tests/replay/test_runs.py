"""Reading run files: runs, and lines that are reported."""

from __future__ import annotations

import gzip
import io
from hashlib import sha256
from pathlib import Path

import pytest

from abs_shield.replay import BadLine, Run, Toolsets, runs
from abs_shield.replay import file_lines as lines_module

PLAIN = {"run_id": "r1", "messages": [{"role": "user", "content": "hello"}]}


def read(path, toolsets=None):
    return list(runs([path], Toolsets(toolsets)))


def test_a_run_is_read(written):
    """A run keeps its names, its labels, its source and its place."""
    path = written({**PLAIN, "session_id": 7, "source": "desk", "labels": {"success": False}})

    [run] = read(path)

    assert (run.run_id, run.session_id, run.source, run.success) == ("r1", "7", "desk", False)
    assert (run.path, run.line, run.tools, run.toolset) == (path, 1, (), "none")


def test_a_run_without_names_is_named_by_its_place(written):
    """A run without an id is named by its file and line, and its source is the file."""
    path = written({"messages": []})

    [run] = read(path)

    assert (run.run_id, run.source) == (f"{path}:1", "runs.jsonl")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"[1]", "a run is an object"),
        (b"{}", "no `messages`"),
        (b'{"messages": {}}', "give a list"),
        (b'{"messages": [3]}', "message 0: message is of type int"),
        (b'{"messages": [{"role": "clerk"}]}', "message 0: message has role"),
        (b'{"messages": [{"role": "assistant", "tool_calls": 3}]}', "message 0"),
        (b'{"messages": [], "tools": 3}', "give a list"),
        (b'{"messages": [], "tools": [{"title": "x"}]}', "tool 0: tool has no `name`"),
        (b'{"messages": [], "tools": [{"name": "x", "parameters": 3}]}', "tool 0"),
        (b'{"messages": [], "toolset": "desk"}', 'toolset "desk" is unknown'),
        (b'{"messages": ' + b"[" * 200_000, "nested too deeply"),
    ],
)
def test_a_bad_line_is_reported_and_skipped(written, line, message):
    """A line that is not a run is reported with number and reason; the next one is read."""
    bad, good = read(written(line, PLAIN))

    assert isinstance(bad, BadLine)
    assert (bad.line, good.line) == (1, 2)
    assert message in bad.reason
    assert "\n" not in bad.reason


def test_blank_lines_and_a_byte_order_mark_are_skipped(written):
    """Blank lines still count for line numbers."""
    path = written(b"\xef\xbb\xbf" + b'{"messages": []}', b"  ", PLAIN)

    assert [run.line for run in read(path)] == [1, 3]


def test_a_gzip_file_is_detected_by_its_bytes(tmp_path):
    """A gzip file is decompressed, whatever its name is."""
    path = tmp_path / "runs.packed"
    path.write_bytes(gzip.compress(b'{"messages": []}\n' * 3))

    assert len(read(str(path))) == 3


def test_a_damaged_gzip_file_is_a_bad_line(tmp_path):
    """The lines before the damage are read, and the rest is one bad line."""
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"messages": []}\n' * 3)[:-6])

    *good, bad = read(str(path))

    assert all(isinstance(run, Run) for run in good)
    assert "damaged" in bad.reason


def test_lines_before_a_damaged_gzip_block_are_read(tmp_path):
    """Lines that were decompressed together with the damaged ones are not lost."""
    path = tmp_path / "runs.jsonl.gz"
    texts = [b'{"messages": [], "run_id": "%s"}\n' % sha256(b"%d" % n).digest().hex().encode()
             for n in range(1_000)]  # fmt: skip
    packed = bytearray(gzip.compress(b"".join(texts)))
    at = len(packed) * 3 // 4
    packed[at : at + 64] = bytes(64)
    path.write_bytes(packed)

    *good, bad = read(str(path))

    assert "damaged" in bad.reason
    assert 700 <= sum(isinstance(run, Run) for run in good)


def test_a_line_over_the_limit_is_skipped(written, monkeypatch):
    """The line is reported, not held in memory, and the next line is read."""
    monkeypatch.setattr(lines_module, "LONGEST", 100)

    bad, good = read(written(b"x" * 5_000_000, PLAIN))

    assert (bad.line, good.line) == (1, 2)
    assert bad.reason == "the line is longer than 100 bytes"


def test_a_dash_reads_stdin(monkeypatch):
    """The path `-` reads runs from stdin."""

    class Stdin:
        buffer = io.BytesIO(b'{"messages": []}\n')

    monkeypatch.setattr("sys.stdin", Stdin)

    assert [run.path for run in read("-")] == ["-"]


def test_progress_counts_the_bytes_of_the_file(written):
    """`on_bytes` receives the size of the file in total, compressed or not."""
    path = written(PLAIN, PLAIN)
    counts: list[int] = []

    list(runs([path], Toolsets(), on_bytes=counts.append))

    assert sum(counts) == Path(path).stat().st_size


def test_a_toolset_is_found_by_name(written):
    """A run may name its toolset, and runs with the same name share the tools."""
    path = written({**PLAIN, "toolset": "desk"}, {**PLAIN, "toolset": "desk"})

    first, second = read(path, {"desk": [{"name": "lend_book"}]})

    assert [tool.name for tool in first.tools] == ["lend_book"]
    assert first.tools is second.tools


def test_the_toolset_none_has_no_tools(written):
    """A run with the toolset `none` has no known tools."""
    [run] = read(written({**PLAIN, "toolset": "none"}), {"desk": []})

    assert run.tools == ()


def test_equal_tool_lists_have_one_key(written):
    """Tools listed in a run are keyed by content, whatever the order of their members."""
    one, two = {"name": "a", "description": "x"}, {"description": "x", "name": "a"}
    path = written({**PLAIN, "tools": [one]}, {**PLAIN, "tools": [two]}, {**PLAIN, "tools": []})

    first, second, third = read(path)

    assert first.toolset == second.toolset != third.toolset


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "function": {"name": "lend", "parameters": {"type": "object"}}},
        {"name": "lend", "input_schema": {"type": "object"}},
        {"name": "lend", "inputSchema": {"type": "object"}},
        {"name": "lend", "parameters": {"type": "object"}},
    ],
)
def test_every_shape_of_tool_is_read(written, tool):
    """Tools in the shapes of OpenAI, Anthropic and MCP and flat ones are parsed alike."""
    [run] = read(written({**PLAIN, "tools": [tool]}))

    assert [(t.name, t.parameters) for t in run.tools] == [("lend", {"type": "object"})]


def test_a_wrong_toolset_is_an_error():
    """An invalid file of toolsets raises an error, and is not a bad line."""
    with pytest.raises(ValueError, match="toolset `desk`: tool 1: tool has no `name`"):
        Toolsets({"desk": [{"name": "a"}, {}]})
