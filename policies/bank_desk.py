"""The policy of a bank customer's assistant: it pays bills, and keeps standing orders."""

from __future__ import annotations

from abs_shield import Policy, Target, Tool, rule, shield
from abs_shield.policy.packs import customer_service, dates, files, messaging, money, paging
from policies.shapes import NUMBER, SWITCH, TEXT, WHOLE, or_null, takes

IBAN = {
    "type": "string",
    "description": "IBAN of the recipient",
    "pattern": "^[A-Z]{2}[0-9]{2}[A-Z0-9 ]{11,36}$",
}
PAYMENT = {"recipient": IBAN, "amount": NUMBER, "subject": TEXT, "date": TEXT}
PERSON = {name: or_null(TEXT) for name in ("first_name", "last_name", "street", "city")}
PAYING = ["send_money", "schedule_transaction"]
MOVING = [*PAYING, "update_scheduled_transaction"]

TOOLS = [
    Tool(name="get_iban", parameters=takes({}), read_only=True),
    Tool(name="get_balance", parameters=takes({}), read_only=True),
    Tool(name="get_user_info", parameters=takes({}), read_only=True),
    Tool(name="get_scheduled_transactions", parameters=takes({}), read_only=True),
    Tool(name="get_most_recent_transactions", parameters=takes({}, {"n": WHOLE}), read_only=True),
    Tool(
        name="read_file",
        parameters=takes({"file_path": TEXT}),
        targets={"file_path": Target()},
        read_only=True,
        open_world=True,
    ),
    Tool(
        name="send_money",
        parameters=takes(PAYMENT),
        targets={"recipient": Target()},
        free=("subject",),
        destructive=True,
    ),
    Tool(
        name="schedule_transaction",
        parameters=takes({**PAYMENT, "recurring": SWITCH}),
        targets={"recipient": Target()},
        free=("subject",),
    ),
    Tool(
        name="update_scheduled_transaction",
        parameters=takes(
            {"id": WHOLE},
            {
                "recipient": or_null(IBAN),
                "amount": or_null(NUMBER),
                "subject": or_null(TEXT),
                "date": or_null(TEXT),
                "recurring": or_null(SWITCH),
            },
        ),
        targets={"id": Target(), "recipient": Target()},
        free=("subject",),
    ),
    Tool(
        name="update_password",
        parameters=takes({"password": TEXT}),
        free=("password",),
        destructive=True,
    ),
    Tool(
        name="update_user_info",
        parameters=takes({}, PERSON),
        soft=("first_name", "last_name", "street", "city"),
    ),
]


@rule(tool="update_password")
def a_password_is_not_short(password: str) -> bool:
    """A password has at least 8 characters."""
    return len(password) >= 8


@rule(tool="update_scheduled_transaction")
def an_update_changes_something(id: int, **changes: object) -> bool:
    """An update of a standing order changes something."""
    return any(value is not None for value in changes.values())


RULES = [
    a_password_is_not_short,
    an_update_changes_something,
    money.above_zero(tool=MOVING, what="A payment"),
    money.at_most(10_000, tool=MOVING, what="A payment"),
    money.at_most_decimals(2, tool=MOVING, what="A payment"),
    money.in_all_at_most(20_000, tool=PAYING, what="What is paid"),
    messaging.one_line(tool=MOVING, parameter="subject"),
    messaging.not_empty(tool=PAYING, parameter="subject"),
    files.inside("/srv/customer/inbox", tool="read_file", parameter="file_path"),
    files.no_hidden(tool="read_file", parameter="file_path"),
    paging.limit_above_zero(tool="get_most_recent_transactions", parameter="n"),
    paging.limit_at_most(1_000, tool="get_most_recent_transactions", parameter="n"),
    customer_service.verified_first(
        "get_scheduled_transactions", tool="update_scheduled_transaction"
    ),
]

policy: Policy = shield.configure(tools=TOOLS, rules=RULES)
"""Holds whatever day it is, so that runs of another day can be judged again."""

live: Policy = shield.configure(
    tools=TOOLS,
    rules=[*RULES, dates.not_in_the_past(tool=MOVING), dates.ahead_at_most(365, tool=MOVING)],
)
"""The policy for today's runs: no payment is dated yesterday, or in years."""
