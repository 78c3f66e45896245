"""A framework's or a server's description of a tool does not loosen its declarations."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from abs_shield import Shield, Target, Tool, ToolCall, Verdict, inverse, shield, shielded
from abs_shield.shield.adapter_session import AdapterSession


def listed_tool(name, *parameters, **hints):
    """Return a tool as an MCP server lists it."""
    properties = {parameter: {"type": "string"} for parameter in parameters}
    schema = {"type": "object", "properties": properties, "required": [*parameters]}
    return {"name": name, "inputSchema": schema, "annotations": hints}


def contradictions(policy):
    """Return the codes of a call that undoes another one, with a server's hints."""
    firewall = Shield(policy)
    session = firewall.session()
    session.user("Make the user u_1.")
    tools = [listed_tool(n, "user_id", readOnlyHint=True) for n in ("create_user", "delete_user")]
    AdapterSession(firewall).offer(session, tools)
    calls = [ToolCall(tool["name"], {"user_id": "u_1"}, tool["name"]) for tool in tools]
    return [f.code for d in firewall.inspect_turn(calls, session=session) for f in d.findings]


@pytest.mark.parametrize("stricter_first", [True, False])
def test_the_stricter_of_two_targets_applies(stricter_first):
    """The order of the declarations does not matter."""
    marks = [Target(must_be_seen=True), Target()]
    firewall = Shield(shield.configure(), hooks=None)
    for mark in marks if stricter_first else marks[::-1]:
        tool = Tool(name="refund", parameters=listed_tool("refund", "label")["inputSchema"])
        firewall.register(tool.model_copy(update={"targets": {"label": mark}}))
    session = firewall.session()
    session.user("Please refund tx_12345.")

    assert firewall.check_call(ToolCall("refund", {"label": "tx_99999"}), session=session).blocked
    assert not firewall.check_call(
        ToolCall("refund", {"label": "tx_12345"}), session=session
    ).blocked


@pytest.mark.parametrize(
    "declared",
    [
        {"inverses": [inverse("create_user", "delete_user", same="user_id")]},
        {"tools": [Tool(name=n, destructive=True) for n in ("create_user", "delete_user")]},
    ],
    ids=["inverse", "destructive"],
)
def test_a_read_only_hint_does_not_override_the_policy(declared):
    """A tool that the policy marks as destructive, or as part of an inverse, is not read-only."""
    assert ["undone"] == contradictions(shield.configure(**declared))


def test_a_read_only_hint_counts_without_another_declaration():
    """The hint is the only declaration."""
    assert [] == contradictions(shield.configure())


def test_a_writing_tool_does_not_become_read_only():
    """An explicit `read_only=False` is a declaration."""
    firewall = Shield(shield.configure(), hooks=None)
    firewall.register(Tool(name="notes", parameters={}, read_only=False))
    session = firewall.session()
    AdapterSession(firewall).offer(session, [listed_tool("notes", readOnlyHint=True)])

    assert not firewall.registry.of(session)["notes"].plan.tool.read_only


def test_read_only_in_the_policy_counts():
    """An explicit declaration applies, even for a tool of an inverse."""
    tools = [Tool(name=n, destructive=True, read_only=True) for n in ("create_user", "delete_user")]

    assert [] == contradictions(shield.configure(tools=tools))


@pytest.fixture
def firewall():
    """Return a Shield whose policy declares a target of a server's tool."""
    tool = Tool(name="pay", targets={"payee": Target(must_be_seen=True)})
    return Shield(shield.configure(mode="strict", tools=[tool]))


def judge_listed(firewall, *parameters):
    """Judge a call of the tool as its server lists it."""
    session = firewall.session()
    session.user("Please pay Bob Miller.")
    AdapterSession(firewall).offer(session, [listed_tool("pay", *parameters)])
    arguments = dict.fromkeys(parameters, "Bob Miller")
    return firewall.check_call(ToolCall("pay", arguments, "c1"), session=session)


