"""The tools, arguments and schemas that are read from an OpenAPI description."""

from __future__ import annotations

import pytest

from abs_shield import PolicyError
from abs_shield.openapi import operations
from abs_shield.schema import compile_schema

TEXT = {"type": "string"}


def read_description(paths, *, version="3.1.0", **schemas):
    return {"openapi": version, "paths": paths, "components": {"schemas": schemas}}


def body_parameters(schema, *, version="3.1.0", required=True, **schemas):
    """Return the parameters of the tool of one operation with a request body."""
    body = {"content": {"application/json": {"schema": schema}}, "required": required}
    paths = {"/things": {"post": {"operationId": "make", "requestBody": body}}}
    (tool,) = operations(read_description(paths, version=version, **schemas)).tools
    return tool.parameters


def accepts(parameters, value):
    return compile_schema(parameters, where="test", closed=True).accepts(value)


SHOP = read_description(
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
    """A tool is named by operation id or by method and path; a duplicate gets a suffix."""
    found = operations(SHOP)

    assert ["getOrder", "delete_orders_id", "getOrder_2"] == [tool.name for tool in found.tools]
    assert "One order.\nAll of it." == found.tools[0].description
    assert [True, False, False] == [tool.read_only for tool in found.tools]
    assert [False, True, False] == [tool.destructive for tool in found.tools]
    assert "it is `DELETE /orders/{id}`" == found.reasons["delete_orders_id"]


def test_tool_has_parameters_of_path_and_operation():
    """A tool has the parameters of its path and of its operation."""
    parameters = operations(SHOP).tools[1].parameters

    assert ["id", "hard"] == [*parameters["properties"]]
    assert ["id"] == parameters["required"]


def test_headers_are_parameters_and_cookies_are_not():
    """A custom header is a parameter; standard headers and cookies are not."""
    parameters = [
        {"name": name, "in": place, "schema": TEXT, "description": "what it is"}
        for name, place in (("X-Tenant", "header"), ("Accept", "header"), ("sid", "cookie"))
    ]
    (tool,) = operations(read_description({"/a": {"get": {"parameters": parameters}}})).tools

    assert {"X-Tenant": {**TEXT, "description": "what it is"}} == tool.parameters["properties"]


def test_parameter_with_the_name_of_a_body_member_is_renamed():
    """A parameter with the name of a body member gets its location as suffix."""
    body = {"content": {"application/json": {"schema": {"properties": {"id": TEXT}}}}}
    parameters = [{"name": "id", "in": "path", "required": True, "schema": TEXT}]
    (tool,) = operations(
        read_description({"/a/{id}": {"put": {"parameters": parameters, "requestBody": body}}})
    ).tools

    assert ["id__path", "id"] == [*tool.parameters["properties"]]
    assert ["id__path"] == tool.parameters["required"]


def test_members_of_an_object_body_are_parameters():
    """Members of an object body are parameters, without those that are read-only."""
    order = {
        "allOf": [
            {"$ref": "#/components/schemas/Base"},
            {"properties": {"sum": {"type": "number"}, "id": TEXT | {"readOnly": True}}},
        ]
    }
    base = {"type": "object", "properties": {"shop": TEXT}, "required": ["shop", "id"]}
    parameters = body_parameters({"$ref": "#/components/schemas/Order"}, Order=order, Base=base)

    assert {"shop": TEXT, "sum": {"type": "number"}} == parameters["properties"]
    assert ["shop"] == parameters["required"]


@pytest.mark.parametrize(
    "schema", [{"type": "array", "items": TEXT}, {"oneOf": [{"properties": {"a": TEXT}}, TEXT]}, {}]
)
def test_other_body_is_one_parameter(schema):
    """A body that is a list, a union or open is one parameter named `body`."""
    assert {"body": schema} == body_parameters(schema)["properties"]
    assert ["body"] == body_parameters(schema)["required"]


def test_members_of_an_optional_body_are_optional():
    """The members of an optional body are optional."""
    parameters = body_parameters({"properties": {"a": TEXT}, "required": ["a"]}, required=False)

    assert "required" not in parameters


def test_json_is_preferred_to_forms():
    """A JSON body is preferred to a form and to plain text."""
    content = {
        "text/plain": {"schema": TEXT},
        "multipart/form-data": {"schema": {"properties": {"b": TEXT}}},
        "application/json; charset=utf-8": {"schema": {"properties": {"a": TEXT}}},
    }
    paths = {"/a": {"post": {"requestBody": {"content": content}}}}

    assert ["a"] == [*operations(read_description(paths)).tools[0].parameters["properties"]]


def test_recursive_schema_is_checked_at_any_depth():
    """A schema that refers to itself is checked at any depth."""
    node = {
        "type": "object",
        "properties": {
            "name": TEXT,
            "nodes": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        },
        "required": ["name"],
    }
    parameters = body_parameters(
        {"properties": {"root": {"$ref": "#/components/schemas/Node"}}}, Node=node
    )
    leaf = {"name": "c"}

    assert accepts(parameters, {"root": {"name": "a", "nodes": [{"name": "b", "nodes": [leaf]}]}})
    assert not accepts(parameters, {"root": {"name": "a", "nodes": [{"nodes": [leaf]}]}})


def test_circular_all_of_terminates():
    """A schema that contains itself in `allOf` is read once."""
    result = {"allOf": [{"$ref": "#/components/schemas/A"}, {"properties": {"a": TEXT}}]}

    assert ["a"] == [*body_parameters({"$ref": "#/components/schemas/A"}, A=result)["properties"]]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("https://example.com/a.json#/X", "is not fetched: it admits everything"),
        ("other.yaml#/X", "is not fetched: it admits everything"),
        ("#/components/schemas/Nobody", "cannot be resolved: it admits everything"),
    ],
)
def test_unresolved_reference_accepts_everything(reference, message):
    """A reference that cannot be resolved accepts any value, is not fetched and is remarked."""
    schema = {"properties": {"a": {"$ref": reference}}}
    body = {"content": {"application/json": {"schema": schema}}}
    found = operations(read_description({"/a": {"post": {"requestBody": body}}}))

    assert {"a": {}} == found.tools[0].parameters["properties"]
    assert (f"reference `{reference}` {message}",) == found.remarks["post_a"]


def test_keywords_of_3_0_are_converted():
    """`nullable` and exclusive bounds of OpenAPI 3.0 are converted to JSON Schema."""
    parameters = body_parameters(
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
def test_invalid_description_is_refused(whole, message):
    """An invalid description raises a PolicyError whose message says what it is."""
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
def test_invalid_members_are_ignored(paths):
    """Members that are not operations or parameters are ignored."""
    assert all(
        tool.parameters["type"] == "object" for tool in operations(read_description(paths)).tools
    )
