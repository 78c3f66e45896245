"""pydantic-ai agents in which a person or a hook changes a call before it runs."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs `pip install abs-shield[pydantic-ai]`")

from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    Tool,
    ToolApproved,
)
from pydantic_ai.capabilities import AbstractCapability, HandleDeferredToolCalls
from pydantic_ai.exceptions import SkipToolValidation

from abs_shield import Shield
from abs_shield.adapters.pydantic_ai import ShieldCapability
from tests.adapters.scenes import DONE, GOOD, Call, firewall
from tests.adapters.test_pydantic_ai import ScriptedAgent, blocked_by_id, run_agent
from tests.subjects import about_calls

EDITED = {"transaction_id": "tx_5555", "amount": 20.0}
UNSEEN = {"transaction_id": "tx_99999", "amount": 20.0}
CHANGED = (False, ("changed_by_host",), "CLEAN")


class Till:
    """The host's tool, and the calls that ran."""

    def __init__(self) -> None:
        self.ran: list[Any] = []

    def refund(self, transaction_id: str, amount: float) -> str:
        """Refund."""
        self.ran.append({"transaction_id": transaction_id, "amount": amount})
        return "refunded"

    def asks(self, ctx: RunContext[Any], transaction_id: str, amount: float) -> str:
        """Refund, once somebody allowed it."""
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return self.refund(transaction_id, amount)


def agent_of(tool: Any, guard: Shield, *turns: Any, own: Any = (), **given: Any) -> Agent[Any, Any]:
    """Return an agent with one tool, behind the Shield."""
    given = {"output_type": [str, DeferredToolRequests], **given}
    return Agent(
        ScriptedAgent(*turns).model,
        tools=[tool],
        capabilities=[*own, ShieldCapability(guard)],
        **given,
    )


def decisions_by_call(guard: Shield) -> list[Any]:
    """Return the decision about each call."""
    return [(d.blocked, d.notes, d.verdict) for d in about_calls(guard.store)]


def tool_of(till: Till, kind: str) -> Any:
    """Return a tool that needs an approval, by its declaration or by an exception."""
    if kind == "declared":
        return Tool(till.refund, requires_approval=True)
    return Tool(till.asks, name="refund")


@pytest.mark.parametrize("restarts", [False, True], ids=["same process", "another process"])
@pytest.mark.parametrize("kind", ["declared", "raised"])
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_value_that_an_approval_overrides_is_mentioned(mode, kind, restarts):
    """An id that only the approver knows runs, and the decision is about the call that ran."""
    till, guard = Till(), firewall(mode)
    tool = tool_of(till, kind)
    first = run_agent(agent_of(tool, guard, [GOOD]))
    if restarts:
        guard = firewall(mode)
    answers = DeferredToolResults(approvals={"c1": ToolApproved(override_args=EDITED)})
    last = run_agent(
        agent_of(tool, guard, DONE), None, message_history=first.all_messages(),
        deferred_tool_results=answers,
    )  # fmt: skip

    assert ([EDITED], DONE) == (till.ran, last.output)
    assert CHANGED == decisions_by_call(guard)[-1]


def test_a_value_that_a_handler_overrides_is_mentioned():
    """An override by a capability within the run has the same effect as an approval."""
    till, guard = Till(), firewall("strict")

    def answer(ctx: Any, requests: DeferredToolRequests) -> DeferredToolResults:
        return DeferredToolResults(approvals={"c1": ToolApproved(override_args=EDITED)})

    agent = agent_of(
        tool_of(till, "declared"), guard, [GOOD], DONE, own=[HandleDeferredToolCalls(answer)],
        output_type=str,
    )  # fmt: skip

    assert (DONE, [EDITED]) == (run_agent(agent).output, till.ran)
    assert [CHANGED] == decisions_by_call(guard)


def test_an_override_is_judged_by_the_schema():
    """A wrong type in an override is refused by the framework."""
    till, guard = Till(), firewall("strict")
    tool = tool_of(till, "declared")
    first = run_agent(agent_of(tool, guard, [GOOD]))
    wrong = ToolApproved(override_args={**EDITED, "amount": "a lot"})
    run_agent(
        agent_of(tool, guard, DONE), None, message_history=first.all_messages(),
        deferred_tool_results=DeferredToolResults(approvals={"c1": wrong}),
    )  # fmt: skip

    assert [] == till.ran


@pytest.mark.parametrize(
    "given", [True, ToolApproved(override_args={**UNSEEN})], ids=["plain", "same"]
)
def test_an_approval_without_override_mentions_no_value(given):
    """In another process an approved call is still judged as the model's."""
    till = Till()
    tool = tool_of(till, "declared")
    bad = GOOD._replace(arguments=UNSEEN)
    first = run_agent(agent_of(tool, firewall("audit"), [bad]))
    guard = firewall("strict")
    run_agent(
        agent_of(tool, guard, DONE), None, message_history=first.all_messages(),
        deferred_tool_results=DeferredToolResults(approvals={"c1": given}),
    )  # fmt: skip

    assert ([], {"c1": True}) == (till.ran, blocked_by_id(guard))


