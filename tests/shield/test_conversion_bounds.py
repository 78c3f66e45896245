"""The conversion of arguments that the schema rejects takes bounded time and memory."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

import pytest
from pydantic import BaseModel, create_model

from abs_shield import Decision, Shield, ToolCall, Verdict, shield, shielded
from abs_shield.schema import compile_schema
from tests.hostile.steps import steps


class Left(BaseModel):
    """A node of a tree of two kinds."""

    child: Left | Right | None = None
    n: int = 0


class Right(BaseModel):
    """The other kind."""

    child: Left | Right | None = None
    text: str = ""


MODELS = [create_model(f"Model{n}", **{f"a{n}": int, "b": str}) for n in range(40)]  # type: ignore[call-overload]
UNION = reduce(or_, MODELS)


def judge_value(hint: Any, value: Any) -> Decision:
    """Judge a call of a function with one parameter of the type *hint*."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)

    def act(value: Any) -> None:
        """Act on a value."""

    act.__annotations__["value"] = hint
    shielded(firewall)(act)
    return firewall.check_call(ToolCall("act", {"value": value}))


def tree(depth: int) -> dict[str, Any]:
    """A tree whose only leaf fits neither kind."""
    value: dict[str, Any] = {"n": "x", "text": 5}
    for _ in range(depth):
        value = {"child": value}
    return value


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize(
    ("hint", "value"),
    [(list[UNION], [None] * 99_000), (list[UNION], [{}] * 99_000), (Left | Right, tree(20))],  # type: ignore[valid-type]
    ids=["nulls", "empty objects", "a tree"],
)
def test_a_wrong_value_for_a_large_union_is_found(hint: Any, value: Any) -> None:
    """Without a bound, pydantic takes a minute and gigabytes for the errors of all branches."""
    assert Verdict.HALLUCINATED == judge_value(hint, value).verdict


@pytest.mark.parametrize("item", [None, 7, "x", [], {}])
def test_equal_items_are_compared_with_a_branch_once(item: Any) -> None:
    """A thousand equal items take few steps more than a hundred."""
    branches = [{"type": "object", "required": [f"a{n}"]} for n in range(40)]
    schema = compile_schema({"items": {"anyOf": branches}})
    hundred, thousand = (
        steps(lambda size=size: schema.problems([item] * size))  # type: ignore[misc]
        for size in (100, 1_000)
    )

    assert thousand < 3 * hundred


@pytest.mark.parametrize("size", [10, 5_000, 90_000])
def test_a_long_list_converts(size: int) -> None:
    """Numbers that a model wrote as text are a slip in a long list, too."""
    decision = judge_value(list[int], ["7"] * size)

    assert Verdict.SUSPICIOUS == decision.verdict
    assert not decision.blocked