def test_a_declared_target_that_the_server_lacks_is_logged(firewall, caplog):
    """The parameter has another name now: the check is unavailable, and an error is logged."""
    coverage = judge_listed(firewall, "to").coverage["phantom_target"]

    assert "`payee` is declared as a target" in coverage.reason
    assert ["ERROR"] == [r.levelname for r in caplog.records if "`pay`" in r.getMessage()]


def test_a_declared_target_that_a_server_has_is_judged(firewall, caplog):
    """Nothing is logged."""
    assert "" == judge_listed(firewall, "payee", "note").coverage["phantom_target"].reason
    assert [] == [r for r in caplog.records if "`pay`" in r.getMessage()]


ACCOUNT = "acct_666"


def judge_account(declared, description, how):
    """Judge a call with an account that only a description may have named."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)
    if declared is not None:
        firewall.register(declared)
    session = firewall.session()
    session.user("Please close acct_1.")
    described = {"name": "close", "inputSchema": {"properties": {"account_id": description}}}
    if how == "register":
        firewall.register(described)
    else:
        AdapterSession(firewall).offer(session, [described])
    return firewall.check_call(ToolCall("close", {"account_id": ACCOUNT}), session=session)


def closing_tool(schema, **declared):
    """Return a tool whose schema has one parameter."""
    return Tool(name="close", parameters={"properties": {"account_id": schema}}, **declared)


@pytest.mark.parametrize("how", ["register", "offer"])
@pytest.mark.parametrize(
    "declared",
    [
        {"targets": {"account_id": Target(must_be_seen=True)}},
        {"targets": ["account_id"], "destructive": True},
        {"destructive": True},
    ],
    ids=["must_be_seen", "target", "destructive"],
)
@pytest.mark.parametrize(
    "description",
    [
        {"type": "string", "default": ACCOUNT},
        {"anyOf": [{"type": "string", "default": ACCOUNT}]},
        {"type": "string", "enum": [ACCOUNT, "acct_667"]},
        {"const": ACCOUNT},
        {"type": "string", "enum": [ACCOUNT], "default": ACCOUNT},
    ],
    ids=["default", "branch", "enum", "const", "both"],
)
def test_a_value_that_only_a_description_names_is_judged(declared, description, how):
    """Its default, enum or constant does not make a value known if the author has a schema."""
    decision = judge_account(closing_tool({"type": "string"}, **declared), description, how)

    assert (True, ["unseen"]) == (decision.blocked, [f.code for f in decision.findings])


@pytest.mark.parametrize(
    "declared",
    [
        None,
        Tool(name="close", destructive=True),
        closing_tool({"type": "string"}),
        closing_tool({"type": "string", "enum": [ACCOUNT], "default": ACCOUNT}, destructive=True),
    ],
    ids=["described only", "no schema", "no mark", "author"],
)
@pytest.mark.parametrize("keyword", ["default", "enum"])
def test_a_value_of_the_authors_schema_is_known(declared, keyword):
    """Values of the author's schema are known; those of a description only without one."""
    value = ACCOUNT if keyword == "default" else [ACCOUNT]

    assert () == judge_account(declared, {"type": "string", keyword: value}, "offer").findings


LABEL = {"label": {"type": "string"}}
BOUNDED = {"properties": {**LABEL, "amount": {"type": "number", "maximum": 100}}}


