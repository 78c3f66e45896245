"""Right answers that a check has to let pass, and wrong ones that differ from them by little."""

from __future__ import annotations

from abs_shield.answer.check import Checked, checked
from abs_shield.session import Session

BANK = (
    [
        {"account": "Checking", "last4": "8810", "balance": 2431.77},
        {"account": "Savings", "last4": "4402", "balance": 10250.0},
    ],
    [
        {"date": "2025-04-25", "text": "GROCERIES", "amount": -60.4},
        {"date": "2025-04-28", "text": "SALARY ACME", "amount": 3120.5},
    ],
)


def after(*results: object, answer: str, question: str = "Please look it up.") -> Checked:
    """Check an answer that ends a run in which these were returned."""
    session = Session()
    session.user(question)
    for number, result in enumerate(results):
        session.tool_result("look_up", result, call_id=f"c{number}")
    return checked(answer, session=session)


def test_amounts_of_two_records_in_one_answer():
    """An account's balance and a payment into it stand in two results."""
    found = after(
        *BANK,
        question="What is my balance, and is my salary in?",
        answer="Your checking account (8810) has €2,431.77. Your salary came in on 28 April:"
        " €3,120.50.",
    )

    assert [] == [one.contradicted for one in found.claims if one.contradicted]
    assert [] == [miss.text for one in found.claims for miss in one.misses if miss.kind == "money"]
    assert "block" != found.report.action


def test_an_amount_with_a_code_behind_it():
    """A sign and a code say one currency."""
    fares = {"fares": [{"class": "basic", "price": "60 EUR"}, {"class": "bag", "price": "35 EUR"}]}
    found = after(fares, answer="The basic fare is €60, and a bag is another €35.")

    assert [] == [miss.text for one in found.claims for miss in one.misses if miss.kind == "money"]


def test_an_amount_that_stands_nowhere_is_contradicted_by_its_record():
    """The record still tells what the evidence has instead."""
    found = after(*BANK, answer="The balance of account 8810 is €2,413.77.")

    assert "2431.77" in found.claims[0].contradicted
    assert "block" == found.report.action
