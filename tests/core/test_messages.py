"""Every shape of message, call and tool is read into the same events."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from abs_shield.core import ToolCall
from abs_shield.core.events import Event, MessageText, Opaque, Proposed, Returned
from abs_shield.core.messages import (
    UnreadableMessage,
    decode_json,
    is_failed,
    read_call,
    read_calls,
    read_message,
)
from abs_shield.core.tool_shapes import read_tool

CALL = ToolCall("refund", '{"id": "tx_1"}', "c1")
SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}


def read(message: Any) -> list[Event]:
    return list(read_message(message))


@pytest.mark.parametrize(
    ("role", "kept"),
    [
        ("system", "system"),
        ("developer", "system"),
        ("user", "user"),
        ("human", "user"),
        ("assistant", "assistant"),
        ("model", "assistant"),
    ],
)
def test_who_speaks(role: str, kept: str) -> None:
    """A developer's message is system text, and every role has one name."""

    assert [MessageText(kept, "hello")] == read({"role": role, "content": "hello"})  # type: ignore[arg-type]


@pytest.mark.parametrize("content", [None, "", [], [{"type": "text", "text": ""}]])
def test_a_message_without_text_has_no_event(content: Any) -> None:
    """Empty content gives no event."""

    assert read({"role": "assistant", "content": content}) == []


def test_content_parts_are_joined() -> None:
    """Text parts of one message are one text, a line each."""
    parts = [{"type": "text", "text": "a"}, "b", {"type": "input_text", "text": "c"}]

    assert [MessageText("user", "a\nb\nc")] == read({"role": "user", "content": parts})


def test_a_refusal_is_the_agents_text() -> None:
    """A refusal block is text of the agent."""
    message = {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot"}]}

    assert [MessageText("assistant", "I cannot")] == read(message)


def test_openai_tool_calls() -> None:
    """Arguments of an OpenAI call stay the raw string that the model wrote."""
    call = {"id": "c1", "type": "function", "function": {"name": "refund"}}
    call["function"]["arguments"] = '{"id": "tx_1"}'  # type: ignore[index]

    assert [Proposed((CALL,))] == read({"role": "assistant", "content": None, "tool_calls": [call]})


def test_openai_legacy_function_call() -> None:
    """The retired `function_call` is a call without an id."""
    message = {"role": "assistant", "function_call": {"name": "refund", "arguments": "{}"}}

    assert [Proposed((ToolCall("refund", "{}"),))] == read(message)


def test_openai_legacy_function_result() -> None:
    """A message of role `function` is a result."""
    message = {"role": "function", "name": "refund", "content": "done"}

    assert [Returned(name="refund", value="done")] == read(message)


def test_invalid_json_arguments_are_unchanged() -> None:
    """Arguments that are not JSON are passed to the layers unchanged."""
    message = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{a"}}]}

    assert [Proposed((ToolCall("f", "{a"),))] == read(message)


def test_text_comes_before_the_calls() -> None:
    """The agent's text in a turn with calls comes first."""
    message = {"role": "assistant", "content": "now", "tool_calls": [{"name": "f"}]}

    assert [MessageText("assistant", "now"), Proposed((ToolCall("f"),))] == read(message)


def test_openai_tool_result() -> None:
    """JSON in a result's string is decoded."""
    message = {"role": "tool", "tool_call_id": "c1", "content": '{"id": 7}'}

    assert [Returned(name="", value={"id": 7}, call_id="c1")] == read(message)


def test_tool_result_of_text_parts() -> None:
    """Text parts of a result are joined before they are decoded."""
    parts = [{"type": "text", "text": "[1,"}, {"type": "text", "text": "2]"}]

    assert [Returned(name="f", value=[1, 2])] == read(
        {"role": "tool", "name": "f", "content": parts}
    )


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ({"is_error": True}, True),
        ({"isError": True}, True),
        ({"error": True}, True),
        ({"error": "boom"}, True),
        ({"error": ""}, False),
        ({"error": False}, False),
        ({"error": None}, False),
        ({"is_error": False}, False),
        ({"is_error": "true"}, False),
        ({}, False),
    ],
)
def test_which_results_failed(turn: dict[str, Any], expected: bool) -> None:
    """Only a clear word of failure makes a result a failed one."""

    assert expected == is_failed({"role": "tool", "content": "x", **turn})


