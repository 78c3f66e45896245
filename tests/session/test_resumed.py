"""A conversation that began in another process."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Target, Tool, ToolCall, shield

TURNS = [
    {"role": "system", "content": "You are a shop's assistant."},
    {"role": "user", "content": "What did I order last?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c1", "type": "function",
                "function": {"name": "find", "arguments": "{}"},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": '{"id": "tx_9003"}'},
    {"role": "assistant", "content": "Your last order is tx_9003, a lamp."},
    {"role": "user", "content": "Is it broken?"},
    {"role": "assistant", "content": "You may return tx_9003 within 30 days. Shall I refund it?"},
    {"role": "user", "content": "Yes, refund it."},
]  # fmt: skip


def judge_refund(messages, value="tx_9003", *, later=()):
    tools = [
        Tool(name="refund", parameters={"properties": {"order_id": {"type": "string"}}},
             targets={"order_id": Target(must_be_seen=True)}, destructive=True),
        Tool(name="find", parameters={"properties": {}}),
    ]  # fmt: skip
    firewall = Shield(shield.configure(mode="strict", tools=tools), hooks=None)
    with firewall.session() as session:
        session.add(messages)
        session.add([*messages, *later])
        return firewall.check_call(ToolCall("refund", {"order_id": value}))


@pytest.mark.parametrize("window", [2, 3, 4])
def test_a_value_in_earlier_replies_of_the_agent_is_not_judged(window):
    """The reason is in the coverage; a value that no message contains has a finding."""
    trimmed = [TURNS[0], *TURNS[-window:]]
    known, unknown = judge_refund(trimmed), judge_refund(trimmed, "tx_4711")

    assert not known.blocked
    assert "mentioned a value before" in known.coverage["phantom_target"].reason
    assert "HALLUCINATED" == unknown.verdict


def test_a_value_in_the_whole_conversation_is_judged():
    """With the whole conversation, the result with the value is present."""
    decision = judge_refund(TURNS)

    assert ("CLEAN", "ran") == (decision.verdict, str(decision.coverage["phantom_target"].outcome))


def test_later_replies_of_the_agent_do_not_count():
    """Only replies in the messages that were added first count."""
    later = [
        {"role": "assistant", "content": "Then I will refund tx_4711."},
        {"role": "user", "content": "Do it."},
    ]

    assert "HALLUCINATED" == judge_refund(TURNS[:2], "tx_4711", later=later).verdict
    assert "HALLUCINATED" == judge_refund([TURNS[0], *TURNS[-2:]], "tx_4711", later=later).verdict
