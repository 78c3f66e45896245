"""Assertions of a test about a call, and the messages of failed ones."""

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


def judged(firewall, name, arguments, *, user_text="Refund tx_1, please."):
    """Decide about one call in a session of its own."""
    return scripted(firewall, [user(user_text), ToolCall(name, arguments)]).only()


def why(failed):
    """The message of a claim that failed."""
    return str(failed.value)


def test_a_block_of_code_is_blocked(firewall):
    """The exception is taken, and the decision can be looked at."""
    with assert_blocked(layer="impossible_state", tool="refund") as blocked:
        firewall.dispatch("refund", TOO_MUCH)

    assert "rule" == blocked.decision.findings[0].code


def test_a_block_in_a_message_counts(firewall):
    """An agent's loop that answers its model with feedback raises nothing."""
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
def test_a_decision_is_claimed(firewall, words):
    """Every word by itself narrows, and the decision is given back."""
    decision = judged(firewall, "refund", TOO_MUCH)

    assert decision is assert_blocked(decision, **words)


def test_words_belong_to_one_finding(firewall):
    """The layer of one finding and the place of another are not met together."""
    decision = judged(firewall, "refund", {"transaction_id": 7, "amount": "nine"})
    assert_blocked(decision, layer="parameter_mismatch", where="/arguments/amount")

    with pytest.raises(AssertionError):
        assert_blocked(decision, code="wrong_type", where="/name")


def test_what_was_found_instead_is_reported(firewall):
    """The message names the claim, the call, what became of it, and why."""
    with pytest.raises(AssertionError) as failed:
        assert_blocked(judged(firewall, "refund", TOO_MUCH), layer="phantom_target")

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
def test_a_misspelt_word_is_reported(firewall, words, hint):
    """The nearest name is part of the message."""
    with pytest.raises(AssertionError) as failed:
        assert_blocked(judged(firewall, "refund", TOO_MUCH), **words)

    assert hint in why(failed)


def test_nothing_blocked_is_reported(firewall):
    """A block of code in which everything ran fails with what ran."""
    with pytest.raises(AssertionError, match="got:\n  find_order: allowed"), assert_blocked():
        firewall.dispatch("find_order", {"email": "a@b.example"})


def test_nothing_judged_is_reported():
    """A block of code without a call claims nothing."""
    with pytest.raises(AssertionError, match="no decision at all"), assert_blocked():
        pass


def test_another_block_than_claimed_fails(firewall):
    """The exception that leaves the block has to be the one; it stays the cause."""
    with pytest.raises(AssertionError) as failed, assert_blocked(layer="phantom_tool"):
        firewall.dispatch("refund", TOO_MUCH)

    assert isinstance(failed.value.__cause__, CallBlocked)


def test_another_exception_passes(firewall):
    """Other exceptions of the code under test pass through."""
    with pytest.raises(KeyError), assert_blocked():
        raise KeyError


def test_audit_blocks_nothing(make_shield):
    """The message says that the mode is audit; the call counts as flagged."""
    decision = judged(make_shield(mode="audit"), "refund", TOO_MUCH)
    assert_flagged(decision, layer="impossible_state")

    with pytest.raises(AssertionError, match="would be blocked, but the mode is audit"):
        assert_blocked(decision)


def test_a_suspicion_beside_a_block_blocks_nothing(firewall):
    """Only the gravest strict findings count as what blocked."""
    decision = judged(firewall, "refund", {"transaction_id": "tx_99999", "amount": 9_000})
    assert {"phantom_target", "impossible_state"} == {f.check for f in decision.findings}

    with pytest.raises(AssertionError):
        assert_blocked(decision, layer="phantom_target")


def test_a_suspicion_that_blocks_is_claimed(make_shield):
    """Under ``on_suspicious="block"`` a suspicion by itself blocks."""
    firewall = make_shield(on_suspicious="block")
    decision = judged(firewall, "refund", {"transaction_id": "tx_99999", "amount": 5})

    where = "/arguments/transaction_id"
    assert decision is assert_blocked(decision, layer="phantom_target", where=where)