def test_an_error_without_content_is_its_own_text() -> None:
    """The error's text replaces missing content."""
    message = {"role": "tool", "name": "f", "error": "no such order"}

    assert [Returned(name="f", value="no such order", error=True)] == read(message)


def test_anthropic_assistant_message() -> None:
    """Text and tool_use blocks are the text and the calls of one turn."""
    use = {"type": "tool_use", "id": "c1", "name": "refund", "input": {"id": "tx_1"}}
    message = {"role": "assistant", "content": [{"type": "text", "text": "now"}, use]}
    call = ToolCall("refund", {"id": "tx_1"}, "c1")

    assert [MessageText("assistant", "now"), Proposed((call,))] == read(message)


def test_anthropic_user_message_of_results_only() -> None:
    """A user message with only tool results has no text of a user."""
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "done"}

    assert [Returned(name="", value="done", call_id="c1")] == read(
        {"role": "user", "content": [result]}
    )


def test_anthropic_result_comes_before_the_users_words() -> None:
    """The result was there when the user spoke."""
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "done", "is_error": True}
    message = {"role": "user", "content": [{"type": "text", "text": "go on"}, result]}

    assert [
        Returned(name="", value="done", call_id="c1", error=True),
        MessageText("user", "go on"),
    ] == read(message)


@pytest.mark.parametrize("kind", ["thinking", "redacted_thinking", "reasoning"])
def test_thinking_is_silent(kind: str) -> None:
    """Thinking is neither text nor unseen."""
    block = {"type": kind, "thinking": "tx_9", "text": "tx_9"}

    assert read({"role": "assistant", "content": [block]}) == []


@pytest.mark.parametrize("kind", ["image_url", "input_image", "image", "file", "input_audio"])
def test_an_image_is_opaque(kind: str) -> None:
    """A block that cannot be read is reported as opaque after the text of the message."""
    blocks = [{"type": kind, kind: {"url": "http://x"}}, {"type": "text", "text": "this one"}]

    assert [
        MessageText("user", "this one"),
        Opaque(f"a user message holds a block of type {kind}"),
    ] == read({"role": "user", "content": blocks})
    assert Opaque(f"an assistant message holds a block of type {kind}") in read(
        {"role": "assistant", "content": blocks}
    )


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "tool_call_id": "c1", "content": [IMAGE]},
        {"role": "user", "content": [{"type": "tool_result", "content": [IMAGE]}]},
        {"type": "function_call_output", "call_id": "c1", "output": [IMAGE]},
    ],
)
def test_an_image_in_a_result_is_opaque(message: dict[str, Any]) -> None:
    """A tool result that shows the model an image is one that we did not see."""

    assert [Returned, Opaque] == [type(event) for event in read(message)]


def test_a_result_with_a_type_field_is_not_an_image() -> None:
    """Objects of a result that have a field `type` are plain data."""
    listing = [{"type": "image", "name": "a.png"}, {"type": "file", "name": "b"}]

    assert [Returned(name="ls", value=listing)] == read(
        {"role": "tool", "name": "ls", "content": listing}
    )


def test_openai_responses_items() -> None:
    """Items of the Responses API that are not messages are read."""
    items = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "done"},
    ]

    assert [
        MessageText("assistant", "a"),
        Proposed((ToolCall("f", "{}", "c1"),)),
        Returned(name="", value="done", call_id="c1"),
    ] == [event for item in items for event in read(item)]


