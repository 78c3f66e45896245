"""An OpenAPI description read as tools: names, arguments, references, the words of 3.0."""

from __future__ import annotations

import pytest

from abs_shield import PolicyError
from abs_shield.openapi import operations
from abs_shield.schema import compile_schema

TEXT = {"type": "string"}


def described(paths, *, version="3.1.0", **schemas):
    return {"openapi": version, "paths": paths, "components": {"schemas": schemas}}


def posted(schema, *, version="3.1.0", required=True, **schemas):
    """The arguments of one operation that takes a body."""
    body = {"content": {"application/json": {"schema": schema}}, "required": required}
    paths = {"/things": {"post": {"operationId": "make", "requestBody": body}}}
    (tool,) = operations(described(paths, version=version, **schemas)).tools
    return tool.parameters


def accepts(parameters, value):
    return compile_schema(parameters, where="test", closed=True).accepts(value)


SHOP = described(
    {
        "/orders/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": TEXT}],
            "get": {
                "operationId": "getOrder",
                "summary": "One order.",
                "description": "All of it.",
            },
            "delete": {
                "parameters": [{"name": "hard", "in": "query", "schema": {"type": "boolean"}}]
            },
        },
        "/search": {"post": {"operationId": "getOrder"}},
    }
)


def test_an_operation_is_a_tool():
    """It bears its operation's id, else method and path; of two with one name both are there."""
    found = operations(SHOP)

    assert ["getOrder", "delete_orders_id", "getOrder_2"] == [tool.name for tool in found.tools]
    assert "One order.\nAll of it." == found.tools[0].description
    assert [True, False, False] == [tool.read_only for tool in found.tools]
    assert [False, True, False] == [tool.destructive for tool in found.tools]
    assert "it is `DELETE /orders/{id}`" == found.reasons["delete_orders_id"]


def test_parameters_of_the_path_and_its_own():
    """An operation has those of its path too."""
    parameters = operations(SHOP).tools[1].parameters

    assert ["id", "hard"] == [*parameters["properties"]]
    assert ["id"] == parameters["required"]


def test_headers_count_and_cookies_do_not():
    """Some headers and every cookie are the host's."""
    parameters = [
        {"name": name, "in": place, "schema": TEXT, "description": "what it is"}
        for name, place in (("X-Tenant", "header"), ("Accept", "header"), ("sid", "cookie"))
    ]
    (tool,) = operations(described({"/a": {"get": {"parameters": parameters}}})).tools

    assert {"X-Tenant": {**TEXT, "description": "what it is"}} == tool.parameters["properties"]


def test_one_name_in_two_places():
    """The body keeps its name, the parameter says its place."""
    body = {"content": {"application/json": {"schema": {"properties": {"id": TEXT}}}}}
    parameters = [{"name": "id", "in": "path", "required": True, "schema": TEXT}]
    (tool,) = operations(
        described({"/a/{id}": {"put": {"parameters": parameters, "requestBody": body}}})
    ).tools

    assert ["id__path", "id"] == [*tool.parameters["properties"]]
    assert ["id__path"] == tool.parameters["required"]


def test_a_body_of_named_members_is_merged():
    """Through references and `allOf`; what only answers have is left out."""
    order = {
        "allOf": [
            {"$ref": "#/components/schemas/Base"},
            {"properties": {"sum": {"type": "number"}, "id": TEXT | {"readOnly": True}}},
        ]
    }
    base = {"type": "object", "properties": {"shop": TEXT}, "required": ["shop", "id"]}
    parameters = posted({"$ref": "#/components/schemas/Order"}, Order=order, Base=base)

    assert {"shop": TEXT, "sum": {"type": "number"}} == parameters["properties"]
    assert ["shop"] == parameters["required"]


@pytest.mark.parametrize(
    "schema", [{"type": "array", "items": TEXT}, {"oneOf": [{"properties": {"a": TEXT}}, TEXT]}, {}]
)
def test_any_other_body_is_one_argument(schema):
    """Lists, alternatives and what is open."""
    assert {"body": schema} == posted(schema)["properties"]
    assert ["body"] == posted(schema)["required"]


def test_a_body_that_may_be_absent_requires_nothing():
    """Its members are no more required than itself."""
    parameters = posted({"properties": {"a": TEXT}, "required": ["a"]}, required=False)

    assert "required" not in parameters


