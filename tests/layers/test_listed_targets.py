"""A marked target passes without a mention if the author's schema lists it."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

import pytest

from abs_shield import Decision, Shield, Target, Tool, ToolCall, Verdict, shield, shielded
from abs_shield.shield.adapter_session import AdapterSession

SEEN = Target(must_be_seen=True)
REGIONS = ["eu-west-1", "us-east-1"]


class Region(Enum):
    """An enum of texts."""

    EUROPE = "eu-west-1"
    AMERICA = "us-east-1"


def judge_value(hint: Any, value: Any, *, destructive: bool = False) -> Decision:
    """Judge a call of a function with one parameter of the type *hint*."""
    tools = [Tool(name="deploy", destructive=destructive)]
    firewall = Shield(shield.configure(mode="strict", tools=tools), hooks=None)

    def deploy(region: Any) -> None:
        """Deploy the service."""

    deploy.__annotations__["region"] = hint
    shielded(firewall)(deploy)
    with firewall.session() as session:
        session.user("Please deploy it.")
        return firewall.check_call(ToolCall("deploy", {"region": value}))


@pytest.mark.parametrize("destructive", [False, True])
@pytest.mark.parametrize("mark", [Target(), SEEN])
@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Literal["eu-west-1", "us-east-1"], "eu-west-1"),
        (Region, "us-east-1"),
        (list[Region], ["us-east-1", "eu-west-1"]),
        (Literal["eu-west-1", "us-east-1"] | None, "us-east-1"),
        (dict[str, Literal["eu-west-1"]], {"first": "eu-west-1"}),
        (Literal["all", "none"], "all"),
        (Literal[7, 8], 7),
    ],
)
def test_listed_value_passes(hint: Any, value: Any, mark: Target, destructive: bool) -> None:
    """A value that the schema lists passes, whatever the mark of its parameter."""
    decision = judge_value(Annotated[hint, mark], value, destructive=destructive)

    assert Verdict.CLEAN == decision.verdict


@pytest.mark.parametrize("value", ["eu-west-2", "mars"])
def test_unlisted_value_is_blocked(value: str) -> None:
    """A value outside the list is blocked if the schema also accepts any text."""
    decision = judge_value(Annotated[Literal["eu-west-1"] | str, SEEN], value)

    assert ["unseen"] == [finding.code for finding in decision.findings]
    assert decision.blocked


def test_listed_null_is_blocked_for_a_destructive_call() -> None:
    """A listed null passes, but a destructive call with it is blocked."""
    hint = Annotated[Literal["eu-west-1", None], SEEN]

    assert Verdict.CLEAN == judge_value(hint, None).verdict
    assert judge_value(hint, None, destructive=True).blocked


def test_list_of_a_server_does_not_admit_a_target() -> None:
    """A list in the schema of a server does not admit a target that the host marked."""
    tools = [Tool(name="deploy", targets={"region": SEEN})]
    firewall = Shield(shield.configure(mode="strict", tools=tools), hooks=None)
    described = {"type": "object", "properties": {"region": {"enum": REGIONS}}}
    with firewall.session() as session:
        session.user("Please deploy it.")
        AdapterSession(firewall).offer(session, [{"name": "deploy", "inputSchema": described}])
        decision = firewall.check_call(ToolCall("deploy", {"region": "us-east-1"}))

    assert decision.blocked
