"""No description loosens the declarations of a tool's author."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple

import pytest
from pydantic import Field

from abs_shield import Free, PolicyError, Shield, Target, Tool, ToolCall, Verdict, rule, shield
from abs_shield.core import LAYER_NAMES
from abs_shield.core.tool_shapes import read_tool
from abs_shield.policy import tool_of
from abs_shield.shield.adapter_session import AdapterSession

TEXT = {"type": "string"}
ACCOUNT = "acct_666"
SEEN = Target(must_be_seen=True)


def schema_of(**properties: Any) -> dict[str, Any]:
    """Return the schema of a tool that requires all of its parameters."""
    return {"type": "object", "properties": properties, "required": [*properties]}


@rule(tool="act")
def small(amount: float) -> bool:
    """Amounts are at most 100."""
    return amount <= 100


def seen(account_id: Annotated[str, SEEN]) -> str:
    """Close an account."""
    return account_id


def any_type(account_id: Annotated[Any, SEEN]) -> str:
    """Close an account."""
    return str(account_id)


def further(**accounts: Annotated[str, SEEN]) -> str:
    """Close all accounts."""
    return str(accounts)


def nested(order: Annotated[dict[str, Any], SEEN]) -> str:
    """Close an order."""
    return str(order)


def bounded(amount: Annotated[float, Field(le=100)]) -> str:
    """Act on an amount."""
    return str(amount)


def further_bounded(**amounts: Annotated[float, Field(le=100)]) -> str:
    """Act on amounts."""
    return str(amounts)


def unbounded(amount: float) -> str:
    """Act on an amount."""
    return str(amount)


def untyped(amount) -> str:  # type: ignore[no-untyped-def]
    """Act on an amount."""
    return str(amount)


def plain(account_id: str) -> str:
    """Act on an account."""
    return account_id


def composed(note: Annotated[str, Free()]) -> str:
    """Write a note."""
    return note


class Declared(NamedTuple):
    """An author's declaration, and a call that it does not allow."""

    tool: Tool | Callable[..., str] | tuple[Any, ...]
    arguments: dict[str, Any]
    policy: Mapping[str, Any] = {}

    @property
    def hosts(self) -> tuple[Any, ...]:
        """Return the declarations of the host."""
        return self.tool if isinstance(self.tool, tuple) else (self.tool,)


def tool(parameters: Any = None, **declared: Any) -> Tool:
    """Return a `Tool` of the host."""
    return Tool(name="act", parameters=parameters, **declared)


ONE = schema_of(account_id=TEXT)
OPTIONAL = {"type": "object", "properties": {"account_id": TEXT}}
AMOUNT = schema_of(amount={"type": "number", "maximum": 100})
ALL = [*LAYER_NAMES, "uninformed_write"]
DECLARED = {
    "must be seen": Declared(tool(ONE, targets={"account_id": SEEN}), {"account_id": ACCOUNT}),
    "target": Declared(tool(ONE, targets=["account_id"]), {"account_id": ACCOUNT}),
    "destructive": Declared(tool(ONE, destructive=True), {"account_id": ACCOUNT}),
    "destructive target": Declared(
        tool(ONE, targets=["account_id"], destructive=True), {"account_id": ACCOUNT}
    ),
    "soft": Declared(tool(schema_of(payee=TEXT), soft=["payee"]), {"payee": "Al Green"}),
    "free": Declared(tool(schema_of(note=TEXT), free=["note"]), {"note": "<order_id>"}),
    "name": Declared(tool(schema_of(city=TEXT), destructive=True), {"city": "Quito"}),
    "selector": Declared(tool(schema_of(query=TEXT), destructive=True), {"query": "*"}),
    "pointer": Declared(
        tool(
            schema_of(order={"type": "object", "properties": {"account_id": TEXT}}),
            targets={"/order/account_id": SEEN},
        ),
        {"order": {"account_id": ACCOUNT}},
    ),
    "list": Declared(
        tool(schema_of(ids={"type": "array", "items": TEXT}), targets={"ids": SEEN}),
        {"ids": [ACCOUNT]},
    ),
    "empty": Declared(tool(ONE, targets={"account_id": SEEN}), {"account_id": ""}),
    "null": Declared(tool(schema_of(id={}), targets={"id": SEEN}), {"id": None}),
    "boolean": Declared(tool(schema_of(id={}), targets={"id": SEEN}), {"id": True}),
    "omitted": Declared(tool(OPTIONAL, targets=["account_id"], destructive=True), {}),
    "bound": Declared(tool(AMOUNT), {"amount": 500}),
    "listed": Declared(tool(schema_of(kind={"enum": ["a", "b"]})), {"kind": "c"}),
    "pattern": Declared(tool(schema_of(code={**TEXT, "pattern": "^a"})), {"code": "zz"}),
    "strict": Declared(tool(AMOUNT, mode="strict"), {"amount": 500}, {"mode": "audit"}),
    "read first": Declared(
        tool(schema_of(note=TEXT), reads_first=["look"]), {"note": "ok"}, {"layers": ALL}
    ),
    "rule": Declared(tool(schema_of(amount={})), {"amount": 500}, {"rules": [small]}),
    "function": Declared(seen, {"account_id": ACCOUNT}),
    "any type": Declared(any_type, {"account_id": None}),
    "further": Declared(further, {"account_id": ACCOUNT}),
    "object": Declared(nested, {"order": {"account_id": ACCOUNT}}),
    "bounded": Declared(bounded, {"amount": 500}),
    "further bounded": Declared(further_bounded, {"amount": 500}),
    "composed": Declared(composed, {"note": "<order_id>"}),
    "both": Declared((tool(AMOUNT), unbounded), {"amount": 500}),
    "both, any type": Declared((tool(AMOUNT), untyped), {"amount": 500}),
    "both, first marks": Declared(
        (tool(ONE, targets={"account_id": SEEN}), plain), {"account_id": ACCOUNT}
    ),
}
HINTS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}
TYPES = {str: TEXT, int: {"type": "number"}, list: {"type": "array", "items": TEXT}}


