"""Rules, inverses and tools are validated when they are declared."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Free, PolicyError, Target, Tool, inverse, rule
from abs_shield.core.tool_shapes import ToolShape, read_tool
from abs_shield.policy import tool_of
from abs_shield.session import Limits


def documented(amount: float) -> bool:
    """The sentence.

    More that nobody needs.
    """
    return amount > 0


async def waiting(amount: float) -> bool:
    """It waits."""
    return True


def generating(amount: float) -> Any:
    """It yields."""
    yield True


async def waiting_and_generating(amount: float) -> Any:
    """It does both."""
    yield True


def positional(amount: float, /) -> bool:
    """Its parameter is positional."""
    return True


def starred(*amounts: float) -> bool:
    """It takes any number."""
    return True


def silent(amount: float) -> bool:
    return True


def test_a_rule_has_its_sentence_and_place() -> None:
    """The sentence is the first line of the docstring; file and line are those of the function."""
    declared_rule = rule(tool="refund")(documented)

    assert ("documented", "The sentence.", __file__, documented.__code__.co_firstlineno) == (
        declared_rule.name,
        declared_rule.sentence,
        declared_rule.file,
        declared_rule.line,
    )


def test_a_rule_is_still_the_function() -> None:
    """A rule can be called like its function."""

    assert (rule(tool="f")(documented)(1.0), rule(tool="f")(documented)(-1.0)) == (True, False)


@pytest.mark.parametrize(
    ("tool", "judged"), [("refund", ["refund"]), (["refund", "pay"], ["refund", "pay"]), ("*", "x")]
)
def test_which_tools_a_rule_judges(tool: Any, judged: list[str]) -> None:
    """A rule applies to one tool, several, or all of them."""
    declared_rule = rule(tool=tool)(documented)

    assert all(declared_rule.judges(name) for name in judged)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (silent, "rule `silent` has no docstring"),
        (lambda amount: True, "no docstring"),
        (waiting, "rule `waiting` is async or a generator"),
        (generating, "rule `generating` is async or a generator"),
        (waiting_and_generating, "is async or a generator"),
        (positional, "takes `amount` by position"),
        (starred, "takes `amounts` by position"),
        (5, "`rule` decorates a function, not int"),
    ],
)
def test_a_wrong_rule(function: Any, message: str) -> None:
    """A rule that could never run is rejected."""
    with pytest.raises(PolicyError) as caught:
        rule(tool="refund")(function)

    assert (message in str(caught.value), "\n" in str(caught.value)) == (True, False)


@pytest.mark.parametrize("tool", ["", [], [""], [5], 5, None])
def test_a_rule_without_a_tool(tool: Any) -> None:
    """A rule needs the name of a tool."""
    with pytest.raises(PolicyError, match="needs the name of a tool"):
        rule(tool=tool)


def test_a_sentence_may_be_passed() -> None:
    """With a sentence, the function needs no docstring."""

    assert "At most 7." == rule(tool="pay", sentence="At most 7.")(silent).sentence


@pytest.mark.parametrize(
    ("takes", "message"),
    [
        (5, "`takes` is 5; give a mapping of argument to parameter"),
        ({"amount": 5}, "give a mapping of argument to parameter"),
        ({"amount": ""}, "give a mapping of argument to parameter"),
        ({"sum": "amount"}, "`takes` names `sum`, which is not an argument of the rule"),
        ({"amount": "currency"}, "`takes` names `currency` twice"),
    ],
)
def test_wrong_names_of_parameters(takes: Any, message: str) -> None:
    """A rule with unknown parameter names is rejected when it is declared."""

    def converted(amount: float, currency: str = "EUR") -> bool:
        """An amount is positive."""
        return amount > 0

    with pytest.raises(PolicyError) as caught:
        rule(tool="pay", takes=takes)(converted)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("same", "expected"),
    [
        ("id", {"open": "id", "close": "id"}),
        ({"open": "id", "close": "door_id"}, {"open": "id", "close": "door_id"}),
    ],
)
def test_an_inverse_names_the_parameter_of_each_tool(same: Any, expected: dict[str, str]) -> None:
    """Both tools share a parameter name, or each has its own."""

    assert expected == inverse("open", "close", same=same).same


@pytest.mark.parametrize(
    "same",
    [
        "",
        {},
        {"open": "id"},
        {"open": "id", "shut": "id"},
        {"open": "", "close": ""},
        {"open": 5, "close": "id"},
        5,
        None,
    ],
)
def test_a_wrong_inverse(same: Any) -> None:
    """An inverse without a parameter for each tool is rejected."""
    with pytest.raises(PolicyError, match="`inverse` of `open` and `close`"):
        inverse("open", "close", same=same)


@pytest.mark.parametrize(
    ("first", "then", "message"),
    [(5, 6, "got 5;"), ("open", 6, "got 6;"), ("", "close", 'got "";'), ([], "x", "got a list")],
)
def test_an_inverse_of_an_invalid_name(first: Any, then: Any, message: str) -> None:
    """Both tools must be names."""
    with pytest.raises(PolicyError, match="give the name of a tool") as caught:
        inverse(first, then, same="id")

    assert message in str(caught.value)


@pytest.mark.parametrize("unless", [5, "never", True])
def test_unless_is_a_function(unless: Any) -> None:
    """`unless` must be callable."""
    with pytest.raises(PolicyError, match=r"`unless` is .*; give a function of the two calls"):
        inverse("open", "close", same="id", unless=unless)


@pytest.mark.parametrize(
    ("allow", "message"),
    [("tx_*", 'is "tx_*"; give a list'), (5, "is 5; give a list"), ({}, "list")],
)
def test_allow_of_a_target_is_a_list(allow: Any, message: str) -> None:
    """A string would be read as its characters."""
    with pytest.raises(PolicyError, match="`Target`: `allow`") as caught:
        Target(allow=allow)

    assert message in str(caught.value)


@pytest.mark.parametrize("allow", [["tx_*"], ("tx_*",), {"tx_*"}])
def test_a_target_is_immutable(allow: Any) -> None:
    """A list becomes a tuple, so that later changes have no effect."""

    assert ("tx_*",) == Target(allow=allow).allow


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ("id", {"id": Target()}),
        (["id", "to"], {"id": Target(), "to": Target()}),
        ({"id": Target(must_be_seen=True)}, {"id": Target(must_be_seen=True)}),
    ],
)
def test_forms_of_targets(targets: Any, expected: dict[str, Target]) -> None:
    """Targets are a name, names, or a mapping of names."""

    assert expected == Tool(name="f", targets=targets).targets


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "`name`: Field required"),
        ({"name": ""}, "`name`"),
        ({"nam": "f"}, "did you mean `name`?"),
        ({"name": "f", "parameter": {}}, "did you mean `parameters`?"),
        ({"name": "f", "parameters": [1]}, "`parameters"),
        ({"name": "f", "targets": 5}, "`targets`: give names"),
        ({"name": "f", "targets": {"id": "yes"}}, "`targets.id`"),
        ({"name": "f", "soft": "city"}, "`soft`"),
        ({"name": "f", "soft": 5}, "tool: `soft` is 5; give a list"),
        ({"name": "f", "allow": "tx_*"}, 'tool: `allow` is "tx_*"; give a list'),
        ({"name": "f", "parameters": "s"}, 'tool: `parameters`: got "s"; give a JSON Schema'),
        ({"name": "f", "targets": {"id": {"must_be_sen": True}}}, "mean `must_be_seen`?"),
        ({"name": "f", "profile": {"required_field": ["id"]}}, "profile: no field is named"),
        ({"name": "f", "mode": "strct"}, "did you mean `strict`?"),
        ({"name": "f", "destructive": "perhaps"}, "`destructive`"),
    ],
)
def test_a_wrong_tool(wrong: dict[str, Any], message: str) -> None:
    """A wrong tool raises an error of one line."""
    with pytest.raises(PolicyError) as caught:
        Tool(**wrong)

    assert (message in str(caught.value), "\n" in str(caught.value)) == (True, False)


@pytest.mark.parametrize(
    ("declaration", "wrong", "message"),
    [
        (Target, {"must_be_sen": True}, "no field is named `must_be_sen`; did you mean"),
        (Limits, {"txt": 5}, "limits: no field is named `txt`; did you mean `text`?"),
        (Free, {"allow": ["x"]}, "free: no field is named `allow`; it has no fields"),
        (rule, {"tol": "pay"}, "rule: no field is named `tol`; did you mean `tool`?"),
    ],
)
def test_an_unknown_field(declaration: Any, wrong: dict[str, Any], message: str) -> None:
    """Marks, limits and rules name the nearest field, as a policy does."""
    with pytest.raises(PolicyError) as caught:
        declaration(**wrong)

    assert message in str(caught.value)


@pytest.mark.parametrize("declaration", [Target, Limits])
def test_a_field_by_position(declaration: Any) -> None:
    """Fields are passed by keyword, and the message says so."""
    with pytest.raises(PolicyError, match="got true without a name; fields are passed by keyword"):
        declaration(True)


def test_a_set_of_parameters_has_a_stable_order() -> None:
    """The order of a set differs in each process, but is part of the policy's revision."""

    assert ("a", "b", "c") == Tool(name="f", free={"c", "a", "b"}).free


