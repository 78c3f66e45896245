"""Rules about earlier calls: successful calls count, failed and blocked ones do not."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import CallBlocked, Shield, Tool, ToolCall, shield
from abs_shield.policy import Rule
from abs_shield.policy.packs import cloud, customer_service, money


def shield_of(rule: Rule) -> Shield:
    """Return a Shield with the tools of a shop."""
    firewall = Shield(shield.configure(rules=[rule]), hooks=None)

    def verify(customer: str) -> str:
        """Verify a customer."""
        if customer == "eve":
            raise PermissionError
        return "ok"

    def get_order(id: str) -> Any:
        """Look an order up."""
        return {"o1": {"payment": {"total": "80.00"}}, "o2": '{"payment": {"total": 80}}'}.get(id)

    def refund(order: str, amount: float, customer: str = "") -> str:
        """Refund an order."""
        return "done"

    def deploy(environment: str) -> str:
        """Deploy."""
        return "done"

    for tool in (verify, get_order, refund, deploy):
        firewall.register(tool)
    return firewall


def verdicts(rule: Rule, *calls: tuple[str, dict[str, Any]]) -> list[bool]:
    """Return whether each call of one session runs."""
    firewall = shield_of(rule)
    ran = []
    with firewall.session():
        for name, arguments in calls:
            try:
                firewall.dispatch(name, arguments)
                ran.append(True)
            except PermissionError:
                ran.append(True)
            except CallBlocked:
                ran.append(False)
    return ran


def refund(amount: float, order: str = "o1", **more: Any) -> tuple[str, dict[str, Any]]:
    return "refund", {"order": order, "amount": amount, **more}


def test_sums_of_one_session_are_added() -> None:
    """A blocked amount does not count, and a negative one does not lower the total."""
    rule = money.in_all_at_most(100, tool="refund")
    calls = [refund(60), refund(41), refund(-50), refund(41), refund(40), refund(0.01)]

    assert [True, False, True, False, True, False] == verdicts(rule, *calls)


def test_a_failed_check_verifies_nobody() -> None:
    """The tool must have succeeded for the same customer."""
    rule = customer_service.verified_first("verify", tool="refund", same="customer")
    calls = [
        refund(1, customer="ann"),
        ("verify", {"customer": "ann"}),
        ("verify", {"customer": "eve"}),
        refund(1, customer="ann"),
        refund(1, customer="eve"),
    ]

    assert [False, True, True, True, False] == verdicts(rule, *calls)


def test_one_of_several_checks_is_enough() -> None:
    """Any of the checks is enough, and its parameter may have another name."""
    rule = customer_service.verified_first(
        ["verify", "get_order"], tool="refund", same={"order": "id"}
    )

    assert [False, True, True] == verdicts(rule, refund(1), ("get_order", {"id": "o1"}), refund(1))


def test_once_for_each_entity() -> None:
    """Another order is another refund."""
    rule = customer_service.once(tool="refund", same="order")

    assert [True, False, True] == verdicts(rule, refund(1), refund(2), refund(1, order="o2"))


def test_once_in_a_session() -> None:
    """Without an entity, the tool runs once."""

    assert [True, False] == verdicts(
        customer_service.once(tool="refund"), refund(1), refund(2, "o2")
    )


@pytest.mark.parametrize("order", ["o1", "o2"])
def test_no_more_than_was_paid(order: str) -> None:
    """Results are read as objects and as JSON text; earlier refunds count."""
    rule = customer_service.refund_at_most_what_was_paid(
        "get_order", tool="refund", same={"order": "id"}, paid="payment.total"
    )
    calls = [
        ("get_order", {"id": order}),
        refund(81, order),
        refund(50, order),
        refund(31, order),
        refund(30, order),
        refund(900, "o3"),
    ]

    assert [True, False, True, False, True, True] == verdicts(rule, *calls)


def test_production_after_approval() -> None:
    """Production needs a successful approval; other environments do not."""
    rule = cloud.not_production_without("get_order", tool="deploy")
    prod = ("deploy", {"environment": "prod"})
    calls = [("deploy", {"environment": "test"}), prod, ("get_order", {"id": "o1"}), prod]

    assert [True, False, True, True] == verdicts(rule, *calls)


@pytest.mark.parametrize(
    ("answer", "blocked"),
    [
        ({"status": "denied"}, True),
        ('{"approved": false, "error": "nobody is on call"}', True),
        ("Denied: it is Friday.", True),
        ({"status": "approved", "error": None}, False),
        ("Approved.", False),
        (None, False),
    ],
)
def test_a_refused_approval_does_not_count(answer: Any, blocked: bool) -> None:
    """The tool did not raise, but its result states a refusal."""
    rule = cloud.not_production_without("request_approval", tool="deploy")
    tools = [Tool(name="request_approval"), Tool(name="deploy")]
    firewall = Shield(shield.configure(tools=tools, rules=[rule]), hooks=None)
    with firewall.session():
        with firewall.guard(ToolCall("request_approval", {})) as guard:
            guard.value = answer
        decision = firewall.check_call(ToolCall("deploy", {"environment": "prod"}))

    assert blocked is decision.blocked


def test_a_parameter_may_be_called_as_the_session() -> None:
    """A parameter named `session` is an argument, not the session."""
    rule = customer_service.once(tool="open", same="session")
    firewall = Shield(shield.configure(rules=[rule]), hooks=None)

    def open(session: str) -> str:
        """Open."""
        return "done"

    firewall.register(open)
    with firewall.session():
        firewall.dispatch("open", {"session": "s1"})
        firewall.dispatch("open", {"session": "s2"})
        with pytest.raises(CallBlocked, match="once for each `session`"):
            firewall.dispatch("open", {"session": "s1"})


NUMBERED = {
    "type": "object",
    "properties": {"order": {"type": "integer"}, "dry_run": {"type": "boolean"}},
}


@pytest.mark.parametrize(
    ("rule", "calls", "expected"),
    [
        (
            customer_service.once(tool="refund", same="order"),
            [("refund", {"order": order}) for order in ("7", 7, "7", 8)],
            [True, False, False, True],
        ),
        (
            customer_service.verified_first("verify", tool="refund", same="order"),
            [("verify", {"order": "7"}), ("refund", {"order": 7}), ("refund", {"order": 8})],
            [True, True, False],
        ),
        (
            cloud.dry_run_first(tool="refund"),
            [
                ("refund", {"order": order, "dry_run": dry_run})
                for order, dry_run in [("7", "true"), (7, False), (8, False)]
            ],
            [True, True, False],
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_number_written_as_text_is_the_number(rule: Rule, calls: Any, expected: Any) -> None:
    """The tool receives 7 for "7", so both name the same order."""
    tools = [Tool(name=name, parameters=NUMBERED) for name in ("refund", "verify")]
    firewall = Shield(shield.configure(tools=tools, rules=[rule]), hooks=None)
    ran = []
    with firewall.session():
        for name, arguments in calls:
            try:
                with firewall.guard(ToolCall(name, arguments)):
                    ran.append(True)
            except CallBlocked:
                ran.append(False)

    assert expected == ran


FAILURES = [
    {"error": "card declined"},
    {"success": False, "message": "card declined"},
    {"isError": True, "content": [{"type": "text", "text": "declined"}]},
    {"error": {"code": "declined"}, "status": "failed", "refund": None, "amount": 0},
    {"statusCode": 402, "message": "declined"},
    '{"error": "card declined"}',
]
SUCCESSES = [
    {"refunded": 50, "errors": ["the receipt was not sent"]},
    {"success": True, "error": "the receipt was not sent"},
    {"error": "the receipt was not sent", "status": "refunded"},
    {"error": "the receipt was not sent", "result": "refunded"},
    {"status": "failed"},
    {"customer": "Error"},
    {"error": ""},
    "Error: the receipt was not sent",
    None,
]
LIMITS = [
    customer_service.once(tool="pay", same="order"),
    money.in_all_at_most(60, tool="pay"),
]


def ran_twice(rule: Rule, first: Any, **more: Any) -> bool:
    """Return whether a second equal call runs after the first one returned *first*."""
    firewall = Shield(shield.configure(rules=[rule], verification=False), hooks=None)
    results = [first, "done"]

    def pay(order: str, amount: float, error: str = "") -> Any:
        """Pay an order."""
        return results.pop(0)

    firewall.register(pay)
    with firewall.session():
        firewall.dispatch("pay", {"order": "o1", "amount": 50, **more})
        try:
            firewall.dispatch("pay", {"order": "o1", "amount": 50, **more})
        except CallBlocked:
            return False
    return True


@pytest.mark.parametrize("result", FAILURES, ids=str)
@pytest.mark.parametrize("rule", LIMITS, ids=lambda rule: rule.name)
def test_a_call_whose_result_is_an_error_uses_no_limit(rule: Rule, result: Any) -> None:
    """A declined refund may be tried again."""
    assert ran_twice(rule, result)


@pytest.mark.parametrize("result", SUCCESSES, ids=str)
@pytest.mark.parametrize("rule", LIMITS, ids=lambda rule: rule.name)
def test_a_result_that_may_be_a_success_counts(rule: Rule, result: Any) -> None:
    """An error beside data, a state, and a text do not show that nothing was paid."""
    assert not ran_twice(rule, result)


@pytest.mark.parametrize("rule", LIMITS, ids=lambda rule: rule.name)
def test_an_error_that_repeats_an_argument_counts(rule: Rule) -> None:
    """The model wrote it, so that it proves nothing about the call."""
    assert not ran_twice(rule, {"error": "E-7"}, error="E-7")


def test_a_check_that_returned_an_error_verifies_nobody() -> None:
    """The look-up found no such customer."""
    rule = customer_service.verified_first("find", tool="pay", same="customer")
    for result, runs in (({"error": "not found"}, False), ({"status": "failed"}, True)):
        firewall = Shield(shield.configure(rules=[rule], verification=False), hooks=None)
        firewall.register(Tool(name="find"))
        firewall.register(Tool(name="pay"))
        with firewall.session() as session:
            with firewall.guard(ToolCall("find", {"customer": "c1"})) as guard:
                guard.value = result
            call = ToolCall("pay", {"customer": "c1"})
            decision = firewall.check_call(call, session=session)

        assert runs is not decision.blocked


def test_true_is_not_one() -> None:
    """JSON tells them apart, and so does the tool."""
    rule = customer_service.once(tool="pay", same="order")
    firewall = Shield(shield.configure(rules=[rule]), hooks=None)
    firewall.register(Tool(name="pay"))
    with firewall.session():
        for order in (True, 1, [0], [False]):
            with firewall.guard(ToolCall("pay", {"order": order})) as guard:
                guard.value = "done"

            assert () == guard.decision.findings
