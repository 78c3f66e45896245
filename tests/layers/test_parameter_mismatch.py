"""`parameter_mismatch`: arguments that do not match the declared type or format."""

from __future__ import annotations

import json
from typing import Annotated

import pytest
from pydantic import Field

from abs_shield import PolicyError, Shield, Tool, ToolCall, Verdict, shield, shielded

PROPERTIES = {
    "id": {"type": "string", "format": "uuid"},
    "day": {"type": "string", "format": "date"},
    "mail": {"type": "string", "format": "email"},
    "amount": {"type": "number", "minimum": 0},
    "count": {"type": "integer"},
    "level": {"enum": ["low", "high"]},
}
SCHEMA = {"type": "object", "properties": PROPERTIES}


def check(arguments, schema=SCHEMA):
    tools = [Tool(name="book", parameters=schema)]
    firewall = Shield(shield.configure(layers=["parameter_mismatch"], tools=tools))
    return firewall.check_call(ToolCall("book", arguments))


def problems_of(arguments, schema=SCHEMA):
    return [(f.where, f.code) for f in check(arguments, schema).findings]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        None,
        "",
        " \n",
        "{}",
        {"day": "2025-02-28"},
        '{"day": "2024-02-29", "amount": 0}',
        {"id": "123e4567-e89b-12d3-a456-426614174000", "mail": "ada@example.com"},
    ],
)
def test_matching_arguments_are_clean(arguments):
    """Objects, their JSON text and missing arguments match if no parameter is required."""
    assert (Verdict.CLEAN, ()) == (check(arguments).verdict, check(arguments).findings)


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({"day": "yesterday"}, "/arguments/day"),
        ({"day": "2025-02-29"}, "/arguments/day"),
        ({"id": "123"}, "/arguments/id"),
        ({"mail": "@"}, "/arguments/mail"),
        ({"amount": "five"}, "/arguments/amount"),
        ({"amount": True}, "/arguments/amount"),
        ({"amount": -1}, "/arguments/amount"),
        ({"amount": float("nan")}, "/arguments/amount"),
        ({"amount": float("inf")}, "/arguments/amount"),
        ({"count": 1.5}, "/arguments/count"),
        ({"level": "hihg"}, "/arguments/level"),
        ({"ghost": 1}, "/arguments/ghost"),
    ],
)
def test_a_wrong_argument_has_its_pointer(arguments, where):
    """A wrong type, range, format or enum, or an unknown name, is HALLUCINATED at its pointer."""
    decision = check(arguments)

    assert [where] == [f.where for f in decision.findings]
    assert (Verdict.HALLUCINATED, True) == (decision.verdict, decision.blocked)


def test_a_number_in_quotes_is_suspicious():
    """The call is flagged and not blocked, and the hint says to send the number without quotes."""
    decision = check({"amount": "5"})
    (finding,) = decision.findings

    assert (Verdict.SUSPICIOUS, False) == (decision.verdict, decision.blocked)
    assert ("coercible", "coercible", "number") == (
        finding.code,
        finding.basis,
        finding.expected,
    )
    assert "without quotes" in finding.hint


def test_every_error_is_reported():
    """Three wrong arguments give three findings, each with its pointer."""
    places = {where for where, _ in problems_of({"day": "yesterday", "count": "one", "ghost": 2})}

    assert {"/arguments/day", "/arguments/count", "/arguments/ghost"} == places


def test_a_missing_argument_is_named():
    """The finding of a missing required argument has the pointer of that argument."""
    (finding,) = check(
        "", {"type": "object", "properties": PROPERTIES, "required": ["day"]}
    ).findings

    assert "/arguments/day" == finding.where


def test_an_unknown_name_has_the_nearest_parameter():
    """The finding of a misspelt argument suggests the parameter with the most similar name."""
    (finding,) = check({"amuont": 5}).findings

    assert "amount" == finding.nearest


def test_additional_properties_are_accepted_if_allowed():
    """With `additionalProperties: true` an undeclared argument is no finding."""
    assert [] == problems_of({"ghost": 1}, {**SCHEMA, "additionalProperties": True})


def test_nested_objects_accept_undeclared_fields():
    """Only the top level of a schema rejects undeclared arguments by default."""
    schema = {"type": "object", "properties": {"at": {"type": "object", "properties": {"x": {}}}}}

    assert [] == problems_of({"at": {"y": 1}}, schema)


def deep(levels):
    return '{"day": ' + "[" * levels + "]" * levels + "}"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ('{"amount": 1, "amount": 2}', "duplicate_key"),
        ('{"at": {"a": 1, "a": 2}}', "duplicate_key"),
        ('{"amount": NaN}', "not_finite"),
        ('{"amount": -Infinity}', "not_finite"),
        ('{"amount": 1', "malformed_json"),
        ("{'amount': 1}", "malformed_json"),
        ("refund please", "malformed_json"),
        (deep(64), "too_deep"),
        (deep(100_000), "too_deep"),
        ('{"day": "' + "x" * (1 << 20) + '"}', "too_large"),
        ('{"amount": ' + "9" * 5_000 + "}", "too_large"),
        ("[]", "wrong_type"),
        ("null", "wrong_type"),
        ("5", "wrong_type"),
        (5, "wrong_type"),
        ([1], "wrong_type"),
    ],
)
def test_unreadable_arguments_are_a_mismatch(raw, code):
    """Each kind of unreadable text has its own code, at the pointer of all arguments."""
    assert [("/arguments", code)] == problems_of(raw)


def test_arguments_in_single_quotes_are_explained():
    """The feedback has what was sent, what is expected, and the correction."""
    firewall = Shield(shield.configure(tools=[Tool(name="pay")]), hooks=None)
    decision = firewall.check_call({"name": "pay", "arguments": "{'to': 'P1'}"})
    (problem,) = decision.feedback()["problems"]

    assert ("{'to': 'P1'}", "object") == (problem["got"], problem["expected"])
    assert problem["hint"].endswith("use double quotes")


