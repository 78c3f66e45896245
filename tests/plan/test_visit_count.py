"""The number of visits of a value, compared with the errors that pydantic reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from abs_shield.plan.visit_count import exceeds_visits


class Left(BaseModel):
    """A node of a tree of two kinds."""

    kind: Literal["left"] = "left"
    child: Left | Right | None = None
    n: int


class Right(BaseModel):
    """The other kind."""

    kind: Literal["right"] = "right"
    child: Left | Right | None = None
    text: str


def nested(depth: int, **leaf: Any) -> dict[str, Any]:
    """A value that fits neither kind, at any level."""
    value = leaf
    for _ in range(depth):
        value = {"child": value}
    return value


AnyNode = Annotated[Left | Right, Field(discriminator="kind")]


@pytest.mark.parametrize("depth", [1, 4, 8])
@pytest.mark.parametrize(
    ("hint", "held"),
    [
        (Left | Right, lambda node: node),
        (Left, lambda node: node),
        (list[Left | Right], lambda node: [node] * 5),
        (dict[str, Left | Right], lambda node: {"a": node}),
    ],
)
def test_visits_bound_the_errors(hint: Any, held: Callable[[Any], Any], depth: int) -> None:
    """A validation has no more errors than it has visits by the count."""
    adapter: TypeAdapter[Any] = TypeAdapter(hint)
    value = held(nested(depth, n="x"))
    with pytest.raises(ValidationError) as refused:
        adapter.validate_python(value)

    assert exceeds_visits(value, adapter.json_schema(), refused.value.error_count() - 1)


def test_a_discriminator_selects_one_branch() -> None:
    """A long list of a tagged union visits each item once."""

    items = [{"kind": "left", "n": "x"}] * 100
    plain, tagged = TypeAdapter(list[Left | Right]), TypeAdapter(list[AnyNode])

    assert exceeds_visits(items, plain.json_schema(), 1_000)
    assert not exceeds_visits(items, tagged.json_schema(), 1_000)


@pytest.mark.parametrize(
    "schema", [None, True, [], {"anyOf": 1}, {"properties": []}, {"prefixItems": {}}, {"$ref": 1}]
)
def test_an_odd_schema_is_counted(schema: Any) -> None:
    """A type may write any schema of its own."""
    assert not exceeds_visits({"a": [1, {}]}, schema, 5)
    assert exceeds_visits({"a": [1, {}]}, schema, 3)
