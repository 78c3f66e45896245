"""Calls and results of one turn."""

from __future__ import annotations

from abs_shield.core import ToolCall
from abs_shield.core.events import MessageText, Opaque, Proposed, Returned
from abs_shield.replay.recorded_turns import Turn, turns


def result_message(call_id, name="see_patient"):
    return Returned(name=name, value=None, call_id=call_id)


def test_consecutive_call_messages_are_one_turn():
    """Calls in separate messages without a result between them belong to one turn."""
    a, b = ToolCall("see_patient", {}, "a"), ToolCall("see_patient", {}, "b")

    [turn] = turns([Proposed((a,)), Proposed((b,)), result_message("b"), result_message("a")])

    assert [result.call_id for result in turn.results] == ["a", "b"]


def test_a_result_of_another_tool_is_left_over():
    """A result without an id is matched only to a call of its own tool."""
    call = ToolCall("see_patient", {})

    [turn] = turns([Proposed((call,)), result_message(None, "weigh_patient"), result_message(None)])

    assert [result.name for result in turn.results] == ["see_patient"]
    assert [event.name for event in turn.rest] == ["weigh_patient"]


def test_a_message_with_text_ends_a_turn():
    """Results after a text message belong to no call of the turn before it."""
    call = ToolCall("see_patient", {}, "a")
    events = [
        Proposed((call,)),
        Opaque("an image"),
        MessageText("user", "well?"),
        result_message("a"),
    ]

    turn, middle, late = turns(events)

    assert isinstance(turn, Turn)
    assert (turn.results, turn.rest) == ((None,), (Opaque("an image"),))
    assert (middle, late) == (events[2], events[3])
