"""Tools, layers and parameters that a policy names must exist; all errors are reported together."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Suppression, Tool, inverse, rule
from abs_shield.plan.proof import prove
from abs_shield.policy import configure

TEXT = {"type": "string"}


@rule(tool="refnud")
def misspelt_tool(x: str) -> bool:
    """It is never asked."""
    return x != ""


@rule(tool="refund")
def misspelt_parameter(amuont: float) -> bool:
    """It is never asked."""
    return amuont < 0


@rule(tool="*")
def nobody_has(tansaction: str) -> bool:
    """It is never asked."""
    return tansaction != ""


TOOLS: list[tuple[dict[str, Any], str]] = [
    ({"rules": [misspelt_tool]}, "rule `misspelt_tool` names tool `refnud`, which does not exist"),
    ({"inverses": [inverse("refund", "refnud", same="x")]}, "names tool `refnud`, which does not"),
    ({"modes": {"refnud": "audit"}}, "`modes` names `refnud`, which is neither a layer nor a tool"),
    ({"modes": {("refnud", "call_loop"): "audit"}}, "`modes` names tool `refnud`, which does not"),
    ({"suppress": [Suppression(check="call_loop", tool="refnud", reason="x")]}, "tool `refnud`"),
]


@pytest.mark.parametrize(("declared", "message"), TOOLS)
def test_an_unknown_tool(declared: Any, message: str, texts: Any, tool: Any) -> None:
    """A misspelt tool is an error with the nearest name, in any declaration."""
    (expected_message,) = texts("unknown_tool", tool("refund", x=TEXT), **declared)

    assert message in expected_message
    assert expected_message.endswith("; did you mean `refund`?")


def test_an_unknown_tool_in_reads_first(texts, tool) -> None:
    """A tool in `reads_first` must exist."""
    write = tool("refund", x=TEXT, declared={"reads_first": ["get_ordr"]})
    (message,) = texts("unknown_tool", write, tool("get_order", x=TEXT))

    assert message.endswith("`get_ordr`, which does not exist; did you mean `get_order`?")


def test_an_unknown_layer(texts, tool) -> None:
    """A misspelt layer in `modes` is an error with the nearest layer."""
    (message,) = texts("unknown_layer", tool("refund", x=TEXT), modes={"phantom": "audit"})

    assert message.endswith("did you mean `phantom_tool`?")


def test_a_policy_without_tools() -> None:
    """Without tools, the hint says that no tool is registered."""
    proof = prove(configure(rules=[misspelt_tool]))

    assert ["no_tools"] == [each.code for each in proof.warnings]
    assert "no tool is known: register them first" in proof.errors[0].hint


PARAMETERS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"rules": [misspelt_parameter]}, {}, "rule `misspelt_parameter` names parameter `amuont`"),
    ({}, {"targets": ["amuont"]}, "`targets` of tool `refund` names parameter `amuont`"),
    ({}, {"soft": ["amuont"]}, "`soft` of tool `refund` names parameter `amuont`"),
    ({}, {"free": ["amuont"]}, "`free` of tool `refund` names parameter `amuont`"),
    ({}, {"creates": ["amuont"]}, "`creates` of tool `refund` names parameter `amuont`"),
    ({"inverses": [inverse("refund", "refund", same="amuont")]}, {}, "names parameter `amuont`"),
]


@pytest.mark.parametrize(("declared", "marks", "message"), PARAMETERS)
def test_an_unknown_parameter(declared: Any, marks: Any, message: str, texts: Any, tool) -> None:
    """A misspelt parameter is an error with the nearest name, in any declaration."""
    refund = tool("refund", amount={"type": "number"}, declared=marks)
    (expected_message,) = texts("unknown_parameter", refund, **declared)

    assert message in expected_message
    assert expected_message.endswith("which tool `refund` does not have; did you mean `amount`?")


LINES = {"type": "array", "items": {"type": "object", "properties": {"sku": TEXT}}}


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("/lines/skku", "did you mean `/lines/sku`?"),
        ("/lines/*/sku", "leave out positions of lists: `/lines/sku`"),
        ("/lines/sku/id", "nothing can stand there"),
    ],
)
@pytest.mark.parametrize("mark", ["targets", "soft", "free", "creates"])
def test_a_nested_mark_that_never_matches(key: str, hint: str, mark: str, texts, tool) -> None:
    """It is an error like a misspelt parameter, with the nearest pointer."""
    order = tool("order", lines=LINES, declared={mark: [key, "/lines/sku"]})

    assert [f"`{mark}` of tool `order` names `{key}`, which no call can have; {hint}"] == texts(
        "unknown_parameter", order
    )


def test_a_nested_mark_of_a_missing_parameter_is_reported_once(texts, tool) -> None:
    """If the parameter itself is unknown, its members are not reported."""
    order = tool("order", lines=LINES, declared={"targets": ["/line/skku"]})

    assert 1 == len(texts("unknown_parameter", order))


def test_a_parameter_that_no_tool_has(texts, tool) -> None:
    """A parameter of a rule for every tool must exist in one of them."""
    rules = [nobody_has]

    assert 1 == len(texts("unknown_parameter", tool("a", x=TEXT), rules=rules))
    assert [] == texts("unknown_parameter", tool("a", tansaction=TEXT), rules=rules)
    assert [] == texts("unknown_parameter", tool("a", x=TEXT), Tool(name="b"), rules=rules)


def test_a_tool_that_may_have_any_parameter(texts) -> None:
    """No mark is an error if the schema allows any name, or if there is no schema."""
    openly = Tool(
        name="t",
        parameters={"type": "object", "additionalProperties": True},
        targets=["id"],
    )

    assert [] == texts("unknown_parameter", openly, Tool(name="u", targets=["id"]))


def test_everything_is_reported_at_once(proof, tool) -> None:
    """The proof lists every error of a policy, while registration stops at the first one."""
    proved = proof(
        tool("refund", amount={"type": "number"}, declared={"targets": ["amuont"]}),
        Tool(name="broken", parameters={"type": "objekt"}),
        rules=[misspelt_tool, misspelt_parameter],
        modes={"refnud": "audit"},
    )
    lines = [each.line for each in proved.errors]

    assert (5, True) == (len(proved.errors), all(lines))
    assert {"unknown_tool", "unknown_parameter", "invalid_schema"} == {
        each.code for each in proved.errors
    }


def test_phantom_tool_reports_names_that_do_not_exist(texts: Any, tool: Any) -> None:
    """A suppression of the layer may name a tool that does not exist."""
    declared = {
        "suppress": [Suppression(check="phantom_tool", tool="refnud", reason="seen once")],
        "modes": {("refnud", "phantom_tool"): "audit"},
    }

    assert [] == texts("unknown_tool", tool("refund", x=TEXT), **declared)


@rule(tool="refund")
def asks_for_nothing(x: str, session: Any) -> bool:
    """An order is looked up before it is refunded."""
    known = ["get_order"]
    return any(session.did("get_ordr", x=x) for _ in known) or session.did(known[0])


def test_an_unknown_tool_of_an_earlier_call(texts, tool) -> None:
    """A misspelt tool in `session.did` is an error, as no call of it is ever found."""
    tools = tool("refund", x=TEXT), tool("get_order", x=TEXT)
    (message,) = texts("unknown_tool", *tools, rules=[asks_for_nothing])

    assert "`session.did` of rule `asks_for_nothing` names tool `get_ordr`" in message
    assert message.endswith("which does not exist; did you mean `get_order`?")
