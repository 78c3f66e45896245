"""An amount that an answer says was paid is that of the calls that paid it."""

from __future__ import annotations

import json

import pytest

from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.answer.evidence.evidence_passages import Evidence, ExecutedAction
from abs_shield.session import Session

SHARE = [("send_money", {"recipient": "Robin", "amount": 4.0})]
TWICE = [*SHARE, ("send_money", {"recipient": "Kim", "amount": 5.0})]
CENTS = [("create_refund", {"order": "O-71", "amount": 400})]
BLANK = [("refund_order", {"order": "O-71"})]


def _missing(answer: str, calls: list[tuple[str, dict[str, object]]]) -> list[str]:
    session = Session()
    session.user("Dinner was $12.00 for both of us and Robin sent me $10.00. Send back the rest.")
    answer = f"Dinner was $12.00, of which your half is $6.00. Robin sent $10.00. {answer}"
    for n, (tool, arguments) in enumerate(calls):
        tool_calls = {"id": f"c{n}", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        session.add([{"role": "assistant", "tool_calls": [tool_calls]}])
        session.add([{"role": "tool", "tool_call_id": f"c{n}", "content": "ok"}])
    scored = hard(claims_of(answer), evidence_of(session), answer=answer)
    return [miss.text for one in scored for miss in getattr(one, "missing", ())]


@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        ("I have sent $4.00 back to Robin.", SHARE),
        ("I refunded $4.00.", CENTS),
        ("I have sent back the difference between $10.00 and $6.00.", SHARE),
        ("I have refunded the difference of $2.00.", BLANK),
        ("I have sent the rest; each of you owes $6.00.", SHARE),
        ("I paid the deposit, leaving a balance of $6.00.", SHARE),
        ("I have transferred it, $2.00 more than last time.", SHARE),
        ("I charged $6.00.", [("book_seat", {"price": 3.0, "quantity": 2})]),
        ("I've sent Ann and Tom $6.00.", [("send_money", {"to": ["Ann", "Tom"], "amount": 12.0})]),
        ("I have sent $6.00.", TWICE),
    ],
)
def test_paid_amount_of_a_call_passes(answer, calls):
    """An amount passes if it is that of the call or if the sentence is about another payment."""

    assert "$4.00" not in (missed := _missing(answer, calls))
    assert missed == [] or "Ann" in answer


@pytest.mark.parametrize(
    ("sentence", "missed"),
    [
        ("I have sent $10.00.", ["$10.00"]),
        ("The refund of $10.00 has been successfully processed.", ["$10.00"]),
        ("I have sent you $10.00.", ["$10.00"]),
        ("I have sent $4.00.", []),
        ("I have paid for the taxi of $10.00.", []),
        ("I have sent Robin money for the $10.00 taxi.", []),
    ],
)
def test_paid_amount_of_another_record_is_missing(sentence, missed):
    """An amount after the verb is missing if only something else has it; a price is not."""
    session = Session()
    for tool, arguments, result in (("get_ride", {}, '{"taxi": 10.0}'), (*SHARE[0], "ok")):
        call = {"id": tool, "function": {"name": tool, "arguments": json.dumps(arguments)}}
        session.add([{"role": "assistant", "tool_calls": [call]}])
        session.add([{"role": "tool", "tool_call_id": tool, "content": result}])
    scored = hard(claims_of(sentence), evidence_of(session), answer=sentence)

    assert missed == [miss.text for one in scored for miss in getattr(one, "missing", ())]


@pytest.mark.parametrize(
    ("answer", "calls", "missed"),
    [
        ("I have sent $2.00 back to Robin as a refund.", SHARE, ["$2.00"]),
        ("The refund of $2.00 has been sent.", SHARE, ["$2.00"]),
        ("I refunded $6.00 to Robin.", CENTS, ["$6.00"]),
    ],
)
def test_amount_that_no_call_paid_is_missing(answer, calls, missed):
    """An amount that no call paid is missing, even if it follows from other figures."""

    assert missed == _missing(answer, calls)


@pytest.mark.parametrize(
    "amount",
    [float("nan"), float("inf"), 10**6_000, 1e300, True, -4],
    ids=["nan", "infinity", "6,000 digits", "1e300", "true", "negative"],
)
def test_invalid_amount_raises_nothing(amount):
    """A call with an invalid amount is not compared and raises nothing."""
    calls = [("send_money", {"recipient": "Robin", "amount": amount})]
    evidence = Evidence((), executed=(ExecutedAction("send_money", calls[0][1], reads=False),))
    answer = "I have sent $4.00 back to Robin."

    assert hard(claims_of(answer), evidence, answer=answer)


def test_float_is_not_read_as_cents():
    """An amount of 400.0 is not read as 400 cents."""
    calls = [("send_money", {"recipient": "Robin", "amount": 400.0})]

    assert ["$4.00"] == _missing("I have sent $4.00 back to Robin.", calls)