def accepting_descriptions(arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield descriptions of a tool that accept the arguments."""
    [(name, value)] = [*arguments.items()] or [("account_id", ACCOUNT)]
    own = TYPES.get(type(value), {})
    inner = {"default": ACCOUNT, "enum": [ACCOUNT, "b"]}
    admitted = {**own, "default": value, "enum": [value, "b"]}
    schemas = [
        {**own, "default": value},
        {**own, "enum": [value, "b"]},
        {"const": value},
        {**own, "examples": [value], "title": str(value), "format": "x-any", "pattern": ".*"},
        {**own, "description": f"One of '{value}' or 'b'; {value} is the new file to create."},
        {**own, "x-free": True, "x-creates": True, "readOnly": True, "contentMediaType": "a/b"},
        {"anyOf": [{**admitted}, {"type": "null"}], "default": None},
        {"oneOf": [{"const": value}, {"const": "b"}], "discriminator": {"propertyName": "kind"}},
        {"allOf": [admitted]},
        {"$ref": "#/$defs/one"},
        {"type": ["string", "number", "boolean", "object", "array", "null"]},
        {"properties": {"account_id": inner}, "additionalProperties": inner},
        {"items": inner},
        True,
    ]
    for schema in schemas:
        yield {"properties": {name: schema}, "$defs": {"one": admitted}}
    yield {"properties": {"further": {}}, "additionalProperties": {"default": value}}
    yield {"properties": {"further": {}}, "unevaluatedProperties": admitted}
    yield {"patternProperties": {".*": admitted}}
    yield {"properties": {name: own}, "default": arguments, "examples": [arguments]}
    yield {"allOf": [{"properties": {name: admitted}}]}
    yield {"$ref": "#/$defs/all", "$defs": {"all": {"properties": {name: admitted}}}}
    yield {"if": {}, "then": {"properties": {name: admitted}}, "properties": {name: own}}
    yield {"type": "object"}
    yield {"properties": {name: {"type": "nonsense"}}}


def descriptions(arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the same descriptions, and variants with hints and texts of an MCP server."""
    for schema in accepting_descriptions(arguments):
        yield {"name": "act", "inputSchema": {"type": "object", **schema}}
    for text in ("Create a new one.", "Returns all accounts."):
        [(name, _)] = [*arguments.items()] or [("account_id", None)]
        schema = {"type": "object", "properties": {name: {}}}
        yield {"name": "act", "description": text, "inputSchema": schema, "annotations": HINTS}
    yield {"name": "act", "annotations": HINTS}


def firewall_of(declared: Declared, entry: str, description: Any = None) -> Shield:
    """Return a Shield with the declaration, and the description if *entry* registers it."""
    by_policy = entry.startswith("policy")
    policy = {"mode": "strict", **declared.policy}
    if by_policy:
        policy["tools"] = [declared.tool]
    firewall = Shield(shield.configure(**policy), hooks=None)
    if description is not None and entry == "first":
        firewall.register(description, tolerant=True)
    for host in () if by_policy else declared.hosts:
        firewall.register(host if isinstance(host, Tool) else with_tool_name(host))
    if description is not None and entry in ("last", "policy, last"):
        firewall.register(description, tolerant=True)
    elif description is not None and entry == "policy, run":
        firewall.registry.add_uncompiled([tool_of(read_tool(description))])
    return firewall


def decide(
    firewall: Shield, declared: Declared, entry: str, description: Any = None
) -> tuple[bool, Verdict]:
    """Judge the call in a session that has *description* if *entry* offers it to sessions."""
    session = firewall.session()
    session.user("Please act on acct_1 and pay 5.")
    for _ in range(entry.count("child")):
        if description is not None:
            AdapterSession(firewall).offer(session, [description])
        session = session.child()
    if description is not None and entry.endswith(("offer", "child")):
        AdapterSession(firewall).offer(session, [description])
    decision = firewall.check_call(ToolCall("act", declared.arguments), session=session)
    return decision.blocked, decision.verdict


def with_tool_name(function: Callable[..., str]) -> Callable[..., str]:
    """Return the function with the name of the tool."""
    function.__name__ = "act"
    return function


ENTRIES = ["first", "last", "offer", "child", "child child"]
BY_POLICY = ["policy, last", "policy, offer", "policy, run"]


ROWS = [
    (name, entry)
    for name, row in DECLARED.items()
    for entry in [*ENTRIES, *(BY_POLICY if isinstance(row.tool, Tool) else ())]
]


@pytest.mark.parametrize(("declared", "entry"), ROWS)
def test_a_description_loosens_no_declaration(declared: str, entry: str) -> None:
    """The decision about a call is never milder than it is without the description."""
    row = DECLARED[declared]
    firewall = firewall_of(row, entry)
    blocked, verdict = decide(firewall, row, entry)
    per_session = entry.endswith(("offer", "child"))
    milder = []
    for description in descriptions(row.arguments):
        try:
            other_firewall = firewall if per_session else firewall_of(row, entry, description)
            other_blocked, other = decide(other_firewall, row, entry, description)
        except PolicyError:  # a description that does not fit is refused at registration
            continue
        if (blocked and not other_blocked) or other < verdict:
            milder.append(description)

    assert Verdict.CLEAN != verdict
    assert [] == milder


def tagged(note: Annotated[str, Free()]) -> str:
    """Act on a note."""
    return note


def spelt(note: str) -> str:
    """Act on a note."""
    return note


NOTE = schema_of(note=TEXT)
ADDED = [
    {"targets": {"note": SEEN}},
    {"targets": ["note"]},
    {"soft": ["note"]},
    {"free": ["note"]},
    {"creates": ["note"]},
    {"destructive": True, "targets": ["note"]},
    {"reads_first": ["look"]},
    {"reads_first": ["find"]},
    {"mode": "strict"},
    {"read_only": False},
    {"read_only": True},
    {"parameters": NOTE},
    {},
]


def decide_note(first: Any, *later: Any, policy: Any = None) -> tuple[bool, Verdict, int]:
    """Judge a call by all declarations of a tool; return its outcome."""
    tools = [] if policy is None else [policy]
    firewall = Shield(shield.configure(layers=ALL, tools=tools), hooks=None)
    for declaration in (first, *later):
        firewall.register(declaration)
    session = firewall.session()
    session.user("Please act on acct_1 and pay 5.")
    call = ToolCall("act", {"note": "Acct-666"})
    decision = firewall.check_call(call, session=session)
    plan = firewall.registry["act"].plan
    unread = sum(finding.check == "uninformed_write" for finding in decision.findings)
    return decision.blocked, decision.verdict, unread + 10 * (not plan.tool.read_only)


def case_name(each: Any) -> str:
    """Return the name of a function, or the text of its marks."""
    return getattr(each, "__name__", str(each))


@pytest.mark.parametrize("second", ADDED, ids=str)
@pytest.mark.parametrize(
    "first", [*ADDED, tagged, spelt], ids=lambda each: getattr(each, "__name__", str(each))
)
def test_two_declarations_of_the_host_are_merged(first: Any, second: Any) -> None:
    """Together they are at least as strict as each of them alone."""
    tools = [with_tool_name(each) if callable(each) else tool(**each) for each in (first, second)]
    # without parameters of its own, a `Tool` alone has no schema to judge by
    alone = [decide_note(each) for each in tools]
    together = [decide_note(*tools)]
    # the policy takes precedence, and may say that the agent composes a value
    if second != {"free": ["note"]}:
        together.append(decide_note(tools[0], policy=tools[1]))
    for both in together:
        for one in alone:
            assert all(a >= b for a, b in zip(both[:2], one[:2], strict=True)), (both, one)
            assert both[2] % 10 >= one[2] % 10


def test_the_strict_mode_of_two_declarations_applies() -> None:
    """A second `Tool` in audit mode is rejected; one in strict mode applies."""
    firewall = Shield(shield.configure(mode="audit"), hooks=None)
    for mode in ("audit", "strict"):
        firewall.register(tool(AMOUNT, mode=mode))

    assert firewall.check_call(ToolCall("act", {"amount": 500})).blocked
    with pytest.raises(PolicyError, match="`mode` is audit"):
        firewall.register(tool(AMOUNT, mode="audit"))


@pytest.mark.parametrize("target", [Target(), Target(allow=[ACCOUNT]), SEEN])
def test_a_registered_target_does_not_allow_values_of_a_sessions_function(target: Target) -> None:
    """Only the function's own `Target` allows values, as for a registered function."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)
    firewall.register(tool(targets={"account_id": target}))
    session = firewall.session(functions={"act": seen})
    session.user("Please act on acct_1.")

    for agent in (session, session.child()):
        AdapterSession(firewall).offer(agent, [{"name": "act", "inputSchema": ONE}])
        decision = firewall.check_call(ToolCall("act", {"account_id": ACCOUNT}), session=agent)
        assert decision.blocked