def test_run_file_flat_call() -> None:
    """A flat call's arguments may be an object or a raw string."""
    calls = [{"id": "c1", "name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": "{}"}]

    assert [Proposed((ToolCall("f", {"a": 1}, "c1"), ToolCall("g", "{}")))] == read(
        {"role": "assistant", "tool_calls": calls}
    )


@pytest.mark.parametrize(
    ("place", "logprobs"),
    [("call", [-0.1, -0.2]), ("call", {"content": [{"token": "f", "logprob": -0.1}]})],
)
def test_logprobs_are_read_with_the_call(place: str, logprobs: Any) -> None:
    """Log-probabilities of a tool call are in the call."""

    assert logprobs == read_call({"name": "f", "logprobs": logprobs}).logprobs


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (12, 12.0),
        (12.5, 12.5),
        ("1970-01-01T00:00:10+00:00", 10.0),
        ("1970-01-01T00:00:10Z", 10.0),
        ("yesterday", None),
        (True, None),
        (None, None),
        ([], None),
        (10**400, None),
        (float("nan"), None),
        (float("inf"), None),
    ],
)
def test_at_is_seconds_or_iso_8601(at: Any, expected: float | None) -> None:
    """`at` gives the time of a message where it can be read."""

    assert [MessageText("user", "hi", expected)] == read(
        {"role": "user", "content": "hi", "at": at}
    )


def test_at_is_on_every_event() -> None:
    """Each event of a message carries the message's time."""
    result = {"type": "tool_result", "tool_use_id": "c", "content": "x"}
    message = {"role": "user", "content": ["hi", result, {"type": "image"}], "at": 3}

    assert [event.at for event in read(message)] == [3.0, 3.0, 3.0]


class _Message(BaseModel):
    role: str = "user"
    content: str = "hello"
    name: str | None = None


def test_an_sdk_object_is_read() -> None:
    """An object with `model_dump` is read as what it dumps."""

    assert [MessageText("user", "hello")] == read(_Message())


class _Call(BaseModel):
    name: str = "refund"
    arguments: str = "{}"


def test_an_sdk_object_inside_a_message_is_read() -> None:
    """Calls and blocks may be objects too."""
    message = {"role": "assistant", "tool_calls": [{"id": "c1", "function": _Call()}]}

    assert [Proposed((ToolCall("refund", "{}", "c1"),))] == read(message)


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"role": "wizard", "content": "hi"},
        {"role": None},
        {"role": ["user"]},
        {"role": "assistant", "tool_calls": [{"id": "c1"}]},
        {"role": "assistant", "tool_calls": [5]},
        {"role": "assistant", "content": [5]},
        {"role": "user", "content": 5},
        "hello",
        None,
        5,
        SimpleNamespace(role="user"),
    ],
)
def test_an_unreadable_message_says_so_in_one_line(message: Any) -> None:
    """A message of unknown shape is refused in one line."""
    with pytest.raises(UnreadableMessage) as caught:
        read(message)

    assert "\n" not in str(caught.value)


@given(
    st.dictionaries(
        st.sampled_from(["role", "content", "type", "tool_calls", "function_call", "error", "at"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.sampled_from(["user", "tool", "text"]),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["type", "text", "name", "id"]), inner, max_size=3
                )
            ),
            max_leaves=8,
        ),
    )
)
def test_odd_json_is_read_or_refused(message: dict[str, Any]) -> None:
    """Any JSON object gives events, or `UnreadableMessage`; nothing else is raised."""
    try:
        events = read(message)
    except UnreadableMessage:
        events = []

    assert all(isinstance(event, MessageText | Proposed | Returned | Opaque) for event in events)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (ToolCall("f", {"a": 1}), ToolCall("f", {"a": 1})),
        ({"name": "f", "arguments": {"a": 1}}, ToolCall("f", {"a": 1})),
        ({"name": "f", "args": {"a": 1}}, ToolCall("f", {"a": 1})),
        ({"id": "c", "name": "f", "input": {"a": 1}}, ToolCall("f", {"a": 1}, "c")),
        ({"id": "", "name": "f"}, ToolCall("f")),
        ({"id": "c", "function": {"name": "f", "arguments": "{}"}}, ToolCall("f", "{}", "c")),
        (
            {"method": "tools/call", "id": 0, "params": {"name": "f", "arguments": {}}},
            ToolCall("f", {}, "0"),
        ),
    ],
)
def test_every_shape_of_a_call(shape: Any, expected: ToolCall) -> None:
    """Ours, OpenAI's, Anthropic's, MCP's and the flat call are one call."""

    assert (expected, (expected,)) == (read_call(shape), read_calls(shape))