def test_the_deepest_allowed_nesting_is_checked():
    """64 levels are checked by the schema; from 65 on the arguments are too deep."""
    assert [("/arguments/day", "wrong_type")] == problems_of(deep(63))


def test_malformed_arguments_are_a_mismatch_without_a_schema():
    """A tool without a schema still takes a JSON object."""
    assert [("/arguments", "malformed_json")] == problems_of("{", None)


def test_a_tool_without_a_schema_is_not_checked():
    """The coverage of the decision says that the layer had no schema."""
    decision = check({"any": 1}, None)

    assert ("unavailable", "no schema") == decision.coverage["parameter_mismatch"]


def test_an_invalid_schema_is_an_error_on_declaration():
    """The error is raised before the first call and names the tool."""
    with pytest.raises(PolicyError, match="`book`"):
        check({}, {"type": "strnig"})


NO_NAMES = [
    ({"type": "object"}, Verdict.CLEAN),
    ({"type": "object", "properties": {}}, Verdict.SUSPICIOUS),
    ({"type": "object", "properties": {}, "additionalProperties": False}, Verdict.HALLUCINATED),
]


@pytest.mark.parametrize(("schema", "verdict"), NO_NAMES)
def test_an_argument_for_a_schema_without_parameters(schema, verdict):
    """It is clean without `properties`, suspicious with none, HALLUCINATED if none is allowed."""
    decision = check({"query": "open orders"}, schema)

    assert (verdict, verdict is Verdict.HALLUCINATED) == (decision.verdict, decision.blocked)


@pytest.mark.parametrize("schema", [schema for schema, _ in NO_NAMES])
def test_a_function_without_parameters_accepts_no_argument(schema):
    """A server's description without parameters does not open the signature of the function."""
    firewall = Shield(shield.configure(layers=["parameter_mismatch"]))

    @shielded(firewall)
    def book():
        return "done"

    firewall.register({"name": "book", "inputSchema": schema})

    assert Verdict.HALLUCINATED is firewall.check_call(ToolCall("book", {"day": 1})).verdict
    assert Verdict.CLEAN is firewall.check_call(ToolCall("book", {})).verdict


@pytest.mark.parametrize("schema", [schema for schema, _ in NO_NAMES[:2]])
def test_a_declared_constraint_applies_beside_a_schema_without_parameters(schema):
    """A parameter may be missing, but a value that violates the declared type is HALLUCINATED."""
    firewall = Shield(shield.configure(layers=["parameter_mismatch"]))

    @shielded(firewall)
    def book(amount: Annotated[int, Field(le=10)]):
        return "done"

    firewall.register({"name": "book", "inputSchema": schema})

    assert Verdict.HALLUCINATED is firewall.check_call(ToolCall("book", {"amount": 11})).verdict
    assert Verdict.CLEAN is firewall.check_call(ToolCall("book", {})).verdict


INVALID = [
    {"type": "strnig"},
    {"$ref": "#/$defs/nowhere"},
    {"properties": {"day": {"type": "string", "pattern": "("}}},
]


def check_described_tool(schema, caplog, **declared):
    """Judge a call of a tool that a server describes with *schema*."""
    firewall = Shield(shield.configure(layers=["parameter_mismatch"], **declared))
    firewall.register({"name": "book", "inputSchema": schema}, tolerant=True)
    (record,) = (record for record in caplog.records if "cannot check" in record.getMessage())
    assert "WARNING" == record.levelname
    return firewall.check_call(ToolCall("book", {"day": 1}))


@pytest.mark.parametrize("on_error", [None, "allow"])
@pytest.mark.parametrize("schema", INVALID)
def test_an_invalid_schema_of_a_server_is_unavailable(schema, on_error, caplog):
    """The calls run; the log and each decision say why the arguments were not checked."""
    decision = check_described_tool(schema, caplog, on_error=on_error)
    outcome, reason = decision.coverage["parameter_mismatch"]

    assert (Verdict.CLEAN, (), False) == (decision.verdict, decision.errors, decision.blocked)
    assert ("unavailable", True) == (outcome, reason.startswith("tool `book` at /"))


@pytest.mark.parametrize("schema", INVALID)
def test_an_invalid_schema_of_a_server_blocks_on_error_block(schema, caplog):
    """With `on_error="block"` it is an internal error, which blocks the call."""
    decision = check_described_tool(schema, caplog, on_error="block")

    assert (Verdict.CLEAN, True) == (decision.verdict, decision.blocked)
    assert ("error", 1) == (decision.coverage["parameter_mismatch"].outcome, len(decision.errors))


@pytest.mark.parametrize("schema", INVALID)
def test_a_declared_constraint_applies_beside_an_invalid_schema(schema):
    """The declared type is checked even if the server's schema cannot be compiled."""
    firewall = Shield(shield.configure(layers=["parameter_mismatch"]))

    @shielded(firewall)
    def book(amount: Annotated[int, Field(le=10)]):
        return "done"

    firewall.register({"name": "book", "inputSchema": schema}, tolerant=True)

    assert Verdict.HALLUCINATED is firewall.check_call(ToolCall("book", {"amount": 11})).verdict
    assert Verdict.CLEAN is firewall.check_call(ToolCall("book", {"amount": 10})).verdict


def test_the_feedback_is_json():
    """The feedback has a status, and a code and a pointer for each problem."""
    feedback = json.loads(json.dumps(check({"day": "yesterday"}).feedback()))

    assert ("blocked", "/arguments/day") == (feedback["status"], feedback["problems"][0]["field"])
