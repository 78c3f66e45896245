"""The assertions `assert_blocked`, `assert_flagged` and `assert_allowed`, and their messages."""

from __future__ import annotations

import json

import pytest

from abs_shield import CallBlocked, ShieldError, Tool, ToolCall
from abs_shield.testing import (
    assert_allowed,
    assert_blocked,
    assert_flagged,
    assert_proved,
    scripted,
    user,
)

TOO_MUCH = {"transaction_id": "tx_1", "amount": 9_000}
RIGHT = {"transaction_id": "tx_1", "amount": 5}


def judge_call(firewall, name, arguments, *, user_text="Refund tx_1, please."):
    """Return the decision on one call in a new session."""
    return scripted(firewall, [user(user_text), ToolCall(name, arguments)]).only()


def why(failed):
    """Return the message of a failed assertion."""
    return str(failed.value)


def test_assert_blocked_catches_the_exception_of_a_block(firewall):
    """`assert_blocked` catches the exception of its block and keeps the decision."""
    with assert_blocked(layer="impossible_state", tool="refund") as blocked:
        firewall.dispatch("refund", TOO_MUCH)

    assert "rule" == blocked.decision.findings[0].code


def test_assert_blocked_accepts_a_block_without_exception(firewall):
    """`assert_blocked` passes if a call is blocked with feedback and no exception."""
    function = {"name": "refund", "arguments": json.dumps(TOO_MUCH)}
    message = {"role": "assistant", "tool_calls": [{"id": "c1", "function": function}]}
    with assert_blocked(tool="refund") as blocked:
        firewall.run_tool_calls(message)

    assert "c1" == blocked.decision.call_id


@pytest.mark.parametrize(
    "words",
    [{"layer": "impossible_state"}, {"code": "rule"}, {"tool": "refund"}, {}],
    ids=str,
)
def test_assert_blocked_returns_a_matching_decision(firewall, words):
    """`assert_blocked` returns a decision that matches each argument by itself."""
    decision = judge_call(firewall, "refund", TOO_MUCH)

    assert decision is assert_blocked(decision, **words)


def test_arguments_must_match_the_same_finding(firewall):
    """`assert_blocked` fails if code and place match two different findings."""
    decision = judge_call(firewall, "refund", {"transaction_id": 7, "amount": "nine"})
    assert_blocked(decision, layer="parameter_mismatch", where="/arguments/amount")

    with pytest.raises(AssertionError):
        assert_blocked(decision, code="wrong_type", where="/name")


def test_message_contains_expectation_and_outcome(firewall):
    """The message contains the expectation, the tool, its outcome and its finding."""
    with pytest.raises(AssertionError) as failed:
        assert_blocked(judge_call(firewall, "refund", TOO_MUCH), layer="phantom_target")

    assert why(failed).startswith(
        "expected a blocked call with layer `phantom_target`; got:\n"
        "  refund: blocked (impossible_state rule at "
    )


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ({"layer": "phantom_tol"}, "no layer is named `phantom_tol`; did you mean `phantom_tool`?"),
        ({"tool": "refnud"}, "no call uses the tool `refnud`; did you mean `refund`?"),
        ({"code": "rul"}, "no finding has the code `rul`; did you mean `rule`?"),
    ],
)  # fmt: skip
def test_message_suggests_the_nearest_name(firewall, words, hint):
    """The message suggests the nearest name for a misspelt layer, tool or code."""
    with pytest.raises(AssertionError) as failed:
        assert_blocked(judge_call(firewall, "refund", TOO_MUCH), **words)

    assert hint in why(failed)


def test_assert_blocked_fails_if_nothing_is_blocked(firewall):
    """`assert_blocked` fails if all calls ran, and its message lists them."""
    with pytest.raises(AssertionError, match="got:\n  find_order: allowed"), assert_blocked():
        firewall.dispatch("find_order", {"email": "a@b.example"})


def test_assert_blocked_fails_without_a_call():
    """`assert_blocked` fails if its block makes no call."""
    with pytest.raises(AssertionError, match="no decision at all"), assert_blocked():
        pass


def test_assert_blocked_fails_on_another_layer(firewall):
    """`assert_blocked` fails if another layer blocked; the exception is the cause."""
    with pytest.raises(AssertionError) as failed, assert_blocked(layer="phantom_tool"):
        firewall.dispatch("refund", TOO_MUCH)

    assert isinstance(failed.value.__cause__, CallBlocked)


def test_other_exceptions_propagate(firewall):
    """An exception that is not of the Shield propagates out of `assert_blocked`."""
    with pytest.raises(KeyError), assert_blocked():
        raise KeyError


def test_assert_blocked_fails_in_audit_mode(make_shield):
    """In audit mode `assert_blocked` fails and its message names the mode."""
    decision = judge_call(make_shield(mode="audit"), "refund", TOO_MUCH)
    assert_flagged(decision, layer="impossible_state")

    with pytest.raises(AssertionError, match="would be blocked, but the mode is audit"):
        assert_blocked(decision)


def test_suspicion_beside_a_block_does_not_count(firewall):
    """`assert_blocked` fails on a SUSPICIOUS finding beside the one that blocked."""
    decision = judge_call(firewall, "refund", {"transaction_id": "tx_99999", "amount": 9_000})
    assert {"phantom_target", "impossible_state"} == {f.check for f in decision.findings}

    with pytest.raises(AssertionError):
        assert_blocked(decision, layer="phantom_target")


