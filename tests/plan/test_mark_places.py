"""A nested mark that can never match is an error; one that can match is accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, Optional

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, RootModel
from typing_extensions import TypedDict

from abs_shield import PolicyError, Shield, Target, Tool, ToolCall, shield, shielded


class Line(BaseModel):
    sku: str
    count: Annotated[int, Field(ge=0)] = 1


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    sku: str


class Extra(BaseModel):
    model_config = ConfigDict(extra="allow")
    count: int = 1


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    order: str = Field(alias="orderRef")
    item: str = Field("x", validation_alias=AliasChoices("item", "itemRef"))


class Tree(BaseModel):
    sku: str = ""
    children: list[Tree] = []


class Card(BaseModel):
    kind: Literal["card"] = "card"
    number: str


class Bank(BaseModel):
    kind: Literal["bank"] = "bank"
    iban: str


class Lines(RootModel[list[Line]]):
    pass


@dataclass
class Record:
    sku: str
    line: Line | None = None


class Typed(TypedDict):
    sku: NotRequired[str]


def model(x: Line) -> None: ...
def closed(x: Closed) -> None: ...
def extra(x: Extra) -> None: ...
def aliased(x: Aliased) -> None: ...
def record(x: Record) -> None: ...
def typed(x: Typed) -> None: ...
def listed(x: list[Line]) -> None: ...
def nested(x: list[list[Line]]) -> None: ...
def pair(x: tuple[int, Line]) -> None: ...
def optional(x: Optional[Line] = None) -> None: ...  # noqa: UP045
def either(x: Line | str) -> None: ...
def paid(x: Annotated[Card | Bank, Field(discriminator="kind")]) -> None: ...
def mapped(x: dict[str, Line]) -> None: ...
def valued(x: dict[str, str]) -> None: ...
def tree(x: Tree) -> None: ...
def root(x: Lines) -> None: ...
def untyped(x: dict) -> None: ...  # type: ignore[type-arg]
def anything(x: Any) -> None: ...
def whatever(x: list) -> None: ...  # type: ignore[type-arg]
def further(**more: Line) -> None: ...


def sku(value: str) -> dict[str, Any]:
    return {"sku": value}


HONEST = [
    (model, "/x/sku", lambda v: {"x": sku(v)}),
    (closed, "/x/sku", lambda v: {"x": sku(v)}),
    (extra, "/x/sku", lambda v: {"x": sku(v)}),
    (aliased, "/x/orderRef", lambda v: {"x": {"orderRef": v}}),
    (aliased, "/x/order", lambda v: {"x": {"order": v, "orderRef": "tx_1"}}),
    (aliased, "/x/itemRef", lambda v: {"x": {"orderRef": "tx_1", "itemRef": v}}),
    (record, "/x/sku", lambda v: {"x": sku(v)}),
    (record, "/x/line/sku", lambda v: {"x": {"sku": "tx_1", "line": sku(v)}}),
    (typed, "/x/sku", lambda v: {"x": sku(v)}),
    (listed, "/x/sku", lambda v: {"x": [sku(v)]}),
    (nested, "/x/sku", lambda v: {"x": [[sku(v)]]}),
    (pair, "/x/sku", lambda v: {"x": [1, sku(v)]}),
    (optional, "/x/sku", lambda v: {"x": sku(v)}),
    (either, "/x/sku", lambda v: {"x": sku(v)}),
    (paid, "/x/iban", lambda v: {"x": {"kind": "bank", "iban": v}}),
    (mapped, "/x/*/sku", lambda v: {"x": {"k": sku(v)}}),
    (mapped, "/x/main/sku", lambda v: {"x": {"main": sku(v)}}),
    (valued, "/x/*", lambda v: {"x": {"k": v}}),
    (tree, "/x/children/children/sku", lambda v: {"x": {"children": [{"children": [sku(v)]}]}}),
    (tree, "/x/**/sku", lambda v: {"x": {"children": [sku(v)]}}),
    (root, "/x/sku", lambda v: {"x": [sku(v)]}),
    (untyped, "/x/sku", lambda v: {"x": sku(v)}),
    (untyped, "/x/lines/sku", lambda v: {"x": {"lines": [sku(v)]}}),
    (anything, "/x/sku", lambda v: {"x": sku(v)}),
    (whatever, "/x/sku", lambda v: {"x": [sku(v)]}),
    (further, "/*/sku", lambda v: {"k": sku(v)}),
]


@pytest.mark.parametrize(("function", "key", "arguments"), HONEST)
def test_a_mark_that_can_match_applies(function: Any, key: str, arguments: Any) -> None:
    """The mark is accepted, and an unseen value at its location is found."""
    declared = Tool(name=function.__name__, targets={key: Target(must_be_seen=True)})
    firewall = Shield(shield.configure(tools=[declared]), hooks=None)
    shielded(firewall)(function)
    with firewall.session() as session:
        session.user("Please do tx_1.")
        decision = firewall.check_call(ToolCall(function.__name__, arguments("tx_99999")))

    assert "HALLUCINATED" == decision.verdict


@pytest.mark.parametrize(
    ("function", "key", "hint"),
    [
        (model, "/x/skuu", "did you mean `/x/sku`?"),
        (closed, "/x/skuu", "did you mean `/x/sku`?"),
        (record, "/x/line/skuu", "did you mean `/x/line/sku`?"),
        (record, "/x/lin/sku", "did you mean `/x/line/sku`?"),
        (typed, "/x/price", "the names there are `sku`"),
        (listed, "/x/0/sku", "leave out positions of lists: `/x/sku`"),
        (listed, "/x/*/sku", "leave out positions of lists: `/x/sku`"),
        (nested, "/x/*/*/sku", "leave out positions of lists: `/x/sku`"),
        (optional, "/x/sku/id", "nothing can stand there"),
        (paid, "/x/ibann", "did you mean `/x/iban`?"),
        (valued, "/x/*/sku", "nothing can stand there"),
        (tree, "/x/children/skuu", "did you mean `/x/children/sku`?"),
        (tree, "/x/**/price", ""),
        (aliased, "/x/orderRf", "did you mean `/x/orderRef`?"),
    ],
)
def test_a_mark_that_can_never_match_is_an_error(function: Any, key: str, hint: str) -> None:
    """The error names the tool and the nearest pointer."""
    declared = Tool(name=function.__name__, targets=[key])
    firewall = Shield(shield.configure(tools=[declared]), hooks=None)

    with pytest.raises(PolicyError) as error:
        shielded(firewall)(function)
    assert f"tool `{function.__name__}`: `targets` names `{key}`, which no call can have" in str(
        error.value
    )
    assert hint in str(error.value)


LINE = {"type": "object", "properties": {"sku": {"type": "string"}}}
REQUIRED = [{"required": ["sku"]}, {"required": ["count"]}]


@pytest.mark.parametrize(
    ("schema", "possible"),
    [
        (LINE, False),
        (LINE | {"additionalProperties": True}, True),
        (LINE | {"additionalProperties": {"type": "string"}}, True),
        (LINE | {"additionalProperties": False}, False),
        (LINE | {"unevaluatedProperties": False}, False),
        (LINE | {"patternProperties": {"^p": {}}}, True),
        (LINE | {"anyOf": REQUIRED}, False),
        ({"type": "object"}, True),
        ({"type": "object", "anyOf": REQUIRED}, True),
        ({"required": ["sku"]}, True),
        ({}, True),
        ({"description": "anything"}, True),
        (True, True),
        ({"type": "string"}, False),
        ({"type": ["string", "null"]}, False),
        ({"type": ["object", "string"]}, True),
        ({"enum": ["a", "b"]}, False),
        ({"enum": ["a", {"price": 1}]}, True),
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, False),
        ({"anyOf": [LINE, {"type": "object"}]}, True),
        ({"oneOf": [LINE, {"properties": {"price": {}}}]}, True),
        ({"allOf": [LINE, {"properties": {"price": {}}}]}, True),
        ({"if": LINE, "then": {"properties": {"price": {}}}}, True),
        (LINE | {"dependentSchemas": {"sku": {"properties": {"price": {}}}}}, True),
        ({"type": "array"}, True),
        ({"type": "array", "items": LINE}, False),
        ({"type": ["object", "array"], "items": LINE}, True),
        ({"type": "array", "items": {"type": "array", "items": {"$ref": "#/$defs/line"}}}, False),
        ({"type": "array", "prefixItems": [LINE]}, True),
        ({"type": "array", "prefixItems": [LINE], "maxItems": 1}, False),
        ({"type": "array", "prefixItems": [LINE], "items": False}, False),
        ({"type": "array", "prefixItems": [LINE], "items": {"type": "object"}}, True),
        ({"$ref": "#/$defs/line"}, False),
        ({"$ref": "#/$defs/a~1b"}, True),
    ],
)
def test_a_schema_says_what_can_stand_there(schema: Any, possible: bool) -> None:
    """An object with declared members has no others, unless its schema allows them."""
    parameters = {
        "type": "object",
        "properties": {"x": schema},
        "$defs": {
            "line": LINE,
            "a/b": {"properties": {"price": {}}},
        },
    }
    firewall = Shield(shield.configure(), hooks=None)
    refused = ""
    try:
        firewall.register(Tool(name="buy", parameters=parameters, soft=("/x/price",)))
    except PolicyError as error:
        refused = str(error)

    assert ("" if possible else "which no call can have") in refused
    assert possible is not bool(refused)


def test_a_description_may_lack_the_place() -> None:
    """A mark is accepted if a server's or framework's description lacks the location."""
    declared = Tool(name="buy", targets=["/x/sku"])
    firewall = Shield(shield.configure(tools=[declared]), hooks=None)
    parameters = {"type": "object", "properties": {"x": {"type": "string"}}}
    firewall.registry.describe(Tool(name="buy", parameters=parameters), tolerant=True)

    assert "CLEAN" == firewall.check_call(ToolCall("buy", {"x": "a"})).verdict
