"""pydantic-ai's agents where a person, or a hook of the host's, changes a call before it runs."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="the extra `pydantic-ai` is not installed")

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
from tests.adapters.test_pydantic_ai import ScriptedAgent, blocked, ran
from tests.subjects import about_calls

EDITED = {"transaction_id": "tx_5555", "amount": 20.0}
UNSEEN = {"transaction_id": "tx_99999", "amount": 20.0}
CHANGED = (False, ("changed_by_host",), "CLEAN")


class Till:
    """The host's tool, and what ran."""

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
    """An agent with one tool, behind the Shield."""
    given = {"output_type": [str, DeferredToolRequests], **given}
    return Agent(
        ScriptedAgent(*turns).model,
        tools=[tool],
        capabilities=[*own, ShieldCapability(guard)],
        **given,
    )


def decided(guard: Shield) -> list[Any]:
    """Return what was decided about each call."""
    return [(d.blocked, d.notes, d.verdict) for d in about_calls(guard.store)]


def tool_of(till: Till, kind: str) -> Any:
    """A tool that needs an approval, by its declaration or by its own word."""
    if kind == "declared":
        return Tool(till.refund, requires_approval=True)
    return Tool(till.asks, name="refund")


@pytest.mark.parametrize("restarts", [False, True], ids=["same process", "another process"])
@pytest.mark.parametrize("kind", ["declared", "raised"])
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_what_an_approval_overrides_vouches(mode, kind, restarts):
    """An id that only the person knows runs, and its Decision is about what ran."""
    till, guard = Till(), firewall(mode)
    tool = tool_of(till, kind)
    first = ran(agent_of(tool, guard, [GOOD]))
    if restarts:
        guard = firewall(mode)
    answers = DeferredToolResults(approvals={"c1": ToolApproved(override_args=EDITED)})
    last = ran(
        agent_of(tool, guard, DONE), None, message_history=first.all_messages(),
        deferred_tool_results=answers,
    )  # fmt: skip

    assert ([EDITED], DONE) == (till.ran, last.output)
    assert CHANGED == decided(guard)[-1]


def test_what_a_handler_overrides_vouches():
    """The same where a capability answers within the run."""
    till, guard = Till(), firewall("strict")

    def answer(ctx: Any, requests: DeferredToolRequests) -> DeferredToolResults:
        return DeferredToolResults(approvals={"c1": ToolApproved(override_args=EDITED)})

    agent = agent_of(
        tool_of(till, "declared"), guard, [GOOD], DONE, own=[HandleDeferredToolCalls(answer)],
        output_type=str,
    )  # fmt: skip

    assert (DONE, [EDITED]) == (ran(agent).output, till.ran)
    assert [CHANGED] == decided(guard)


def test_an_override_is_judged_by_the_schema():
    """A wrong type is the framework's to refuse, whoever wrote it."""
    till, guard = Till(), firewall("strict")
    tool = tool_of(till, "declared")
    first = ran(agent_of(tool, guard, [GOOD]))
    wrong = ToolApproved(override_args={**EDITED, "amount": "a lot"})
    ran(
        agent_of(tool, guard, DONE), None, message_history=first.all_messages(),
        deferred_tool_results=DeferredToolResults(approvals={"c1": wrong}),
    )  # fmt: skip

    assert [] == till.ran


@pytest.mark.parametrize(
    "given", [True, ToolApproved(override_args={**UNSEEN})], ids=["plain", "same"]
)
def test_an_approval_alone_vouches_for_nothing(given):
    """In another process, what the model wrote is judged as the model's, approved or not."""
    till = Till()
    tool = tool_of(till, "declared")
    bad = GOOD._replace(arguments=UNSEEN)
    first = ran(agent_of(tool, firewall("audit"), [bad]))
    guard = firewall("strict")
    ran(
        agent_of(tool, guard, DONE), None, message_history=first.all_messages(),
        deferred_tool_results=DeferredToolResults(approvals={"c1": given}),
    )  # fmt: skip

    assert ([], {"c1": True}) == (till.ran, blocked(guard))