def judge_refund(amount, description, how, declared=BOUNDED):
    """Judge a refund of a described tool whose author limits the amount."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)
    session = firewall.session()
    session.user("Please refund tx_1.")
    described = {"name": "refund", "inputSchema": {"type": "object", **description}}
    if how == "first":
        firewall.register(described)
    firewall.register(Tool(name="refund", parameters=declared))
    if how == "last":
        firewall.register(described)
    elif how == "offer":
        AdapterSession(firewall).offer(session, [described])
    return firewall.check_call(ToolCall("refund", {"label": "tx_1", **amount}), session=session)


@pytest.mark.parametrize("how", ["first", "last", "offer"])
@pytest.mark.parametrize(
    "description",
    [
        {"properties": {**LABEL, "amount": {"type": "number"}}},
        {"properties": LABEL, "additionalProperties": True},
        {"properties": LABEL, "additionalProperties": {"type": "number"}},
        {"properties": LABEL, "patternProperties": {"^amount$": {}}},
        {"patternProperties": {".*": {}}},
        {"properties": LABEL, "unevaluatedProperties": {}},
        {"properties": LABEL, "required": ["amount"]},
        {"allOf": [{"properties": LABEL, "additionalProperties": True}]},
        {
            "additionalProperties": {},
            "anyOf": [
                {"properties": LABEL, "additionalProperties": False},
                {"required": ["label"]},
            ],
        },
        {"additionalProperties": {}},
        {"propertyNames": {"enum": ["label", "amount"]}},
        {},
    ],
)
def test_a_constraint_of_the_author_applies_to_arguments_of_a_description(description, how):
    """The description may accept the argument by name, by a pattern, or as a further one."""
    decision = judge_refund({"amount": 500}, description, how)

    assert (True, ["out_of_range"]) == (decision.blocked, [f.code for f in decision.findings])
    assert () == judge_refund({"amount": 5}, description, how).findings


OPEN = [
    {"properties": LABEL, "additionalProperties": True},
    {"properties": LABEL, "patternProperties": {".*": {}}},
    {"properties": LABEL, "unevaluatedProperties": {}},
    {"patternProperties": {".*": {}}},
]


@pytest.mark.parametrize("how", ["first", "last", "offer"])
@pytest.mark.parametrize("description", OPEN)
def test_an_argument_that_neither_schema_names_is_rejected(description, how):
    """The author's schema is closed; only arguments that a description names are added."""
    decision = judge_refund({"bcc": "x"}, description, how)
    named = {**description, "properties": {**LABEL, "bcc": {"type": "string"}}}

    assert (True, ["unknown_argument"]) == (decision.blocked, [f.code for f in decision.findings])
    assert () == judge_refund({"bcc": "x"}, named, how).findings


@pytest.mark.parametrize("description", OPEN)
@pytest.mark.parametrize(
    "declared", [{**BOUNDED, "additionalProperties": True}, {"type": "object"}, None]
)
def test_any_argument_is_accepted_if_the_author_accepts_any(declared, description):
    """The author accepts any by `**options`, or without a schema."""
    assert () == judge_refund({"bcc": "x"}, description, "offer", declared).findings


def test_a_constraint_on_further_arguments_applies_to_a_described_one():
    """The schema of `**amounts` applies to a name that only the description has."""
    declared = {"properties": LABEL, "additionalProperties": {"type": "number", "maximum": 100}}
    description = {"properties": {**LABEL, "amount": {"type": "number"}}}

    assert judge_refund({"amount": 500}, description, "offer", declared).blocked
    assert not judge_refund({"amount": 5}, description, "offer", declared).blocked


def account(account_id: str) -> str:
    """Return one account."""
    return account_id


def account_mode(account_id: str, mode_id: int = 0) -> str:
    """
    Return one account.

    Args:
        account_id: The account.
        mode_id: 1 for cleaning,
            2 for ironing.
    """
    return account_id


def judge_described(function, description, **arguments):
    """Judge a call of a function that a framework describes."""
    firewall = Shield(shield.configure(tools=[Tool(name=function.__name__, destructive=True)]))
    firewall.register(function)
    session = firewall.session()
    session.user("Please use acct_1.")
    AdapterSession(firewall).offer(session, [{"name": function.__name__, **description}])
    return firewall.check_call(ToolCall(function.__name__, arguments), session=session)


@pytest.mark.parametrize("text", ["", "Return one account.", "Create a new account."])
def test_a_description_does_not_make_the_authors_tool_create_entities(text):
    """By the author's docstring the tool reads, so the account must be known."""
    schema = {"properties": {"account_id": {"type": "string"}}}
    decision = judge_described(
        account, {"description": text, "inputSchema": schema}, account_id="acct_666"
    )

    assert ["unseen"] == [finding.code for finding in decision.findings]