def test_a_call_that_waits_is_blocked(make_shield):
    """The Shield's own code can be asserted."""
    firewall = make_shield(on_suspicious="approve")
    decision = judged(firewall, "refund", {"transaction_id": "tx_99999", "amount": 5})

    assert decision is assert_blocked(decision, code="approval_required")


def test_our_own_error_is_no_finding(make_shield):
    """A layer that breaks blocks in strict mode, and no claim but its own code is met."""

    def broken(proposal, session):
        raise RuntimeError

    decision = judged(make_shield(layers=[broken], rules=[]), "refund", RIGHT)
    assert_blocked(decision, code="layer_error", layer="broken")

    with pytest.raises(AssertionError, match="an error of a layer is not a finding"):
        assert_blocked(decision)


def test_a_flagged_call_is_claimed(firewall):
    """A flagged call ran; it is neither blocked nor allowed."""
    with assert_flagged(layer="phantom_target") as flagged, firewall.session() as session:
        session.user("Refund tx_1, please.")
        firewall.dispatch("refund", {"transaction_id": "tx_99999", "amount": 5})

    for claim in (assert_blocked, assert_allowed):
        with pytest.raises(AssertionError, match="refund: flagged"):
            claim(flagged.decision)


def test_a_block_is_not_flagged(firewall):
    """A call that is blocked in the block of code fails the claim that all run."""
    for claim in (assert_flagged, assert_allowed):
        with pytest.raises(AssertionError, match="refund: blocked"), claim():
            firewall.dispatch("refund", TOO_MUCH)


def test_an_allowed_call_is_claimed(firewall):
    """The layer that is named has to have looked."""
    decision = judged(firewall, "refund", RIGHT)

    assert decision is assert_allowed(decision, layer="phantom_target", tool="refund")


def test_a_layer_that_did_not_look_allows_nothing(firewall):
    """Without log-probabilities `confidence_drop` is unavailable, which is not a pass."""
    decision = judged(firewall, "refund", RIGHT)
    with pytest.raises(AssertionError, match="`confidence_drop` could not judge: no log-prob"):
        assert_allowed(decision, layer="confidence_drop")
    with pytest.raises(AssertionError, match="did you mean `phantom_target`"):
        assert_allowed(decision, layer="phantomtarget")


def test_why_a_layer_did_not_look_is_reported_once(firewall):
    """Of many calls of the tool that is meant, the reason is told once; of other tools never."""

    def agent():
        with firewall.session(), assert_allowed(layer="confidence_drop", tool="find_order"):
            for _ in range(3):
                firewall.dispatch("find_order", {"email": "ann@example.com"})

    with pytest.raises(AssertionError) as caught:
        agent()

    assert 1 == str(caught.value).count("`confidence_drop` could not judge: no log-probabilities")


def test_every_call_of_a_block_is_allowed(firewall):
    """One flagged call among allowed ones fails the claim, unless another tool is meant."""

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
def test_what_is_no_decision_is_reported(given):
    """A claim about nothing is an error, not a block of code."""
    with pytest.raises(ShieldError, match="a Decision is expected"):
        assert_blocked(given)


def test_a_claim_that_nobody_entered_warns():
    """A forgotten ``with`` checks nothing; it says so."""
    with pytest.warns(RuntimeWarning, match="`assert_blocked` checked nothing"):
        assert_blocked(layer="phantom_tool")


def test_a_decision_is_there_when_the_block_is_left():
    """Inside the block nothing is decided."""
    with pytest.raises(ShieldError, match="before its block is left"), assert_flagged() as flagged:
        assert flagged.decision


def test_a_proved_policy_passes(firewall):
    """A policy that fits its tools is proved."""
    assert_proved(firewall)

    assert not firewall.prove().errors


def test_a_policy_that_does_not_fit_fails(make_shield):
    """A policy for an unregistered tool is an error of the proof."""
    firewall = make_shield(
        suppress=[], inverses=[], tools=[Tool(name="lend")], modes={"refnud": "audit"}
    )
    with pytest.raises(AssertionError, match="refnud"):
        assert_proved(firewall)