def test_an_id_that_is_used_again_is_no_override():
    """After an override, the model's own next call under that id is judged as the model's."""
    till, guard = Till(), firewall("strict")
    tool = tool_of(till, "raised")
    first = ran(agent_of(tool, guard, [GOOD]))
    answers = DeferredToolResults(approvals={"c1": ToolApproved(override_args=EDITED)})
    bad = GOOD._replace(arguments=UNSEEN)
    ran(
        agent_of(tool, guard, [bad], DONE), None, message_history=first.all_messages(),
        deferred_tool_results=answers,
    )  # fmt: skip

    assert ([EDITED], True) == (till.ran, decided(guard)[-1][0])


# Hooks that repair -------------------------------------------------------------------------------


class Before(AbstractCapability[Any]):
    """Puts a number in the place of words."""

    async def before_tool_validate(self, ctx, *, call, tool_def, args):
        return {"transaction_id": "tx_12345", "amount": 20.0}


class OnError(AbstractCapability[Any]):
    """Recovers arguments that are not numbers."""

    async def on_tool_validate_error(self, ctx, *, call, tool_def, args, error):
        return {"transaction_id": "tx_12345", "amount": 20.0}


class Skips(AbstractCapability[Any]):
    """Takes the validation over."""

    async def before_tool_validate(self, ctx, *, call, tool_def, args):
        raise SkipToolValidation({"transaction_id": "tx_12345", "amount": 20.0})


class Wraps(AbstractCapability[Any]):
    """Validates other arguments."""

    async def wrap_tool_validate(self, ctx, *, call, tool_def, args, handler):
        return await handler({"transaction_id": "tx_12345", "amount": 20.0})


WRONG = GOOD._replace(arguments={"transaction_id": "tx_12345", "amount": "a lot"})
BROKEN = GOOD._replace(arguments='{"transaction_id": "tx_12345", "amou')


@pytest.mark.parametrize("hook", [Before, OnError, Skips, Wraps])
@pytest.mark.parametrize("call", [WRONG, BROKEN], ids=["type", "JSON"])
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_hook_is_asked_before_a_call_is_blocked(mode, call, hook):
    """The arguments that it returns are the ones that run."""
    till, guard = Till(), firewall(mode)
    agent = agent_of(till.refund, guard, [call], DONE, own=[hook()], output_type=str)

    assert (DONE, [GOOD.arguments]) == (ran(agent).output, till.ran)
    assert [False] == [decision.blocked for decision in about_calls(guard.store)]


def test_the_decision_is_about_what_the_hook_made():
    """One Decision a call, clean, that says who changed it."""
    till, guard = Till(), firewall("strict")
    ran(agent_of(till.refund, guard, [WRONG], DONE, own=[OnError()]))

    assert [CHANGED] == decided(guard)


def test_a_hook_that_leaves_an_id_alone_does_not_vouch_for_it():
    """It repairs the amount; the id is still the model's, and unmentioned."""

    class Amount(AbstractCapability[Any]):
        async def on_tool_validate_error(self, ctx, *, call, tool_def, args, error):
            return {**call.args_as_dict(), "amount": 20.0}

    till, guard = Till(), firewall("strict")
    bad = GOOD._replace(arguments={**UNSEEN, "amount": "a lot"})
    ran(agent_of(till.refund, guard, [bad], DONE, own=[Amount()]))

    assert ([], {"c1": True}) == (till.ran, blocked(guard))


def test_a_hook_that_changes_nothing_lifts_no_block():
    """Validation alone, whatever types it makes, is not the host's word."""
    calls = []

    class Looks(AbstractCapability[Any]):
        async def before_tool_validate(self, ctx, *, call, tool_def, args):
            calls.append(call.tool_call_id)
            return args

    till, guard = Till(), firewall("strict")
    bad = GOOD._replace(arguments={**UNSEEN, "amount": 20})
    ran(agent_of(till.refund, guard, [bad], DONE, own=[Looks()]))

    assert ([], ["c1"], {"c1": True}) == (till.ran, calls, blocked(guard))


class Refund(BaseModel):
    transaction_id: str
    amount: float


def test_a_repaired_model_is_judged_by_its_fields():
    """A tool of one model takes its fields as arguments, and its validated value is an object."""
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
    ran(agent_of(refund, guard, [call], DONE, own=[Recovers()]))

    assert [Refund(transaction_id="tx_12345", amount=20.0)] == taken
    assert [CHANGED] == decided(guard)
