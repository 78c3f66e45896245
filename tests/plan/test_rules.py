"""A rule is bound to a tool once: the arguments that it needs and takes, and copies of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from abs_shield import PolicyError, Session, Tool, ToolCall, rule
from abs_shield.plan import RulePlan, compile_tool
from abs_shield.policy import configure

SCHEMA = {
    "type": "object",
    "properties": {"amount": {"type": "number"}, "currency": {"type": "string"}},
}


def bind(function: Callable[..., Any], *, tool: Any = "pay", schema: Any = SCHEMA) -> RulePlan:
    policy = configure(rules=[rule(tool=tool)(function)])
    (plan,) = compile_tool(Tool(name="pay", parameters=schema), policy).rules
    return plan


def needs_amount(amount: float, currency: str = "EUR") -> bool:
    """An amount is positive."""
    return amount > 0


def misspelt(amuont: float) -> bool:
    """An amount is positive."""
    return amuont > 0


def misspelt_option(amount: float, curency: str = "EUR") -> bool:
    """An amount is positive."""
    return amount > 0


def with_context(amount: float, session: Any, call: ToolCall) -> str:
    """It says who asked."""
    return f"{call.name} {call.arguments} {session.id}"


def taking_all(**arguments: Any) -> str:
    """It says what it got."""
    return str(sorted(arguments))


def meddling(items: Any, call: ToolCall) -> bool:
    """It changes what it is given."""
    items[0]["n"] = 99
    call.arguments["items"].append(1)
    return True


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [({"amount": 1}, True), ({"amount": 1, "currency": "x"}, True), ({"currency": "x"}, False)],
)
def test_a_rule_runs_where_its_needs_are_met(arguments: dict[str, Any], expected: bool) -> None:
    """An argument is optional if the rule has a default for it."""

    assert expected == bind(needs_amount).runs_on(arguments)


@pytest.mark.parametrize(
    ("function", "message"),
    [(misspelt, "did you mean `amount`?"), (misspelt_option, "did you mean `currency`?")],
)
def test_an_unknown_parameter_raises(function: Callable[..., Any], message: str) -> None:
    """A rule with a parameter that its tool does not have raises with file and line."""
    with pytest.raises(PolicyError) as caught:
        bind(function)

    assert (
        message in str(caught.value),
        f"{__file__}:" in str(caught.value),
        "\n" in str(caught.value),
    ) == (True, True, False)


def test_an_option_may_belong_to_another_of_its_tools() -> None:
    """A rule for several tools may take optional parameters that only some of them have."""

    assert bind(misspelt_option, tool=["pay", "send"]).needs == {"amount"}


@pytest.mark.parametrize(("tool", "schema"), [("*", SCHEMA), ("pay", None), ("pay", True)])
def test_a_tool_with_unknown_parameters(tool: str, schema: Any) -> None:
    """A rule for every tool, or for a tool without a schema, may have any parameter."""

    assert bind(misspelt, tool=tool, schema=schema).takes == {"amuont"}


def test_session_and_call_are_not_arguments() -> None:
    """A rule may take the session and the call."""
    plan = bind(with_context)
    answer = plan.run({"amount": 1}, Session("s1"), ToolCall("pay", '{"amount": 1}', "c1"))

    assert ({"amount"}, "pay {'amount': 1} s1") == (plan.needs, answer)


def test_a_rule_gets_only_what_it_takes() -> None:
    """Other arguments are not passed to the rule."""

    assert True is bind(needs_amount).run({"amount": 1, "x": 2}, None, ToolCall("pay"))


def test_a_rule_may_take_all() -> None:
    """A rule with `**arguments` receives all arguments."""

    assert bind(taking_all).run({"b": 1, "a": 2}, None, ToolCall("pay")) == "['a', 'b']"


def test_a_rule_changes_nothing() -> None:
    """A rule receives copies, also of nested values."""
    arguments = {"items": [{"n": 1}]}
    bind(meddling, schema=None).run(arguments, None, ToolCall("pay", arguments))

    assert arguments == {"items": [{"n": 1}]}


def test_deep_arguments_are_copied() -> None:
    """Arguments nested beyond Python's recursion limit are copied."""
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]

    assert True is bind(needs_amount, schema=None).run(
        {"amount": 1, "currency": deep}, None, ToolCall("pay")
    )


def test_a_rule_of_another_tool_is_not_bound() -> None:
    """A plan has only the rules for its tool."""
    policy = configure(rules=[rule(tool="refund")(needs_amount)])

    assert compile_tool(Tool(name="pay"), policy).rules == ()


MAIL = {
    "type": "object",
    "properties": {"from": {"type": "string"}, "session": {"type": "string"}, "to": {}, "cc": {}},
}


def notify(sender: str, session: str = "", **rest: Any) -> str:
    """It says what it got."""
    return f"{sender} {session} {sorted(rest)}"


def bind_renamed(takes: Any, *, schema: Any = MAIL) -> RulePlan:
    policy = configure(rules=[rule(tool="mail", takes=takes)(notify)])
    (plan,) = compile_tool(Tool(name="mail", parameters=schema), policy).rules
    return plan


def test_a_parameter_may_have_another_name_in_the_rule() -> None:
    """A parameter with the name of a Python keyword, or `session`, is passed to the function."""
    plan = bind_renamed({"sender": "from", "session": "session", "to": "to"})
    arguments = {"from": "ann", "session": "s1", "to": "bob", "cc": "eve"}

    assert plan.session is False
    assert "ann s1 ['to']" == plan.run(arguments, Session(), ToolCall("mail", arguments))


def test_a_rule_needs_the_tools_names() -> None:
    """A rule runs if the tool's own parameter is present; those with defaults are optional."""
    plan = bind_renamed({"sender": "from", "to": "to"})

    assert (frozenset({"from"}), True, False) == (
        plan.needs,
        plan.runs_on({"from": "ann"}),
        plan.runs_on({"sender": "ann"}),
    )


def test_a_name_that_the_tool_lacks_raises() -> None:
    """The message has the tool's names, not the function's."""
    with pytest.raises(PolicyError, match=r"names parameter `form`.*did you mean `from`"):
        bind_renamed({"sender": "form"})
