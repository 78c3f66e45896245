"""Findings of real checks become catches: the claim, and the right answer if it is known."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, shield, shielded
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.harvest import harvest
from abs_shield.stores import MemoryStore
from tests.flywheel.conftest import catches

ORDER = {"type": "object", "properties": {"order_id": {"type": "string"}}}


def of_answer(tmp_path, **settings) -> list[Catch]:
    """Return the catches of an answer with a wrong price and an action that never ran."""
    log, book = MemoryStore(), tmp_path / "flywheel.db"
    firewall = Shield(shield.configure(mode="audit"), store=log, hooks=None, **settings)

    @shielded(firewall)
    def find_booking(code: str) -> str:
        """Find a booking."""
        return f"Booking {code} costs 420.00 EUR."

    with firewall.session() as session:
        session.user("What does my booking ABC123 cost?")
        find_booking("ABC123")
        firewall.check_answer("Booking ABC123 costs 380.00 EUR. I have cancelled it.")
    harvest(log, book)
    return sorted(catches(book), key=lambda one: one.where)


def test_a_wrong_value_of_an_answer_has_the_right_one(tmp_path):
    """The right value is that of the evidence, never the model's."""
    price, action = of_answer(tmp_path)

    assert ("answer", "Contradicted claim") == (price.subject, price.detected_error)
    assert ("380.00 EUR", "420.00 EUR") == (price.claim, price.verified_value)
    assert ("I have cancelled", "") == (action.claim, action.verified_value)


def test_a_claim_is_quoted_if_runs_are_recorded(tmp_path):
    """The log stores the words of a claim only if runs are recorded."""
    price, action = of_answer(tmp_path, record=tmp_path / "runs.jsonl")

    assert "Booking ABC123 costs 380.00 EUR." == price.claim == price.about
    assert "I have cancelled it." == action.claim


@pytest.mark.parametrize(
    ("call", "fields"),
    [
        (
            {"name": "get_ordr", "arguments": {"order_id": "W1"}},
            ("get_ordr", "get_order", "Unknown tool", "get_ordr"),
        ),
        (
            {"name": "get_order", "arguments": {"order_id": 7}},
            ("7", "", "Wrong type", "get_order order_id"),
        ),
        (
            {"name": "get_order", "arguments": {"order": "W1"}},
            ("order", "order_id", "Unknown argument", "get_order order"),
        ),
        (
            {"name": "get_order", "arguments": {"order_id": "W12354"}},
            ('"W12354"', "W12345", "Value never mentioned", "get_order order_id"),
        ),
    ],
    ids=["tool", "type", "argument", "target"],
)
def test_a_call_has_its_fault(tmp_path, call, fields):
    """The offending value, the nearest one as a guess, the kind of fault, and what it is about."""
    log, book = MemoryStore(), tmp_path / "flywheel.db"
    tool = Tool(name="get_order", parameters=ORDER)
    firewall = Shield(shield.configure(mode="audit", tools=[tool]), store=log, hooks=None)
    with firewall.session() as session:
        session.user("Where is my order W12345? And W1? And 7?")
        firewall.check_call(call)
    harvest(log, book)

    catch, *_ = catches(book)
    assert fields == (catch.claim, catch.suggested_value, catch.detected_error, catch.about)
    assert "" == catch.verified_value


def test_a_guess_is_not_verified(tmp_path):
    """The only tool there is may not be the one that was meant, nor the id that is spelt alike."""
    log, book = MemoryStore(), tmp_path / "flywheel.db"
    tool = Tool(name="ticket", parameters=ORDER)
    firewall = Shield(shield.configure(mode="audit", tools=[tool]), store=log, hooks=None)
    with firewall.session() as session:
        session.user("Refund order ORD-4411. Not order ORD-4412.")
        for name, order in (("issue_refund", "ORD-4411"), ("ticket", "ORD-4413")):
            firewall.check_call({"name": name, "arguments": {"order_id": order}})
    harvest(log, book)

    assert {""} == {one.verified_value for one in catches(book)}
    assert {"ticket", "ORD-4412"} <= {one.suggested_value for one in catches(book)}
