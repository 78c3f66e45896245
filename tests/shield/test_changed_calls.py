"""Calls that the host or a person changed between proposal and dispatch."""

from __future__ import annotations

import pytest

from abs_shield import CallBlocked, Shield, Tool, ToolCall, rule, shield
from abs_shield.core import Outcome, Verdict
from abs_shield.session.session_record import record_of
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.changed_calls import changed_text

PAY = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "amount": {"type": "number"}},
    "required": ["to", "amount"],
    "additionalProperties": False,
}
MEANT = ToolCall("pay", {"to": "tx_1111", "amount": 5}, "c1")


@pytest.fixture
def firewall() -> Shield:
    """Return a Shield with a destructive tool and a rule about it."""

    @rule(tool="pay")
    def cheap(amount=0):
        """No more than 100."""
        return not isinstance(amount, (int, float)) or amount <= 100

    tool = Tool(name="pay", parameters=PAY, destructive=True)
    return Shield(shield.configure(mode="strict", tools=[tool], rules=[cheap]), hooks=None)


def dispatch_changed(firewall: Shield, arguments: object, *, user_text: str = "Pay tx_1111 5."):
    """Propose MEANT, and dispatch it with *arguments*."""
    session = firewall.session("s")
    session.user(user_text)
    firewall.inspect_turn([MEANT], session=session)
    call = ToolCall("pay", arguments, "c1")
    with AdapterSession(firewall).guard(call, session, proposed=MEANT) as guard:
        guard.value = "paid"
    return guard.decision


def test_changed_values_are_evidence(firewall) -> None:
    """An id that the host sets is known from then on, without a new turn."""
    decision = dispatch_changed(firewall, {"to": "tx_5555", "amount": 5})
    session = firewall.session("s")

    assert (Verdict.CLEAN, ("changed_by_host",)) == (decision.verdict, decision.notes)
    assert ("user", 1) == (session.origin("tx_5555").source, session.turns)
    assert [{"to": "tx_5555", "amount": 5}] == [one.arguments for one in session.executed]


def test_one_decision_is_stored_about_the_changed_call(firewall) -> None:
    """The Decision about the proposal is replaced by that about the changed call."""
    decision = dispatch_changed(firewall, {"to": "tx_5555", "amount": 5}, user_text="Pay somebody.")
    kept = [one for one in firewall.store.decisions() if one.subject == "call"]

    assert [decision] == kept


def test_of_two_calls_under_one_id_the_changed_one_is_replaced(firewall) -> None:
    """A model may write an id twice; the other call keeps its own decision."""
    session = firewall.session("s", messages=[{"role": "user", "content": "Pay tx_1111 5 or 6."}])
    other = ToolCall("pay", {"to": "tx_1111", "amount": 6}, "c1")
    first = firewall.check_call(other, session=session)
    firewall.check_call(MEANT, session=session)
    call = ToolCall("pay", {"to": "tx_1111", "amount": 7}, "c1")
    with AdapterSession(firewall).guard(call, session, proposed=MEANT):
        pass
    with firewall.guard(other, session=session) as guard:
        pass

    assert first.id == guard.decision.id
    assert not record_of(session).calls.open_calls


def test_unchanged_values_are_judged_as_the_models(firewall) -> None:
    """If the host changes only the amount, the id must still be mentioned."""
    with pytest.raises(CallBlocked) as blocked:
        dispatch_changed(firewall, {"to": "tx_1111", "amount": 7}, user_text="Pay somebody.")

    assert "tx_1111" in blocked.value.decision.explain()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [({"to": "tx_5555", "amount": "much"}, "wrong_type"), ({"to": "tx_5555", "amount": 500}, "")],
    ids=["schema", "rule"],
)
def test_schema_and_rules_apply_to_changed_calls(firewall, arguments, code) -> None:
    """Wrong types and violated rules are reported for values of the host, too."""
    with pytest.raises(CallBlocked) as blocked:
        dispatch_changed(firewall, arguments)

    assert [code or blocked.value.decision.findings[0].code] == [
        finding.code for finding in blocked.value.decision.findings
    ]


def test_layers_about_the_model_are_unavailable_with_a_reason(firewall) -> None:
    """The log-probabilities belong to other arguments."""
    coverage = dispatch_changed(firewall, {"to": "tx_5555", "amount": 5}).coverage[
        "confidence_drop"
    ]

    assert (Outcome.UNAVAILABLE, "changed by the host") == (coverage.outcome, coverage.reason)


def test_an_equal_id_does_not_make_a_call_the_hosts(firewall) -> None:
    """A second call with an open id is a call of the model."""
    session = firewall.session("s")
    session.user("Pay tx_1111 5.")
    firewall.inspect_turn([MEANT], session=session)

    with pytest.raises(CallBlocked) as blocked:
        firewall.guard(
            ToolCall("pay", {"to": "tx_5555", "amount": 5}, "c1"), session=session
        ).__enter__()

    assert "tx_5555" in blocked.value.decision.explain()


@pytest.mark.parametrize(
    ("wrote", "dispatched"),
    [
        ({"order_id": " tx_99999"}, {"order_id": "tx_99999"}),
        ({"id": "tx_99999"}, {"order_id": "tx_99999"}),
        ({"order_id": "TX_99999"}, {"order_id": "tx_99999"}),
        ('{"order_id": "tx_99999",}', {"order_id": "tx_99999"}),
        ({"order_id": 99999}, {"order_id": "99999"}),
    ],
)
def test_values_that_a_hook_reformats_are_still_the_models(wrote, dispatched):
    """With other blanks, names, types or repaired JSON, the value is still the model's."""
    assert "" == changed_text(dispatched, wrote, raw=wrote)
