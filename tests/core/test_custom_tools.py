"""OpenAI's custom tools take free text instead of JSON."""

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
    """It is called `input`, as in the API."""
    assert CALL == read_call(shape)
    assert (CALL,) == read_calls([shape])


def test_an_item_is_a_proposal():
    """It occurs in a transcript like a function call."""
    assert [Proposed((CALL,))] == [*read_message(RESPONSES)]


def test_a_message_holds_custom_calls():
    """Beside those of functions."""
    assert (CALL,) == read_calls({"role": "assistant", "content": None, "tool_calls": [CHAT]})


def test_its_result_is_a_result():
    """As a function's is."""
    item = {"type": "custom_tool_call_output", "call_id": "c1", "output": "three files"}
    assert [Returned(name="", value="three files", call_id="c1")] == [*read_message(item)]
