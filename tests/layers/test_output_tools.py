"""Tools by which a framework takes the final answer: it may name what the agent knows."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

CITY = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "city": {"type": "string"},
        "order_id": {"type": "string"},
    },
}


def codes(tool, prompt, **arguments):
    guard = Shield(
        shield.configure(mode="audit", tools=[Tool(name=tool, parameters=CITY)]), hooks=None
    )
    with guard.session() as session:
        session.user(prompt)
        return [finding.code for finding in guard.check_call(ToolCall(tool, arguments)).findings]


TOOLS = ["final_result", "final_result_City", "submit_answer", "submit_final_answer", "FinalAnswer",
         "StructuredOutput"]  # fmt: skip


@pytest.mark.parametrize("tool", TOOLS)
def test_an_answer_may_name_what_nobody_mentioned(tool):
    """The user asks for the name."""
    assert [] == codes(tool, "What is the largest city of Mexico, please?", city="Guadalajara")


@pytest.mark.parametrize("tool", TOOLS)
def test_what_the_answer_gets_wrong_is_found(tool):
    """One half of a name is the user's and the other is not; an id is never known by heart."""
    user_text = "Record this person, please: Ada Lovelace, who has order 5512."

    assert ["unseen"] == codes(tool, user_text, name="Leopold Lovelace")
    assert ["unseen"] == codes(tool, user_text, order_id="8841")
    assert [] == codes(tool, user_text, name="Ada Lovelace", order_id="5512")


@pytest.mark.parametrize("tool", ["book_room", "submit_result", "calculate_final_result"])
def test_other_tools_name_what_was_mentioned(tool):
    """A call that does something to a city has it from somebody."""
    assert ["unseen"] == codes(tool, "Please find the largest room for me.", city="Guadalajara")
