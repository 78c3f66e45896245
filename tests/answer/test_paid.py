"""An amount that an answer says was paid is that of the calls that paid it."""

from __future__ import annotations

import json

import pytest

from abs_shield.answer.checks.hard import hard
from abs_shield.answer.evidence.collect import evidence_of
from abs_shield.answer.extraction.claims import claims_of
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
        made = {"id": f"c{n}", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        session.add([{"role": "assistant", "tool_calls": [made]}])
        session.add([{"role": "tool", "tool_call_id": f"c{n}", "content": "ok"}])
    scored = hard(claims_of(answer), evidence_of(session), answer=answer)
    return [miss.text for one in scored for miss in getattr(one, "missing", ())]


@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        ("I have sent $4.00 back to Robin.", SHARE),
        ("A total of $9.00 was sent.", TWICE),
        ("I refunded $4.00 of the dinner.", CENTS),
        ("I have sent back the difference between $10.00 and $6.00.", SHARE),
        ("I have refunded the difference of $2.00.", BLANK),
        ("I have sent the rest; each of you owes $6.00.", SHARE),
    ],
)
def test_what_was_paid(answer, calls):
    """An amount of a call or what they add up to; beside other amounts nothing is compared."""

    assert [] == _missing(answer, calls)


@pytest.mark.parametrize(
    ("answer", "calls", "missed"),
    [
        ("I have sent the remaining $2.00 to Robin.", SHARE, ["$2.00"]),
        ("The refund of $2.00 has been sent.", SHARE, ["$2.00"]),
        ("I refunded half of the dinner, $6.00.", CENTS, ["$6.00"]),
        ("A total of $8.00 was sent.", TWICE, ["$8.00"]),
    ],
)
def test_what_was_not(answer, calls, missed):
    """However it follows from what the user said."""

    assert missed == _missing(answer, calls)