def test_json_goes_before_forms():
    """Of several kinds of body the one that a model writes."""
    content = {
        "text/plain": {"schema": TEXT},
        "multipart/form-data": {"schema": {"properties": {"b": TEXT}}},
        "application/json; charset=utf-8": {"schema": {"properties": {"a": TEXT}}},
    }
    paths = {"/a": {"post": {"requestBody": {"content": content}}}}

    assert ["a"] == [*operations(described(paths)).tools[0].parameters["properties"]]


def test_a_cycle_stays_one():
    """A tree refers to itself, and is judged to any depth."""
    node = {
        "type": "object",
        "properties": {
            "name": TEXT,
            "nodes": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        },
        "required": ["name"],
    }
    parameters = posted({"properties": {"root": {"$ref": "#/components/schemas/Node"}}}, Node=node)
    leaf = {"name": "c"}

    assert accepts(parameters, {"root": {"name": "a", "nodes": [{"name": "b", "nodes": [leaf]}]}})
    assert not accepts(parameters, {"root": {"name": "a", "nodes": [{"nodes": [leaf]}]}})


def test_a_schema_made_of_itself_ends():
    """`allOf` in a circle is read once."""
    result = {"allOf": [{"$ref": "#/components/schemas/A"}, {"properties": {"a": TEXT}}]}

    assert ["a"] == [*posted({"$ref": "#/components/schemas/A"}, A=result)["properties"]]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("https://example.com/a.json#/X", "is not fetched: it admits everything"),
        ("other.yaml#/X", "is not fetched: it admits everything"),
        ("#/components/schemas/Nobody", "cannot be resolved: it admits everything"),
    ],
)
def test_a_reference_out_of_the_document_is_left_open(reference, message):
    """Nothing is fetched; what is lost is said."""
    schema = {"properties": {"a": {"$ref": reference}}}
    body = {"content": {"application/json": {"schema": schema}}}
    found = operations(described({"/a": {"post": {"requestBody": body}}}))

    assert {"a": {}} == found.tools[0].parameters["properties"]
    assert (f"reference `{reference}` {message}",) == found.remarks["post_a"]


def test_the_words_of_3_0():
    """Null and exclusive bounds are said otherwise in JSON Schema."""
    parameters = posted(
        {
            "properties": {
                "a": {"type": "integer", "nullable": True, "enum": [1, 2]},
                "b": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
                "c": {"allOf": [{"$ref": "#/components/schemas/T"}], "nullable": True},
                "nullable": {"type": "string", "example": "x", "xml": {}},
                "d": {"maximum": 5, "exclusiveMaximum": False},
            }
        },
        version="3.0.3",
        T=TEXT,
    )

    assert {"type": ["integer", "null"], "enum": [1, 2, None]} == parameters["properties"]["a"]
    assert {"type": "number", "exclusiveMinimum": 0} == parameters["properties"]["b"]
    assert {"type": "string", "example": "x"} == parameters["properties"]["nullable"]
    assert {"maximum": 5} == parameters["properties"]["d"]
    assert accepts(parameters, {"c": None})
    assert not accepts(parameters, {"c": 5})


@pytest.mark.parametrize(
    ("whole", "message"),
    [
        ([], "it is a list of 0 items; give an OpenAPI description, an object"),
        ({"swagger": "2.0"}, 'it is of Swagger "2.0"; convert it to OpenAPI 3 first'),
        ({"opnapi": "3.0.0"}, "`openapi` is null; give a description of OpenAPI 3"),
        ({"openapi": "4.0"}, '`openapi` is "4.0"; give a description of OpenAPI 3'),
        ({"openapi": "3.1.0"}, "it has no `paths`, so there are no operations"),
    ],
)
def test_what_is_no_description(whole, message):
    """One line says what it is instead."""
    with pytest.raises(PolicyError) as wrong:
        operations(whole)

    assert message == str(wrong.value)


@pytest.mark.parametrize(
    "paths",
    [
        {"/a": None, "/b": {"get": None}, "/c": {"get": {"parameters": None}}},
        {"/c": {"get": {"parameters": ["x", {"in": "query"}], "requestBody": {"content": []}}}},
        {"/c": {"get": {"requestBody": {"content": {"application/json": None}}}}},
        {"/c": {"$ref": "#/paths/~1c"}, "/d": {"get": {"operationId": 7, "summary": []}}},
    ],
)
def test_odd_members_break_nothing(paths):
    """Members that are not operations or parameters are ignored."""
    assert all(tool.parameters["type"] == "object" for tool in operations(described(paths)).tools)