@pytest.mark.parametrize(
    ("text", "codes"),
    [("1 for cleaning, 2 for ironing.", []), ("1 for cleaning, 2 for deleting.", ["unseen"])],
)
def test_options_in_a_description_count_if_the_author_wrote_them(text, codes):
    """Options count if a framework copied them from the docstring, but not from a server's text."""
    mode = {"type": "integer", "description": text}
    schema = {"properties": {"account_id": {"type": "string"}, "mode_id": mode}}
    decision = judge_described(
        account_mode, {"inputSchema": schema}, account_id="acct_1", mode_id=2
    )

    assert codes == [finding.code for finding in decision.findings]


@pytest.mark.parametrize("required", [[], ["path"]])
def test_an_empty_selector_that_the_author_requires_is_found(required):
    """It is found even if a description does not require it."""
    firewall = Shield(shield.configure(), hooks=None)
    properties = {"account_id": {"type": "string"}, "path": {"type": "string"}}
    schema = {"type": "object", "properties": properties}
    firewall.register(
        Tool(
            name="close",
            parameters={**schema, "required": ["path"]},
            targets=["path"],
            destructive=True,
        )
    )
    session = firewall.session()
    session.user("Please close acct_1.")
    described = {"name": "close", "inputSchema": {**schema, "required": required}}
    AdapterSession(firewall).offer(session, [described])
    call = ToolCall("close", {"account_id": "acct_1", "path": ""})

    decision = firewall.check_call(call, session=session)
    assert ["whole_set"] == [finding.code for finding in decision.findings]


@pytest.mark.parametrize("how", ["registered", "offered to the parent"])
def test_a_destructive_hint_applies_with_another_description(how):
    """A framework may describe a server's tool without the server's hints."""
    firewall = Shield(shield.configure(), hooks=None)
    server = listed_tool("close", "account_id", destructiveHint=True)
    session = firewall.session()
    if how == "registered":
        firewall.register(server)
    else:
        AdapterSession(firewall).offer(session, [server])
        session = session.child()
    AdapterSession(firewall).offer(session, [listed_tool("close", "account_id", readOnlyHint=True)])

    tool = firewall.registry.of(session)["close"].plan.tool
    assert (True, False) == (tool.destructive, tool.read_only)


class Region(StrEnum):
    """The region of a server."""

    EUROPE = "eu-1"
    AMERICA = "us-1"


SEEN = Target(must_be_seen=True)


def move(
    label: Annotated[str, SEEN] = "acct_77",
    place: Annotated[int, SEEN] = 77,
    since: Annotated[date, SEEN] = date(2020, 1, 2),
    region: Annotated[Region, SEEN] = Region.AMERICA,
    owner: Annotated[str, SEEN] = Field("acct_78"),
) -> None:
    """Move a label."""


DEFAULTS = {
    "label": "acct_77",
    "place": 77,
    "since": "2020-01-02",
    "region": "us-1",
    "owner": "acct_78",
}


@pytest.mark.parametrize("name", DEFAULTS)
@pytest.mark.parametrize("changed", [False, True])
def test_the_default_of_the_function_is_known_where_a_framework_describes_it(name, changed):
    """Its own default is known; another default of a description is, too, if it is listed."""
    firewall = Shield(shield.configure(), hooks=None)
    firewall.register(move)
    value = DEFAULTS[name]
    if changed:
        value = {77: 78}.get(value) or {"2020-01-02": "2020-01-03", "us-1": "eu-1"}.get(value, "x1")
    session = firewall.session()
    session.user("Please move it.")
    schema = {"type": "object", "properties": {name: {"default": value}}}
    AdapterSession(firewall).offer(session, [{"name": "move", "inputSchema": schema}])

    decision = firewall.check_call(ToolCall("move", {name: value}), session=session)
    is_known = not changed or name == "region"  # the author lists all regions
    assert (Verdict.CLEAN if is_known else Verdict.HALLUCINATED) == decision.verdict