def test_a_repeated_call_id_is_not_an_override():
    """After an override, the model's next call with the same id is judged as the model's."""
    till, guard = Till(), firewall("strict")
    tool = tool_of(till, "raised")
    first = run_agent(agent_of(tool, guard, [GOOD]))
    answers = DeferredToolResults(approvals={"c1": ToolApproved(override_args=EDITED)})
    bad = GOOD._replace(arguments=UNSEEN)
    run_agent(
        agent_of(tool, guard, [bad], DONE), None, message_history=first.all_messages(),
        deferred_tool_results=answers,
    )  # fmt: skip

    assert ([EDITED], True) == (till.ran, decisions_by_call(guard)[-1][0])


# Hooks that repair -------------------------------------------------------------------------------


class Before(AbstractCapability[Any]):
    """A hook that replaces words with a number."""

    async def before_tool_validate(self, ctx, *, call, tool_def, args):
        return {"transaction_id": "tx_12345", "amount": 20.0}


class OnError(AbstractCapability[Any]):
    """A hook that repairs arguments that are not numbers."""

    async def on_tool_validate_error(self, ctx, *, call, tool_def, args, error):
        return {"transaction_id": "tx_12345", "amount": 20.0}


class Skips(AbstractCapability[Any]):
    """A hook that replaces the validation."""

    async def before_tool_validate(self, ctx, *, call, tool_def, args):
        raise SkipToolValidation({"transaction_id": "tx_12345", "amount": 20.0})


class Wraps(AbstractCapability[Any]):
    """A hook that validates other arguments."""

    async def wrap_tool_validate(self, ctx, *, call, tool_def, args, handler):
        return await handler({"transaction_id": "tx_12345", "amount": 20.0})


WRONG = GOOD._replace(arguments={"transaction_id": "tx_12345", "amount": "a lot"})
BROKEN = GOOD._replace(arguments='{"transaction_id": "tx_12345", "amou')


@pytest.mark.parametrize("hook", [Before, OnError, Skips, Wraps])
@pytest.mark.parametrize("call", [WRONG, BROKEN], ids=["type", "JSON"])
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_hook_runs_before_a_call_is_blocked(mode, call, hook):
    """The tool runs with the arguments that the hook returns."""
    till, guard = Till(), firewall(mode)
    agent = agent_of(till.refund, guard, [call], DONE, own=[hook()], output_type=str)

    assert (DONE, [GOOD.arguments]) == (run_agent(agent).output, till.ran)
    assert [False] == [decision.blocked for decision in about_calls(guard.store)]


def test_the_decision_is_about_the_arguments_of_the_hook():
    """Each call has one clean decision, with the note of who changed it."""
    till, guard = Till(), firewall("strict")
    run_agent(agent_of(till.refund, guard, [WRONG], DONE, own=[OnError()]))

    assert [CHANGED] == decisions_by_call(guard)


def test_a_value_that_a_hook_left_unchanged_is_the_models():
    """A hook repairs the amount; the unmentioned id is still the model's."""

    class Amount(AbstractCapability[Any]):
        async def on_tool_validate_error(self, ctx, *, call, tool_def, args, error):
            return {**call.args_as_dict(), "amount": 20.0}

    till, guard = Till(), firewall("strict")
    bad = GOOD._replace(arguments={**UNSEEN, "amount": "a lot"})
    run_agent(agent_of(till.refund, guard, [bad], DONE, own=[Amount()]))

    assert ([], {"c1": True}) == (till.ran, blocked_by_id(guard))


def test_a_hook_that_changes_nothing_does_not_lift_a_block():
    """Validation alone does not count as a change by the host, whatever types it returns."""
    calls = []

    class Looks(AbstractCapability[Any]):
        async def before_tool_validate(self, ctx, *, call, tool_def, args):
            calls.append(call.tool_call_id)
            return args

    till, guard = Till(), firewall("strict")
    bad = GOOD._replace(arguments={**UNSEEN, "amount": 20})
    run_agent(agent_of(till.refund, guard, [bad], DONE, own=[Looks()]))

    assert ([], ["c1"], {"c1": True}) == (till.ran, calls, blocked_by_id(guard))


class Refund(BaseModel):
    transaction_id: str
    amount: float


def test_a_repaired_model_is_judged_by_its_fields():
    """A tool with one model takes the model's fields as arguments."""
    taken = []

    def refund(order: Refund) -> str:
        """Refund."""
        taken.append(order)
        return "refunded"

    class Recovers(AbstractCapability[Any]):
        async def on_tool_validate_error(self, ctx, *, call, tool_def, args, error):
            return {"order": Refund(transaction_id="tx_12345", amount=20.0)}

    guard = firewall("strict")
    call = Call("c1", "refund", {"transaction_id": "tx_12345", "amount": "a lot"})
    run_agent(agent_of(refund, guard, [call], DONE, own=[Recovers()]))

    assert [Refund(transaction_id="tx_12345", amount=20.0)] == taken
    assert [CHANGED] == decisions_by_call(guard)
