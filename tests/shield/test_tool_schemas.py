"""Schemas for the model, in every provider's form, without keywords that strict modes reject."""

from __future__ import annotations

import copy
import json
from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import AnyUrl, BaseModel, Field, WithJsonSchema

from abs_shield import Injected, PolicyError, Shield, Tool, shield
from abs_shield.schema.subschemas import children
from abs_shield.shield.tool_schemas import FORMATS

PROVIDERS = ("openai", "responses", "anthropic", "mcp")
Price = Annotated[Decimal, Field(gt=0, le=500)]


class Line(BaseModel):
    """One line of an order."""

    price: Price
    sku: str


def order(
    lines: list[Line],
    total: Annotated[Price, Field(description="The sum of all lines.")],
    within: timedelta,
    url: AnyUrl,
    code: Annotated[str, WithJsonSchema({"type": "string", "pattern": "^(?!x)[a-z]+$"})],
    client: Annotated[Any, Injected()] = None,
    note: str | None = None,
) -> str:
    """Order something."""
    return "ordered"


@pytest.fixture
def firewall() -> Shield:
    """Return a Shield without hooks, with two tools."""
    guard = Shield(shield.configure(mode="strict"), hooks=None)
    guard.register(order)
    guard.register({"name": "help"})
    return guard


def parameters(shape: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a tool in any shape."""
    inner = shape.get("function", shape)
    return next(inner[k] for k in ("parameters", "input_schema", "inputSchema") if k in inner)


def nodes(schema: Any) -> list[dict[str, Any]]:
    """Return a schema, and every schema in it."""
    if not isinstance(schema, dict):
        return []
    return [schema, *(node for _, child in children(schema) for node in nodes(child))]


def test_each_provider_has_its_shape(firewall):
    """Each shape has the name, the description and the schema of an object."""
    none = {"type": "object", "properties": {}}
    assert {
        "openai": {
            "type": "function",
            "function": {"name": "help", "description": "", "parameters": none},
        },
        "responses": {
            "type": "function", "name": "help", "description": "", "parameters": none,
            "strict": False,
        },
        "anthropic": {"name": "help", "description": "", "input_schema": none},
        "mcp": {"name": "help", "description": "", "inputSchema": none},
    } == {provider: firewall.tool_schemas(provider)[1] for provider in PROVIDERS}  # fmt: skip


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_function_is_described_by_its_signature(firewall, provider):
    """The shape has its docstring and parameters, without injected ones."""
    shape = firewall.tool_schemas(provider)[0]
    schema = parameters(shape)

    assert "Order something." == shape.get("function", shape)["description"]
    assert ["lines", "total", "within", "url", "code", "note"] == [*schema["properties"]]
    assert ["lines", "total", "within", "url", "code"] == schema["required"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_schemas_have_no_keywords_that_a_strict_mode_rejects(firewall, provider):
    """No custom formats, at any depth, and no lookaround in a pattern."""
    results = nodes(parameters(firewall.tool_schemas(provider)[0]))

    assert {"duration"} == {node["format"] for node in results if "format" in node} <= FORMATS
    assert not [node for node in results if "(?" in node.get("pattern", "")]


def test_removed_keywords_are_in_the_description(firewall):
    """The description has the bounds; a number still has them as keywords."""
    schema = parameters(firewall.tool_schemas("openai")[0])
    number, text = schema["properties"]["total"]["anyOf"]
    price = schema["$defs"]["Line"]["properties"]["price"]["anyOf"]

    assert {"type": "number", "exclusiveMinimum": 0, "maximum": 500} == number == price[0]
    assert "a number > 0, <= 500" == text["description"] == price[1]["description"]
    assert "The sum of all lines." == schema["properties"]["total"]["description"]
    assert "format: uri" == schema["properties"]["url"]["description"]
    assert "pattern: ^(?!x)[a-z]+$" == schema["properties"]["code"]["description"]


def test_calls_are_judged_by_the_full_schema(firewall):
    """Values that only the removed keywords reject are still blocked."""
    before = copy.deepcopy(dict(firewall.registry["order"].plan.tool.parameters))
    firewall.tool_schemas("openai")[0]["function"]["parameters"]["properties"].clear()
    lines = [{"price": "600", "sku": "a"}]
    arguments = {"lines": lines, "total": "600", "within": "P", "url": "no url", "code": "xy"}

    findings = firewall.check_call({"name": "order", "arguments": arguments}).findings
    assert {"lines", "total", "within", "url", "code"} == {
        finding.where.split("/")[2] for finding in findings
    }
    assert before == firewall.registry["order"].plan.tool.parameters


@pytest.mark.parametrize("provider", PROVIDERS)
def test_another_shield_can_register_them(firewall, provider):
    """Each shape can be registered, also after a round trip through JSON."""
    other = Shield(shield.configure(mode="strict"), hooks=None)
    for shape in json.loads(json.dumps(firewall.tool_schemas(provider))):
        other.register(shape)

    assert ["order", "help"] == [*other.registry]


def test_a_session_offers_what_it_may_call(firewall):
    """It includes its own functions, and only its tools; by default it is the current session."""

    def whoami() -> str:
        """Say whose data this is."""
        return "A"

    def names(session=None):
        return [shape["name"] for shape in firewall.tool_schemas("anthropic", session=session)]

    narrow = firewall.session(functions=[whoami], tools=["whoami", "help"])
    assert ["help", "whoami"] == names(narrow)
    with firewall.session(functions=[whoami]):
        assert ["order", "help", "whoami"] == names()
        assert ["help", "whoami"] == names(narrow)
    assert ["order", "help"] == names()


def test_the_sessions_function_is_offered_in_place_of_a_registered_one(firewall):
    """The offered schema is that by which its calls are judged."""

    def order(number: int) -> str:
        """Order by number."""
        return "ordered"

    with firewall.session(functions=[order]):
        (shape, _) = firewall.tool_schemas("openai")
    assert ["number"] == [*parameters(shape)["properties"]]


def test_mcp_has_the_tools_hints():
    """The author's declarations become hints of the protocol."""
    tools = [Tool(name="drop", destructive=True), Tool(name="look", read_only=True)]
    guard = Shield(shield.configure(tools=tools), hooks=None)

    assert [{"destructiveHint": True}, {"readOnlyHint": True}] == [
        shape["annotations"] for shape in guard.tool_schemas("mcp")
    ]


@pytest.mark.parametrize(
    ("provider", "hint"),
    [
        ("antropic", "did you mean `anthropic`?"),
        ("zzz", "use one of openai, responses, anthropic, gemini, bedrock, mcp"),
        (None, "use one of openai"),
    ],
)
def test_an_unknown_provider_is_refused(firewall, provider, hint):
    """The message has the nearest name, even without tools."""
    empty = Shield(shield.configure(), hooks=None)
    for guard in (firewall, empty):
        with pytest.raises(PolicyError) as refused:
            guard.tool_schemas(provider)
        assert hint in str(refused.value)
