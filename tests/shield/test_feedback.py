"""The feedback on a block, and the number of attempts."""

from __future__ import annotations

import json

import pytest

from abs_shield import ToolCall

FIELDS = {"code", "field", "got", "expected", "allowed", "nearest", "hint"}


def wrong(n):
    return ToolCall("refund", {"amount": f"{n} dollars"})


def attempts_of(make_shield, calls, **declared):
    """Return (retryable, attempts_left) after each call of one session."""
    firewall = make_shield(**declared)
    session = firewall.session()
    decisions = [firewall.check_call(call, session=session) for call in calls]
    return [(d.retryable, d.attempts_left) for d in decisions]


def test_the_shape_of_feedback(make_shield):
    """Feedback is JSON with status, tool, problems, and whether to retry."""
    feedback = json.loads(json.dumps(make_shield().check_call(wrong(1)).feedback()))

    assert {"status", "tool", "problems", "retryable", "attempts_left"} == set(feedback)
    assert ("blocked", "refund") == (feedback["status"], feedback["tool"])
    assert [FIELDS] == [set(problem) for problem in feedback["problems"]]


def test_the_nearest_tool_is_reported(make_shield):
    """The feedback for an unknown tool has the nearest name."""
    (problem,) = make_shield().check_call(ToolCall("refnud", {})).feedback()["problems"]

    assert ("unknown_tool", "/name", "refund") == (
        problem["code"], problem["field"], problem["nearest"],
    )  # fmt: skip


def test_feedback_of_a_clean_call_is_empty(make_shield):
    """It is allowed, without problems and attempts."""
    feedback = make_shield().check_call(ToolCall("refund", {"amount": 1})).feedback()

    assert ("allowed", [], None) == (
        feedback["status"], feedback["problems"], feedback["attempts_left"],
    )  # fmt: skip


def test_the_budget_is_counted_down(make_shield):
    """After three blocked calls of one tool, the model is told to stop."""
    assert [(True, 2), (True, 1), (False, 0)] == attempts_of(
        make_shield, [wrong(n) for n in range(3)]
    )


def test_a_used_budget_tells_the_model_to_stop(make_shield):
    """The hint of the last block is to stop or to ask the user."""
    firewall = make_shield(retries=1)
    feedback = firewall.check_call(wrong(1), session=firewall.session()).feedback()

    assert "retries_spent" == feedback["problems"][-1]["code"]
    assert "ask the user" in feedback["problems"][-1]["hint"]


def test_the_third_identical_call_is_the_last(make_shield):
    """The third identical call is not retryable, whatever budget remains."""
    assert [(True, 8), (True, 7), (False, 6)] == attempts_of(make_shield, [wrong(1)] * 3, retries=9)


def test_identical_means_the_same_arguments_in_any_order(make_shield):
    """The order of keys does not matter."""
    texts = ['{"amount":"?","x":2}', '{"x": 2, "amount": "?"}', '{"x":2,"amount":"?"}']
    calls = [ToolCall("refund", text) for text in texts]

    assert False is attempts_of(make_shield, calls, retries=9)[-1][0]


def test_unreadable_arguments_are_compared_as_text(make_shield):
    """Different unreadable texts are different calls."""
    calls = [ToolCall("refund", text) for text in ("{", "{{", "{{{")]

    assert True is attempts_of(make_shield, calls, retries=9)[-1][0]


def test_each_tool_has_its_own_budget(make_shield):
    """Blocked calls of one tool do not use the budget of another."""
    calls = [wrong(1), ToolCall("transfer", {"amount": "one"})]

    assert [(True, 2), (True, 2)] == attempts_of(make_shield, calls)


def test_each_session_has_its_own_budget(make_shield):
    """Blocked calls of one session do not use the budget of another."""
    firewall = make_shield()
    left = [
        firewall.check_call(wrong(1), session=firewall.session()).attempts_left for _ in range(2)
    ]

    assert [2, 2] == left


def test_a_user_message_resets_the_budget(make_shield):
    """A message of the user resets budget and repetitions."""
    firewall = make_shield()
    session = firewall.session()
    for _ in range(3):
        firewall.check_call(wrong(1), session=session)
    session.user("Try once more.")
    decision = firewall.check_call(wrong(1), session=session)

    assert (True, 2) == (decision.retryable, decision.attempts_left)


def test_an_execution_resets_the_budget(make_shield):
    """If the tool runs, its blocked attempts no longer count."""
    firewall = make_shield()
    session = firewall.session()
    for n in range(2):
        firewall.check_call(wrong(n), session=session)
    with firewall.guard(ToolCall("refund", {"amount": 1}), session=session) as guard:
        guard.value = "done"

    assert 2 == firewall.check_call(wrong(9), session=session).attempts_left


def test_the_execution_of_another_tool_does_not_reset_the_budget(make_shield):
    """Only attempts of the tool that ran are reset."""
    firewall = make_shield()
    session = firewall.session()
    firewall.check_call(wrong(1), session=session)
    with firewall.guard(ToolCall("transfer", {"amount": 1}), session=session):
        pass

    assert 1 == firewall.check_call(wrong(2), session=session).attempts_left


def test_a_proposal_and_its_dispatch_cost_one_attempt(make_shield):
    """One call is one attempt, however often it is judged."""
    firewall = make_shield()
    session = firewall.session()
    call = ToolCall("refund", {"amount": "one"}, "c1")
    (proposed,) = firewall.inspect_turn([call], session=session)
    dispatched = firewall.check_call(call, session=session)

    assert [2, 2] == [proposed.attempts_left, dispatched.attempts_left]


@pytest.mark.parametrize("mode", ["audit", "strict"])
def test_only_blocks_are_counted(make_shield, mode):
    """In audit mode, nothing is blocked and no attempt is counted."""
    expected = [None] * 4 if mode == "audit" else [2, 1, 0, 0]

    assert expected == [
        left for _, left in attempts_of(make_shield, [wrong(n) for n in range(4)], mode=mode)
    ]


def test_no_value_of_another_session_is_reported(make_shield):
    """Feedback contains no value of another session."""
    firewall = make_shield()
    firewall.check_call(ToolCall("refund", {"amount": "canary"}), session=firewall.session())
    feedback = firewall.check_call(wrong(1), session=firewall.session()).feedback()

    assert "canary" not in json.dumps(feedback)
