"""OpenAI's custom tools, which take text instead of JSON."""

from __future__ import annotations

import pytest

from abs_shield.core import ToolCall
from abs_shield.core.events import Proposed, Returned
from abs_shield.core.messages import read_call, read_calls, read_message

CHAT = {"id": "c1", "type": "custom", "custom": {"name": "shell", "input": "ls -la"}}
RESPONSES = {"type": "custom_tool_call", "call_id": "c1", "name": "shell", "input": "ls -la"}
CALL = ToolCall("shell", {"input": "ls -la"}, "c1")


@pytest.mark.parametrize("shape", [CHAT, RESPONSES])
def test_the_text_is_an_argument(shape):
    """The text is an argument called `input`, as in the API."""
    assert CALL == read_call(shape)
    assert (CALL,) == read_calls([shape])


def test_an_item_is_a_proposal():
    """A custom call in a transcript is a proposal like a function call."""
    assert [Proposed((CALL,))] == [*read_message(RESPONSES)]


def test_a_message_may_have_custom_calls():
    """Custom calls and function calls of a message are read."""
    assert (CALL,) == read_calls({"role": "assistant", "content": None, "tool_calls": [CHAT]})


def test_the_output_of_a_custom_tool_is_a_result():
    """The output item of a custom call is a result like that of a function."""
    item = {"type": "custom_tool_call_output", "call_id": "c1", "output": "three files"}
    assert [Returned(name="", value="three files", call_id="c1")] == [*read_message(item)]
