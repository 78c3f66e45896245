"""Parameters for numbers, codes, keys, references and ids of any noun are judged."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import pytest

from abs_shield import Shield, Tool, ToolCall, shield
from tests.rows import each_row

TEXT = {"type": "string"}
NOUNS = (
    "account action agreement appointment asset assignment batch bill booking box branch building "
    "bundle bus cabin campaign car card cart case catalog certificate charge check claim class "
    "client container contract course coupon_book credit customer delivery department deposit "
    "device document domain donation driver employee engine entry equipment event exam facility "
    "file flight folder gate gift guest house_bill incident inspection insurance inventory invoice "
    "item job journal label lead lease ledger letter license loan locker lot machine matter "
    "member membership merchant meter model module notice offer operation order package parcel "
    "part passenger patient payment pension permit plan platform policy position_paper "
    "prescription product project property provider purchase receipt record referral refund "
    "region registration request reservation resource return room route sample schedule seat "
    "serial shelf shipment site slot sponsor station student subscription supplier table tag "
    "task template tenant terminal ticket tier token_sale track trade train transaction transfer "
    "trip unit vehicle vendor version visit voucher warehouse warrant zone"
).split()
SUFFIXES = "number no num code key ref reference id".split()
STANDARD = {"region_code"}
"""Codes that the world knows: ``us-east-1``."""


def styles(name: str) -> list[str]:
    first, *rest = name.split("_")
    camel = first + "".join(map(str.capitalize, rest))
    return [name, camel, name.replace("_", "-"), name.upper()]


@lru_cache(maxsize=1)  # a test judges the same parameters with and without a mention
def firewall_of(names: tuple[str, ...], tool: str) -> Shield:
    """Return a Shield of one tool with these parameters."""
    schema = {"type": "object", "properties": {name: {} for name in names}}
    declared = Tool(name=tool, parameters=schema, read_only=tool == "look_up")
    return Shield(shield.configure(tools=[declared], layers=["phantom_target"]), hooks=None)


def flagged_parameters(
    names: list[str],
    value: object,
    *,
    user_text: str = "Look it up, please.",
    tool: str = "look_up",
) -> set[str]:
    """Return the parameters of one call that have findings if each holds *value*."""
    guard = firewall_of(tuple(names), tool)
    with guard.session() as session:
        session.user(user_text)
        findings = guard.check_call(ToolCall(tool, dict.fromkeys(names, value))).findings
    return {finding.where.removeprefix("/arguments/") for finding in findings}


@each_row(("noun", "value"), product(NOUNS, ["QX-48213", "48213"]), size=20)
def test_identifier_of_any_noun_must_be_mentioned(noun, value):
    """An identifier of any noun is reported in every naming style unless the user mentions it."""
    plain = [name for suffix in SUFFIXES if (name := f"{noun}_{suffix}") not in STANDARD]
    names = [styled for name in plain for styled in styles(name)]

    assert set(names) == flagged_parameters(names, value)
    assert set() == flagged_parameters(names, value, user_text=f"Look up {value}, please.")


MARKS = {"request_id", "request_key"}
"""What tells a call from its repetition."""


@each_row(("noun", "tool"), product(NOUNS, ["approve", "cancel", "update_details"]), size=20)
def test_identifier_of_a_writing_tool_must_be_mentioned(noun, tool):
    """An identifier of a tool that writes is reported, except the id of the request itself."""
    plain = {f"{noun}_{suffix}" for suffix in SUFFIXES} - STANDARD - MARKS
    names = [styled for name in sorted(plain) for styled in styles(name)]

    assert set(names) == flagged_parameters(names, "QX-48213", tool=tool)
    assert set() == flagged_parameters(names, "QX-48213", user_text="It is QX-48213.", tool=tool)


REQUESTS = [
    "cancel_request",
    "approve_leave_request",
    "update_service_request",
    "delete_request",
    "PATCH /requests/{id}",
    "assign_agent_to_request",
]


@pytest.mark.parametrize("tool", REQUESTS)
def test_id_of_an_existing_request_must_be_mentioned(tool):
    """The id or number of a request that a tool acts on is reported."""
    names = [styled for suffix in SUFFIXES for styled in styles(f"request_{suffix}")]

    assert set(names) == flagged_parameters(names, "QX-48213", tool=tool)


@pytest.mark.parametrize(
    "tool", ["create_order", "update_order", "refund", "request_refund", "request_quote"]
)
def test_idempotency_key_may_be_chosen(tool):
    """The caller may choose the request id or idempotency key of a call."""
    names = [
        *styles("request_id"),
        *styles("request_uuid"),
        *styles("request_token"),
        *styles("request_key"),
        "X-Request-ID",
        "client_request_id",
        "idempotency_key",
    ]

    assert set() == flagged_parameters(names, "QX-48213", tool=tool)
    assert {"pull_request_id"} == flagged_parameters(["pull_request_id"], "QX-48213", tool=tool)


def test_table_has_many_nouns():
    """The table has enough nouns that one exception among them does not hide a fault."""
    assert len(set(NOUNS)) >= 130


ORDINALS = (
    "page_number line_no row_number step_number index_number day_number week_no month_num "
    "year_number floor_number house_number max_number port_number quantity_number "
    "country_code currency_code language_code status_code region_code category_code "
    "sort_key cache_key metric_key parameter_key type_id status_id level_id"
).split()
COUNTS = (
    "number_of_tickets numberOfTickets no_of_rooms num_guests numTickets num_orders nb_items "
    "count_of_invoices NUMBER_OF_POLICIES number-of-flights ticket_count"
).split()


@pytest.mark.parametrize("value", ["QX-48213", "48213", 48213, "7", 7])
def test_ordinals_counts_and_standard_codes_pass(value):
    """Page numbers, counts and standard codes need no mention."""
    assert set() == flagged_parameters([name for name in ORDINALS + COUNTS], value)


SMALL = [
    ("room_number", 2),
    ("room_no", "12"),
    ("guest_number", "2"),
    ("item_number", 3),
    ("unit_number", "5"),
    ("version_number", "2.1.0"),
    ("version_number", 2026),
    ("model_number", "v3"),
    ("zone_code", "north"),
    ("plan_code", "GOLD"),
    ("event_key", "user.login"),
    ("unit_id", "kg"),
    ("class_code", "Y"),
]


@pytest.mark.parametrize(("name", "value"), SMALL)
def test_small_numbers_and_plain_words_pass(name, value):
    """Small numbers and words without digits need no mention."""
    assert set() == flagged_parameters([name], value)


def test_id_nested_under_a_noun_is_judged():
    """The id inside an `order` object is judged, although `order` alone is not."""
    schema = {"type": "object", "properties": {"order": {}, "event": {}, "status": {}}}
    guard = Shield(
        shield.configure(tools=[Tool(name="refund", parameters=schema)], layers=["phantom_target"]),
        hooks=None,
    )
    with guard.session() as session:
        session.user("Please refund it.")
        arguments = {
            "order": {"id": "731"},
            "event": {"id": "e-9", "name": "Login"},
            "status": {"id": 3, "name": "Open"},
        }
        findings = guard.check_call(ToolCall("refund", arguments)).findings

    assert ["/arguments/order/id", "/arguments/event/id"] == [f.where for f in findings]


@pytest.mark.parametrize(
    "user_text",
    [
        "请帮我查询订单的状态,谢谢。",
        "Пожалуйста, проверьте мой заказ.",
        "注文の状況を教えてください。",
        "أين طلبي من فضلك؟",
        "Wo ist meine Bestellung?",
    ],
)
def test_identifiers_are_judged_in_any_language(user_text):
    """Identifiers are judged in runs of every script, and mentioned ones pass."""
    names = ["orderIdentifier", "user_identifier", "policyNumber", "eventCode", "UNIT-ID"]

    assert set(names) == flagged_parameters(names, "1231567890", user_text=user_text)
    for name in names:
        assert set() == flagged_parameters(
            [name], "1231567890", user_text=f"{user_text} 1231567890。"
        )
