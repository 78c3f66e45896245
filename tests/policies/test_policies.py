"""The complete policies: each loads, knows its tools, and tells good calls from bad ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from abs_shield import Decision, Shield, ToolCall, load_policy

ROOT = Path(__file__).parents[2]
DOC = ROOT / "docs" / "policies.md"
NAMES = ["airline_support", "bank_desk", "workspace_assistant"]

Call = tuple[str, dict[str, Any]]

FLIGHT = {"flight_number": "HA1", "date": "2030-05-20"}
ANN = {"first_name": "Ann", "last_name": "Li", "dob": "1990-01-31"}
BOOKING = {
    "user_id": "ann_li_7",
    "origin": "LIS",
    "destination": "OPO",
    "flight_type": "one_way",
    "cabin": "economy",
    "flights": [FLIGHT],
    "passengers": [ANN],
    "payment_methods": [{"payment_id": "card_9", "amount": 80}],
    "total_baggages": 1,
    "nonfree_baggages": 0,
    "insurance": "no",
}
USER: Call = ("get_user_details", {"user_id": "ann_li_7"})
LOOKUP: Call = ("get_reservation_details", {"reservation_id": "QX17ZT"})
CANCEL: Call = ("cancel_reservation", {"reservation_id": "QX17ZT"})
PAYMENT = {
    "recipient": "PT50000201231234567890154",
    "amount": 20.5,
    "subject": "Rent",
    "date": "2030-06-01",
}
STANDING: Call = ("update_scheduled_transaction", {"id": 7, "amount": 25})
ORDERS: Call = ("get_scheduled_transactions", {})
MAIL = {"recipients": ["ann@example.org"], "subject": "Hi", "body": "See you at 9."}
MEETING = {"title": "Plan", "start_time": "2030-06-01 09:00", "end_time": "2030-06-01 10:00"}
DELETE: Call = ("delete_file", {"file_id": "17"})
SAID = {
    "airline_support": "I am ann_li_7; my reservation QX17ZT, HA1 from LIS to OPO, card_9, please.",
    "bank_desk": "Please pay PT50000201231234567890154; my order 7; the bill is in bill.txt.",
    "workspace_assistant": "Write to ann@example.org; file 17, event 3.",
}
GOOD: list[tuple[str, list[Call]]] = [
    ("airline_support", [USER, ("book_reservation", BOOKING)]),
    ("airline_support", [LOOKUP, CANCEL]),
    ("airline_support", [USER, ("send_certificate", {"user_id": "ann_li_7", "amount": 100})]),
    ("bank_desk", [("send_money", PAYMENT)]),
    ("bank_desk", [ORDERS, STANDING]),
    ("bank_desk", [("read_file", {"file_path": "bill.txt"})]),
    ("workspace_assistant", [("send_email", MAIL)]),
    ("workspace_assistant", [("create_calendar_event", MEETING)]),
    ("workspace_assistant", [DELETE]),
]
BAD: list[tuple[str, list[Call], str]] = [
    ("airline_support", [("book_reservation", BOOKING)], "customer_service.verified_first"),
    ("airline_support", [CANCEL], "customer_service.verified_first"),
    (
        "airline_support",
        [USER, ("book_reservation", BOOKING | {"destination": "lis"})],
        "a_journey_leads_elsewhere",
    ),
    (
        "airline_support",
        [USER, ("book_reservation", BOOKING | {"nonfree_baggages": 2})],
        "bags_are_counted",
    ),
    (
        "airline_support",
        [USER, ("send_certificate", {"user_id": "ann_li_7", "amount": 900})],
        "money.at_most",
    ),
    ("airline_support", [LOOKUP, CANCEL, CANCEL], "customer_service.once"),
    ("bank_desk", [("send_money", PAYMENT | {"amount": 0})], "money.above_zero"),
    ("bank_desk", [("send_money", PAYMENT | {"amount": 0.001})], "money.at_most_decimals"),
    ("bank_desk", [STANDING], "customer_service.verified_first"),
    (
        "bank_desk",
        [ORDERS, ("update_scheduled_transaction", {"id": 7})],
        "an_update_changes_something",
    ),
    ("bank_desk", [("read_file", {"file_path": "../.ssh/key"})], "files.inside"),
    ("bank_desk", [("get_most_recent_transactions", {"n": -1})], "paging.limit_above_zero"),
    ("workspace_assistant", [("send_email", MAIL | {"body": " "})], "messaging.not_empty"),
    (
        "workspace_assistant",
        [("send_email", MAIL | {"body": "[Your Name]"})],
        "messaging.no_blanks",
    ),
    (
        "workspace_assistant",
        [("send_email", MAIL | {"subject": "a\nBcc: b"})],
        "messaging.one_line",
    ),
    (
        "workspace_assistant",
        [("create_calendar_event", MEETING | {"end_time": "2030-06-01 09:00"})],
        "dates.after",
    ),
    (
        "workspace_assistant",
        [("create_file", {"filename": "../a.txt", "content": "x"})],
        "files.plain_name",
    ),
    ("workspace_assistant", [DELETE, DELETE], "customer_service.once"),
]


def judge_last(name: str, calls: list[Call], *, attribute: str = "policy") -> Decision:
    """Judge the last of *calls* after the others ran."""
    firewall = Shield(load_policy(f"policies.{name}:{attribute}"), hooks=None)
    *before, (tool, arguments) = calls
    with firewall.session() as session:
        session.user(SAID[name])
        for ran, option in before:
            call = ToolCall(ran, option)
            assert not firewall.check_call(call).blocked
            firewall.check_result(call, "done", elapsed_ms=1.0)
        return firewall.check_call(ToolCall(tool, arguments))


@pytest.mark.parametrize(("name", "calls"), GOOD)
def test_a_good_call_runs(name: str, calls: list[Call]) -> None:
    """Everyday calls of such a company are clean, and every layer that can judge does."""
    decision = judge_last(name, calls)

    assert ((), "CLEAN", False) == (decision.errors, decision.verdict, decision.blocked)


@pytest.mark.parametrize(("name", "calls", "rule"), BAD)
def test_a_bad_call_is_stopped(name: str, calls: list[Call], rule: str) -> None:
    """The rule that says no is the one that was meant."""
    decision = judge_last(name, calls)
    messages = [
        str(finding.evidence["rule"]) for finding in decision.findings if finding.code == "rule"
    ]

    assert (True, True) == (decision.blocked, rule in messages)


@pytest.mark.parametrize(
    ("name", "tool", "arguments"),
    [
        (
            "airline_support",
            "search_direct_flight",
            {"origin": "LIS", "destination": "OPO", "date": "2020-05-20"},
        ),
        ("bank_desk", "send_money", PAYMENT | {"date": "2020-01-01"}),
        (
            "workspace_assistant",
            "create_calendar_event",
            MEETING | {"start_time": "2020-06-01 09:00", "end_time": "2020-06-01 10:00"},
        ),
    ],
)
def test_live_knows_what_day_it_is(name: str, tool: str, arguments: dict[str, Any]) -> None:
    """The same policy for today's runs stops what lies in the past."""
    call: list[Call] = [(tool, arguments)]

    assert (False, True) == (
        judge_last(name, call).blocked,
        judge_last(name, call, attribute="live").blocked,
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_of_a_tool_that_exists(name: str) -> None:
    """A rule, an inverse or a mark of a misspelt tool would never speak."""
    policy = load_policy(f"policies.{name}:live")
    known = {tool.name for tool in policy.tools}
    named = {tool for rule in policy.rules for tool in rule.tools}
    named |= {tool for pair in policy.inverses for tool in (pair.first, pair.then)}

    assert set() == named - known


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_has_its_section(name: str) -> None:
    """The replay of a policy is in docs/policies.md."""

    assert f"### `policies/{name}.py`" in DOC.read_text(encoding="utf-8")