@pytest.mark.parametrize("shape", [{}, {"name": 5}, {"function": {}}, {"params": {}}, [], 5, None])
def test_a_call_without_a_name_is_refused(shape: Any) -> None:
    """A call has a name."""
    with pytest.raises(UnreadableMessage) as caught:
        read_call(shape)

    assert "call" in str(caught.value)


def test_calls_of_a_list_and_of_a_message() -> None:
    """A list of shapes and one assistant message give the same calls."""
    shapes = [{"id": "1", "name": "f"}, {"id": "2", "function": {"name": "g"}}]
    expected = (ToolCall("f", None, "1"), ToolCall("g", None, "2"))

    assert (expected, expected) == (read_calls(shapes), read_calls({"tool_calls": shapes}))


@pytest.mark.parametrize(
    "shape",
    [
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA}},
        {"name": "f", "description": "d", "input_schema": SCHEMA},
        {"name": "f", "description": "d", "inputSchema": SCHEMA},
        {"name": "f", "description": "d", "parameters": SCHEMA},
    ],
)
def test_every_shape_of_a_tool(shape: dict[str, Any]) -> None:
    """OpenAI's, Anthropic's, MCP's and the flat tool are one tool."""
    tool = read_tool(shape)

    assert (tool.name, tool.description, tool.parameters) == ("f", "d", SCHEMA)


def test_mcp_annotations_are_read() -> None:
    """The annotations of an MCP tool are in the tool."""
    shape = {"name": "f", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}

    assert read_tool(shape).annotations == {"readOnlyHint": True}


@pytest.mark.parametrize("shape", [{}, {"name": ""}, {"name": 5}, {"function": "f"}, "f", None])
def test_a_tool_without_a_name_is_refused(shape: Any) -> None:
    """A tool has a name."""
    with pytest.raises(UnreadableMessage) as caught:
        read_tool(shape)

    assert str(caught.value).startswith("tool")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        (" [1]", [1]),
        ("{broken", "{broken"),
        ("[" * 100_000, "[" * 100_000),
        ("5", "5"),
        ("", ""),
        (5, 5),
    ],
)
def test_only_objects_and_lists_are_decoded(value: Any, expected: Any) -> None:
    """A string that contains a JSON object or list is decoded; other strings are unchanged."""

    assert expected == decode_json(value)


@pytest.mark.parametrize("kind", ["item_reference", "web_search_call", "compaction"])
def test_an_item_of_server_side_state_is_opaque(kind: str) -> None:
    """Such an item is not an error, but later misses prove nothing."""
    [event] = read({"type": kind, "id": "x"})

    assert isinstance(event, Opaque)
    assert kind in event.reason


class Broken:
    """An id that raises whenever it is read."""

    __hash__ = object.__hash__

    def __str__(self) -> str:
        raise RuntimeError("no text")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")


def test_an_unreadable_id_is_none() -> None:
    """The call is read as one without an id."""
    function = {"name": "refund", "arguments": "{}"}
    calls = [
        {"name": "refund", "id": Broken()},
        {"call_id": Broken(), "id": "c2", **function},
        {"id": Broken(), "type": "function", "function": function},
        ToolCall("refund", {}, Broken()),  # type: ignore[arg-type]
    ]

    assert [None, "c2", None, None] == [read_call(call).id for call in calls]
