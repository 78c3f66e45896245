"""A call that the host, or a person, changed between proposal and dispatch."""

from __future__ import annotations

import pytest

from abs_shield import CallBlocked, Shield, Tool, ToolCall, rule, shield
from abs_shield.core import Outcome, Verdict
from abs_shield.session.session_record import record_of
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.overrides import changed_text

PAY = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "amount": {"type": "number"}},
    "required": ["to", "amount"],
    "additionalProperties": False,
}
MEANT = ToolCall("pay", {"to": "tx_1111", "amount": 5}, "c1")


@pytest.fixture
def firewall() -> Shield:
    """Knows one destructive tool, and a rule about it."""

    @rule(tool="pay")
    def cheap(amount=0):
        """No more than 100."""
        return not isinstance(amount, (int, float)) or amount <= 100

    tool = Tool(name="pay", parameters=PAY, destructive=True)
    return Shield(shield.configure(mode="strict", tools=[tool], rules=[cheap]), hooks=None)


def changed(firewall: Shield, arguments: object, *, user_text: str = "Pay tx_1111 5."):
    """Propose MEANT, and dispatch it with *arguments*."""
    session = firewall.session("s")
    session.user(user_text)
    firewall.inspect_turn([MEANT], session=session)
    call = ToolCall("pay", arguments, "c1")
    with AdapterSession(firewall).guard(call, session, proposed=MEANT) as guard:
        guard.value = "paid"
    return guard.decision


def test_what_differs_vouches(firewall) -> None:
    """An unmentioned id from the host is known from then on; no turn begins."""
    decision = changed(firewall, {"to": "tx_5555", "amount": 5})
    session = firewall.session("s")

    assert (Verdict.CLEAN, ("changed_by_host",)) == (decision.verdict, decision.notes)
    assert ("user", 1) == (session.origin("tx_5555").source, session.turns)
    assert [{"to": "tx_5555", "amount": 5}] == [one.arguments for one in session.executed]


def test_one_decision_is_kept_and_it_is_about_what_ran(firewall) -> None:
    """The proposal's Decision becomes that of the call as the host changed it."""
    decision = changed(firewall, {"to": "tx_5555", "amount": 5}, user_text="Pay somebody.")
    kept = [one for one in firewall.store.decisions() if one.subject == "call"]

    assert [decision] == kept


def test_of_two_calls_under_one_id_the_changed_one_is_replaced(firewall) -> None:
    """A model may write an id twice: the other call still runs under its own decision."""
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


def test_what_does_not_differ_is_the_models(firewall) -> None:
    """The host changed the amount alone: the id has to be mentioned as ever."""
    with pytest.raises(CallBlocked) as blocked:
        changed(firewall, {"to": "tx_1111", "amount": 7}, user_text="Pay somebody.")

    assert "tx_1111" in blocked.value.decision.explain()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [({"to": "tx_5555", "amount": "much"}, "wrong_type"), ({"to": "tx_5555", "amount": 500}, "")],
    ids=["schema", "rule"],
)
def test_schema_and_rules_hold_for_the_host(firewall, arguments, code) -> None:
    """Whoever wrote it, a wrong type is one, and so is what a rule forbids."""
    with pytest.raises(CallBlocked) as blocked:
        changed(firewall, arguments)

    assert [code or blocked.value.decision.findings[0].code] == [
        finding.code for finding in blocked.value.decision.findings
    ]


def test_layers_about_the_model_say_why_they_did_not_look(firewall) -> None:
    """The log-probabilities belong to other arguments."""
    coverage = changed(firewall, {"to": "tx_5555", "amount": 5}).coverage["confidence_drop"]

    assert (Outcome.UNAVAILABLE, "changed by the host") == (coverage.outcome, coverage.reason)


def test_the_id_alone_makes_no_call_the_hosts(firewall) -> None:
    """A second call under an id that is open is the model's, whatever it says."""
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
def test_what_a_hook_tidies_up_is_still_the_models(wrote, dispatched):
    """Blanks, another name, another type, JSON put right: the host did not write the value."""
    assert "" == changed_text(dispatched, wrote, raw=wrote)
