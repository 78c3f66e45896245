"""The default of a nested member passes without a mention in any container."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from abs_shield import Decision, Shield, Target, Tool, ToolCall, Verdict, shield
from abs_shield.shield.adapter_session import AdapterSession

Account = Annotated[str, Target(must_be_seen=True)]


class Transfer(BaseModel):
    """One kind of model."""

    account: Account = "acct_77"
    amount: int = 0


class Card(BaseModel):
    """Another kind."""

    account: Account = "acct_88"
    code: int = 0


def union(x: Transfer | Card) -> None: ...
def several(x: list[Transfer | Card]) -> None: ...
def by_name(x: dict[str, Card]) -> None: ...
def pair(x: tuple[Card, int]) -> None: ...
def kinds(x: tuple[Transfer, Card]) -> None: ...
def deep(x: dict[str, tuple[Transfer | Card, int]]) -> None: ...


HELD: dict[Any, Any] = {
    union: lambda card: card,
    several: lambda card: [{"account": "acct_77", "amount": 1}, card],
    by_name: lambda card: {"first": card},
    pair: lambda card: [card, 1],
    kinds: lambda card: [{"account": "acct_77", "amount": 1}, card],
    deep: lambda card: {"first": [card, 1]},
}


def without_defaults(schema: Any) -> Any:
    """The schema as a framework may describe it."""
    if isinstance(schema, dict):
        return {k: without_defaults(v) for k, v in schema.items() if k != "default"}
    return [*map(without_defaults, schema)] if isinstance(schema, list) else schema


def judge_account(
    function: Any, account: str, described: str, *, destructive: bool = False
) -> Decision:
    """Judge a call with a card of that account."""
    tools = [Tool(name=function.__name__, destructive=destructive)]
    firewall = Shield(shield.configure(tools=tools), hooks=None)
    firewall.register(function)
    session = firewall.session()
    session.user("Please do it.")
    schema = firewall.registry[function.__name__].plan.tool.parameters
    schemas = {"equal": schema, "open": {}, "without": without_defaults(schema)}
    if described in schemas:
        description = {"name": function.__name__, "inputSchema": schemas[described]}
        AdapterSession(firewall).offer(session, [description])
    value = HELD[function]({"account": account, "code": 1})
    return firewall.check_call(ToolCall(function.__name__, {"x": value}), session=session)


@pytest.mark.parametrize("described", ["", "equal", "open", "without"])
@pytest.mark.parametrize("function", HELD, ids=lambda function: function.__name__)
def test_default_in_a_nested_model_passes(function: Any, described: str) -> None:
    """The default of a model in a union, a mapping or a tuple passes; other values are blocked."""
    assert Verdict.CLEAN == judge_account(function, "acct_88", described).verdict
    assert judge_account(function, "acct_99", described).blocked


@pytest.mark.parametrize(("described", "runs"), [("", True), ("equal", True), ("without", False)])
@pytest.mark.parametrize("function", HELD, ids=lambda function: function.__name__)
def test_destructive_call_accepts_only_a_described_default(
    function: Any, described: str, runs: bool
) -> None:
    """A destructive call accepts a default only if the schema that the model reads shows it."""
    assert runs is not judge_account(function, "acct_88", described, destructive=True).blocked