@pytest.mark.parametrize("name", DEFAULTS)
@pytest.mark.parametrize("how", ["checked", "called"])
def test_the_default_of_the_function_is_known_without_a_description(name, how):
    """The call has the same effect without the argument."""
    firewall = Shield(shield.configure(on_suspicious="block"), hooks=None)
    function = shielded(firewall)(move)

    with firewall.session() as session:
        session.user("Please move it.")
        if how == "called":
            function(**{name: DEFAULTS[name]})
        else:
            firewall.check_call(ToolCall("move", {name: DEFAULTS[name]}))

    assert [Verdict.CLEAN] == [decision.verdict for decision in session.decisions]


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("described", [False, True])
@pytest.mark.parametrize("default", ["*", "/", "all", "root", "acct_77"])
def test_a_default_that_names_everything_is_not_accepted_in_a_destructive_call(
    default, described, marked
):
    """With or without a description, the model should leave the argument out."""
    targets = {"account_id": SEEN} if marked else {}
    tool = Tool(name="close", destructive=True, targets=targets)
    firewall = Shield(shield.configure(tools=[tool]), hooks=None)

    def close(account_id: str = default) -> None:
        """Close an account."""

    firewall.register(close)
    session = firewall.session()
    session.user("Please close it.")
    if described:
        properties = {"account_id": {"type": "string", "default": default}}
        schema = {"type": "object", "properties": properties}
        AdapterSession(firewall).offer(session, [{"name": "close", "inputSchema": schema}])

    decision = firewall.check_call(ToolCall("close", {"account_id": default}), session=session)
    assert (not described or default != "acct_77") == decision.blocked


@pytest.mark.parametrize("default", ["*", "/", "all", "root"])
def test_a_default_that_names_everything_is_not_seen(default):
    """For a target that must be seen, the model should leave the argument out."""
    firewall = Shield(shield.configure(), hooks=None)

    def close(account_id: Annotated[str, SEEN] = default) -> None:
        """Close an account."""

    firewall.register(close)
    session = firewall.session()
    session.user("Please close it.")

    call = ToolCall("close", {"account_id": default})
    assert firewall.check_call(call, session=session).blocked


class Line(BaseModel):
    """A line of an order."""

    label: Annotated[str | None, SEEN] = None
    account: Annotated[str, SEEN] = "acct_77"
    further: Line | None = None


@pytest.mark.parametrize("account", ["acct_77", "acct_99"])
def test_defaults_and_nulls_of_an_optional_model_are_known(account):
    """They are known like those of a required model."""
    firewall = Shield(shield.configure(), hooks=None)

    def order(line: Line | None = None) -> None:
        """Order a line."""

    firewall.register(order)
    session = firewall.session()
    session.user("Please order it.")
    line = {"label": None, "account": "acct_77", "further": {"label": None, "account": account}}

    decision = firewall.check_call(ToolCall("order", {"line": line}), session=session)
    assert (account != "acct_77") == decision.blocked


class Cat(BaseModel):
    """A cat."""

    kind: Literal["cat"]
    owner: Annotated[str | None, SEEN] = None


class Dog(BaseModel):
    """A dog, which has an owner."""

    kind: Literal["dog"]
    owner: Annotated[str, SEEN]


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Dog | Cat, {"kind": "cat", "owner": None}),
        (dict[str, Cat], {"Tom": {"kind": "cat", "owner": None}}),
        (tuple[Cat, int], [{"kind": "cat", "owner": None}, 1]),
        (Dog | Cat, {"kind": "dog", "owner": None}),
    ],
    ids=["union", "dict", "tuple", "refused by the schema"],
)
def test_null_in_one_of_several_models_does_not_mean_everything(hint, value):
    """Null means a missing member, if its type accepts null."""
    firewall = Shield(shield.configure(), hooks=None)

    def feed(pet):
        """Feed a pet."""

    feed.__annotations__["pet"] = hint
    firewall.register(feed)
    session = firewall.session()
    session.user("Please feed it.")

    decision = firewall.check_call(ToolCall("feed", {"pet": value}), session=session)
    assert ("kind" in value and value["kind"] == "dog") == decision.blocked