def test_refining_repeats_only_what_was_declared() -> None:
    """A refinement changes the fields that it sets, and no others."""
    decorated = Tool(name="f", description="d", parameters={"type": "object"})
    refined = decorated.refined(Tool(name="f", destructive=True))

    assert (
        refined.description,
        refined.parameters,
        refined.destructive,
    ) == ("d", {"type": "object"}, True)


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ({"destructiveHint": True}, (True, False)),
        ({"readOnlyHint": True}, (False, True)),
        ({"destructiveHint": None}, (False, False)),
        ({}, (False, False)),
        ("yes", (False, False)),
    ],
)
def test_mcp_hints_become_fields(hints: Any, expected: tuple[bool, bool]) -> None:
    """Only a hint that is true counts; a missing one does not make a tool destructive."""
    tool = tool_of(ToolShape(name="f", annotations=hints))

    assert expected == (tool.destructive, tool.read_only)


def test_a_described_tool() -> None:
    """The description of a server becomes a `Tool`."""
    shape = read_tool({"name": "f", "description": "d", "inputSchema": {"type": "object"}})

    assert Tool(name="f", description="d", parameters={"type": "object"}) == tool_of(shape)


def test_a_rule_without_parentheses() -> None:
    """The bare decorator raises an error with the correct form."""
    with pytest.raises(PolicyError, match=r"`@rule\(tool=\"refund\"\)`"):
        rule(documented)  # type: ignore[arg-type]


def test_a_declaration_is_never_changed() -> None:
    """Setting a field raises a `PolicyError` of one line."""
    with pytest.raises(
        PolicyError, match="`name` cannot be set, because a declaration is immutable"
    ):
        Tool(name="refund").name = "pay"


def test_a_misspelt_keyword_of_an_inverse() -> None:
    """A misspelt keyword is rejected with the nearest one, like that of a policy."""
    with pytest.raises(PolicyError, match="inverse: no field is named `sames`; did you mean"):
        inverse("open", "close", sames="id")  # type: ignore[call-arg]
