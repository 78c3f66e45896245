"""A tool that takes the final answer may contain facts that the run does not mention."""

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


def finding_codes(tool, prompt, **arguments):
    guard = Shield(
        shield.configure(mode="audit", tools=[Tool(name=tool, parameters=CITY)]), hooks=None
    )
    with guard.session() as session:
        session.user(prompt)
        return [finding.code for finding in guard.check_call(ToolCall(tool, arguments)).findings]


TOOLS = ["final_result", "final_result_City", "submit_answer", "submit_final_answer", "FinalAnswer",
         "StructuredOutput"]  # fmt: skip


@pytest.mark.parametrize("tool", TOOLS)
def test_answer_may_contain_an_unmentioned_name(tool):
    """An output tool may contain a name that the user asked for."""
    assert [] == finding_codes(
        tool, "What is the largest city of Mexico, please?", city="Guadalajara"
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_wrong_name_or_id_in_an_answer_is_unseen(tool):
    """An output tool with a name that half matches the user's, or with another id, is reported."""
    user_text = "Record this person, please: Ada Lovelace, who has order 5512."

    assert ["unseen"] == finding_codes(tool, user_text, name="Leopold Lovelace")
    assert ["unseen"] == finding_codes(tool, user_text, order_id="8841")
    assert [] == finding_codes(tool, user_text, name="Ada Lovelace", order_id="5512")


@pytest.mark.parametrize("tool", ["book_room", "submit_result", "calculate_final_result"])
def test_other_tools_need_a_mention(tool):
    """A tool that is not an output tool is reported for an unmentioned city."""
    assert ["unseen"] == finding_codes(
        tool, "Please find the largest room for me.", city="Guadalajara"
    )
