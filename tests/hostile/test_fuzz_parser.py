"""Fuzz tests: input of a model, a server or a file is parsed, or rejected with a message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from abs_shield.core.call_arguments import DEPTH, Malformed, read_arguments
from abs_shield.core.events import MessageText, Opaque, Proposed, Returned
from abs_shield.core.messages import UnreadableMessage, read_calls, read_message
from abs_shield.core.tool_shapes import read_tool
from abs_shield.replay import BadLine, Judged, replay

TEXT = st.text(max_size=20)
PIECES = st.lists(
    st.sampled_from(['{"a":', "}", "[", "]", '"', "\\", ",", ":", "1e9", "NaN", "-", "null", "\x00",
                     '"\\ud800"', "0" * 9, " ", "\ufeff", "é", "//", "true", '"a":1'])
    | TEXT,
    max_size=12,
).map("".join)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    "role content type text tool_calls function name arguments id input tool_use_id call_id "
    "logprobs params output error is_error at function_call source".split()
)
WORDS = st.sampled_from(
    "user assistant tool system text tool_use tool_result function_call function_call_output image "
    "thinking refund c1".split()
)
MESSAGES = st.recursive(
    JSON | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=16,
)


def assert_one_line(error: Exception) -> None:
    assert "\n" not in str(error)


@given(PIECES | JSON.map(json.dumps))
@example("[" * (DEPTH + 1))
@example('{"a": 1' + "0" * 4_300 + "}")
@example("9" * 5_000)
def test_raw_arguments_are_parsed_or_rejected(raw: str) -> None:
    """Text that `json.loads` reads as an object is read as the same object, or rejected."""
    read = read_arguments(raw)
    try:
        known = json.loads(raw) if raw.strip() else {}
    except (ValueError, RecursionError):
        known = None

    if isinstance(read, Malformed):
        assert read.code
        assert "\n" not in read.detail
    else:
        assert repr(known) == repr(read)


@given(JSON)
def test_arguments_written_as_json_are_read_unchanged(value: Any) -> None:
    """Arguments with NaN or infinity are malformed."""
    read = read_arguments(json.dumps({"value": value}))
    try:
        finite = json.dumps({"value": value}, allow_nan=False)
    except ValueError:
        assert isinstance(read, Malformed)
    else:
        assert repr(json.loads(finite)) == repr(read)


@given(MESSAGES)
def test_a_message_is_parsed_or_rejected(message: Any) -> None:
    """A message of any shape is parsed to events, or raises an error on one line."""
    try:
        events = [*read_message(message)]
    except UnreadableMessage as error:
        assert_one_line(error)
    else:
        assert all(isinstance(event, (MessageText, Proposed, Returned, Opaque)) for event in events)


@given(MESSAGES)
def test_calls_and_tools_are_parsed_or_rejected(shape: Any) -> None:
    """A call and a tool of any shape have a name that is a string, or raise a one-line error."""
    for read in (read_calls, read_tool):
        try:
            value = read(shape)
        except UnreadableMessage as error:
            assert_one_line(error)
        else:
            names = [call.name for call in value] if isinstance(value, tuple) else [value.name]
            assert all(type(name) is str for name in names)


@given(st.lists(st.dictionaries(KEYS, MESSAGES, max_size=6), max_size=3), PIECES)
def test_lines_of_a_run_file_are_judged_or_reported(
    tmp_path_factory: Any, messages: list[dict[str, Any]], garbage: str
) -> None:
    """Each line is a run whose calls are all judged, or a bad line with its number."""
    path: Path = tmp_path_factory.getbasetemp() / "fuzzed.jsonl"
    junk = " ".join(garbage.split()).encode("utf-8", "replace")
    path.write_bytes(json.dumps({"messages": messages}).encode() + b"\n" + junk + b"\n")
    bad: list[BadLine] = []
    judged = [*replay([path], on_bad_line=bad.append)]

    assert {line.line for line in bad} <= {1, 2}
    assert all(isinstance(each, Judged) and each.decision.coverage for each in judged)