def test_suspicion_counts_if_the_policy_blocks_it(make_shield):
    """With `on_suspicious="block"`, `assert_blocked` passes on a SUSPICIOUS finding."""
    firewall = make_shield(on_suspicious="block")
    decision = judge_call(firewall, "refund", {"transaction_id": "tx_99999", "amount": 5})

    where = "/arguments/transaction_id"
    assert decision is assert_blocked(decision, layer="phantom_target", where=where)


def test_call_that_awaits_approval_is_blocked(make_shield):
    """`assert_blocked` accepts the code `approval_required` for a call that awaits approval."""
    firewall = make_shield(on_suspicious="approve")
    decision = judge_call(firewall, "refund", {"transaction_id": "tx_99999", "amount": 5})

    assert decision is assert_blocked(decision, code="approval_required")


def test_error_of_a_layer_is_not_a_finding(make_shield):
    """`assert_blocked` accepts an error of a layer only with the code `layer_error`."""

    def broken(proposal, session):
        raise RuntimeError

    decision = judge_call(make_shield(layers=[broken], rules=[]), "refund", RIGHT)
    assert_blocked(decision, code="layer_error", layer="broken")

    with pytest.raises(AssertionError, match="an error of a layer is not a finding"):
        assert_blocked(decision)


def test_flagged_call_is_neither_blocked_nor_allowed(firewall):
    """A flagged call passes `assert_flagged` and fails the other two assertions."""
    with assert_flagged(layer="phantom_target") as flagged, firewall.session() as session:
        session.user("Refund tx_1, please.")
        firewall.dispatch("refund", {"transaction_id": "tx_99999", "amount": 5})

    for claim in (assert_blocked, assert_allowed):
        with pytest.raises(AssertionError, match="refund: flagged"):
            claim(flagged.decision)


def test_blocked_call_is_neither_flagged_nor_allowed(firewall):
    """A blocked call fails `assert_flagged` and `assert_allowed`."""
    for claim in (assert_flagged, assert_allowed):
        with pytest.raises(AssertionError, match="refund: blocked"), claim():
            firewall.dispatch("refund", TOO_MUCH)


def test_assert_allowed_returns_the_decision(firewall):
    """`assert_allowed` returns the decision if the named layer ran."""
    decision = judge_call(firewall, "refund", RIGHT)

    assert decision is assert_allowed(decision, layer="phantom_target", tool="refund")


def test_assert_allowed_fails_if_the_layer_is_unavailable(firewall):
    """`assert_allowed` fails if the named layer was unavailable or does not exist."""
    decision = judge_call(firewall, "refund", RIGHT)
    with pytest.raises(AssertionError, match="`confidence_drop` could not judge: no log-prob"):
        assert_allowed(decision, layer="confidence_drop")
    with pytest.raises(AssertionError, match="did you mean `phantom_target`"):
        assert_allowed(decision, layer="phantomtarget")


def test_unavailable_layer_is_reported_once(firewall):
    """The reason of an unavailable layer occurs once in the message, not once per call."""

    def agent():
        with firewall.session(), assert_allowed(layer="confidence_drop", tool="find_order"):
            for _ in range(3):
                firewall.dispatch("find_order", {"email": "ann@example.com"})

    with pytest.raises(AssertionError) as caught:
        agent()

    assert 1 == str(caught.value).count("`confidence_drop` could not judge: no log-probabilities")


def test_assert_allowed_checks_every_call_of_the_tool(firewall):
    """`assert_allowed` fails on one flagged call, unless `tool` names another tool."""

    def agent():
        with firewall.session() as session:
            session.user("Refund tx_1 of ann@example.com.")
            firewall.dispatch("find_order", {"email": "ann@example.com"})
            firewall.dispatch("refund", {"transaction_id": "tx_99999", "amount": 5})

    with assert_allowed(tool="find_order"):
        agent()
    with pytest.raises(AssertionError, match="refund: flagged"), assert_allowed():
        agent()


@pytest.mark.parametrize("given", [None, [], "refund"])
def test_assertion_refuses_what_is_not_a_decision(given):
    """`assert_blocked` raises a ShieldError for None, a list and a string."""
    with pytest.raises(ShieldError, match="a Decision is expected"):
        assert_blocked(given)


def test_assertion_without_with_warns():
    """`assert_blocked(...)` warns if it is called without `with` and without a decision."""
    with pytest.warns(RuntimeWarning, match="`assert_blocked` checked nothing"):
        assert_blocked(layer="phantom_tool")


def test_decision_is_not_available_inside_the_block():
    """Reading `decision` inside the block raises a ShieldError."""
    with pytest.raises(ShieldError, match="before its block is left"), assert_flagged() as flagged:
        assert flagged.decision


def test_a_proved_policy_passes(firewall):
    """`assert_proved` passes for a policy that fits its tools."""
    assert_proved(firewall)

    assert not firewall.prove().errors


def test_a_policy_that_does_not_fit_fails(make_shield):
    """`assert_proved` fails for a policy with an unregistered tool."""
    firewall = make_shield(
        suppress=[], inverses=[], tools=[Tool(name="lend")], modes={"refnud": "audit"}
    )
    with pytest.raises(AssertionError, match="refnud"):
        assert_proved(firewall)
