"""A tool is compiled once; a broken schema raises, or is stored as an error."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import PolicyError, Suppression, Tool
from abs_shield.core import ToolCall
from abs_shield.core.call_arguments import Malformed
from abs_shield.plan import Proposal, ShieldTerms, ToolPlan, compile_tool
from abs_shield.policy import configure

BROKEN = {"type": "object", "properties": {"amount": {"type": "nubmer"}}}
SCHEMA = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}


def compile_plan(schema: Any, **declared: Any) -> ToolPlan:
    return compile_tool(Tool(name="pay", parameters=schema), configure(**declared))


def proposal(plan: ToolPlan | None, arguments: Any, malformed: Malformed | None = None) -> Proposal:
    return Proposal(
        call=ToolCall("pay", arguments),
        arguments=arguments,
        malformed=malformed,
        tool=plan,
        available={},
        at=0.0,
        terms=ShieldTerms(threshold=0.8),
    )


def test_a_broken_schema_is_refused() -> None:
    """An author's wrong schema raises when it is declared."""
    with pytest.raises(PolicyError, match="did you mean `number`") as caught:
        compile_plan(BROKEN)

    assert ("tool `pay`" in str(caught.value), "\n" in str(caught.value)) == (True, False)


def test_a_broken_schema_says_where() -> None:
    """The message names the tool and the location in its schema, each in backticks."""
    with pytest.raises(PolicyError) as caught:
        compile_plan({"type": "objekt"})

    assert str(caught.value).startswith("tool `pay` at /type: ")


MARKS: list[tuple[dict[str, Any], str]] = [
    (
        {"targets": ["amuont"]},
        "`targets` names `amuont`, which is not one of its parameters; did you",
    ),
    ({"soft": ("amuont",)}, "`soft` names `amuont`"),
    ({"free": ("amuont",)}, "`free` names `amuont`"),
    (
        {"creates": ("z",)},
        "`creates` names `z`, which is not one of its parameters; it has `amount`",
    ),
    ({"targets": ["amount.value"]}, "`targets` names `amount.value`"),
]


@pytest.mark.parametrize(("marks", "message"), MARKS)
def test_a_mark_of_an_unknown_parameter_is_refused(marks: dict[str, Any], message: str) -> None:
    """A mark of an unknown parameter raises with the nearest parameter."""
    with pytest.raises(PolicyError) as caught:
        compile_tool(Tool(name="pay", parameters=SCHEMA, **marks), configure())

    assert f"tool `pay`: {message}" in str(caught.value)


OPEN = [
    None,
    True,
    {},
    {**SCHEMA, "additionalProperties": True},
    {**SCHEMA, "patternProperties": {"^am": {}}},
    {"type": "object", "allOf": [{"properties": {"amuont": {}}}]},
]


@pytest.mark.parametrize("schema", OPEN)
def test_a_mark_of_what_a_call_may_have(schema: Any) -> None:
    """A mark is accepted if the schema allows the name, or if there is no schema."""
    tool = Tool(name="pay", parameters=schema, targets=["amuont"])

    assert tool == compile_tool(tool, configure()).tool


def test_a_mark_on_a_third_party_tool_is_not_an_error() -> None:
    """A third party's tool may lack a parameter that the policy still marks."""
    tool = Tool(name="pay", parameters=SCHEMA, targets=["amuont"])

    assert tool == compile_tool(tool, configure(), tolerant=True).tool


def test_a_broken_schema_of_a_third_party_is_stored_as_an_error() -> None:
    """A tool from a run file or a server is registered although it cannot be checked."""
    plan = compile_tool(Tool(name="pay", parameters=BROKEN), configure(), tolerant=True)

    assert (plan.schema, "nubmer" in plan.broken) == (None, True)


def test_a_name_that_is_not_a_string_is_stored_as_an_error() -> None:
    """A generated schema may have a number as the name of a parameter."""
    tool = Tool(name="pay", parameters={"properties": {5: {}}})

    assert "is not a string" in compile_tool(tool, configure(), tolerant=True).broken


@pytest.mark.parametrize("tolerant", [True, False])
def test_a_good_schema_is_not_broken(tolerant: bool) -> None:
    """The option `tolerant` does not affect a valid schema."""
    plan = compile_tool(Tool(name="pay", parameters=SCHEMA), configure(), tolerant=tolerant)

    assert (frozenset({"amount"}), "") == (plan.schema and plan.schema.declared_names, plan.broken)


def test_no_schema_is_no_error() -> None:
    """A tool without declared parameters has no schema and no error."""
    plan = compile_plan(None)

    assert (plan.schema, plan.broken) == (None, "")


def test_a_schema_is_closed() -> None:
    """A schema rejects arguments that it does not name."""

    assert (
        proposal(compile_plan(SCHEMA), {"amount": 1}).fits,
        proposal(compile_plan(SCHEMA), {"amount": 1, "ghost": 2}).fits,
    ) == (True, False)


@pytest.mark.parametrize(
    ("arguments", "malformed", "expected"),
    [
        ({"amount": 1}, None, True),
        ({"amount": "one"}, None, False),
        ({}, None, False),
        ({}, Malformed("malformed_json", "x"), False),
    ],
)
def test_what_fits(arguments: Any, malformed: Malformed | None, expected: bool) -> None:
    """Arguments fit if they were parsed and match the schema; nothing is coerced."""

    assert expected == proposal(compile_plan(SCHEMA), arguments, malformed).fits


@pytest.mark.parametrize("plan", [None, compile_plan(None)])
def test_without_a_schema_everything_readable_fits(plan: ToolPlan | None) -> None:
    """Without a schema, all parsed arguments fit."""

    assert proposal(plan, {"anything": object()}).fits


def test_a_tools_suppressions() -> None:
    """A plan has the suppressions for its tool and those for every tool."""
    mine, all_tools, other = (
        Suppression(check="phantom_tool", tool=tool, reason="x") for tool in ("pay", None, "send")
    )

    assert (mine, all_tools) == compile_plan(None, suppress=[mine, all_tools, other]).suppress


def test_a_custom_layer_has_a_mode() -> None:
    """Every layer that the policy names has a mode for every tool, and so has verification."""

    def own(proposal: Proposal, session: Any) -> tuple[()]:
        return ()

    assert compile_plan(None, layers=["phantom_tool", own], modes={"own": "audit"}).modes == {
        "phantom_tool": "strict",
        "own": "audit",
        "verification": "strict",
    }
