"""The OpenAI Agents SDK in audit mode: a run has the same objects as without a Shield."""

from __future__ import annotations

import asyncio
import copy
import inspect
import pickle
from typing import Any

import pytest

pytest.importorskip("agents", reason="needs `pip install abs-shield[openai-agents]`")

from agents import (
    Agent,
    CustomTool,
    GuardrailFunctionOutput,
    ModelSettings,
    MultiProvider,
    OutputGuardrail,
    OutputGuardrailTripwireTriggered,
    RunContextWrapper,
    RunHooks,
    Runner,
    RunState,
    function_tool,
)

from abs_shield import Shield
from abs_shield.adapters.openai_agents import ShieldedRunner, shielded_agent
from tests.adapters.openai_agents_driver import (
    TRANSFER,
    UNKNOWN,
    Scripted,
    agent_of,
    play,
    reply_of,
    tools_of,
)
from tests.adapters.scenes import ASKED, DONE, GOOD, Call, Shop, firewall
from tests.subjects import about_calls


@pytest.fixture
def audit() -> Shield:
    """Return the policy of the scenes in audit mode."""
    return firewall("audit")


def test_a_guardrail_added_during_a_pause_is_used(audit):
    """The resumed run uses the host's own agent."""

    def trips(context: Any, agent: Any, output: Any) -> GuardrailFunctionOutput:
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    tool = function_tool(Shop().refund, needs_approval=True)
    agent = agent_of([[GOOD], DONE], tools=[tool])
    runner = ShieldedRunner(audit)

    async def run() -> None:
        state = (await runner.run(agent, ASKED)).to_state()
        agent.output_guardrails = [OutputGuardrail(guardrail_function=trips)]
        for item in state.get_interruptions():
            state.approve(item)
        await runner.run(agent, state)

    with pytest.raises(OutputGuardrailTripwireTriggered):
        asyncio.run(run())


@pytest.mark.parametrize("mode", ["audit", "strict"])
def test_a_permanent_approval_applies_to_later_runs(mode):
    """The approval is stored in the context, by agent and tool."""
    shop = Shop()
    tool = function_tool(shop.refund, needs_approval=True)
    agent = agent_of([[GOOD], DONE, [GOOD._replace(id="c2")], DONE], tools=[tool])
    runner = ShieldedRunner(firewall(mode))

    async def run() -> Any:
        context: Any = RunContextWrapper(None)
        state = (await runner.run(agent, ASKED, context=context)).to_state()
        for item in state.get_interruptions():
            state.approve(item, always_approve=True)
        result = await runner.run(agent, state)
        return await runner.run(agent, ASKED, context=result.context_wrapper)

    result = asyncio.run(run())

    assert ([], DONE, 2) == (result.interruptions, result.final_output, len(shop.ran))


def test_a_tool_added_during_a_run_is_judged(audit):
    """The next step offers the tool, and its call is judged and runs."""
    shop = Shop()
    agent: Agent[Any] = agent_of([])

    def extend() -> str:
        agent.tools.append(function_tool(shop.refund))
        return "added"

    agent.tools = [function_tool(extend)]
    agent.model = Scripted([[Call("c0", "extend", {})], [GOOD], DONE])
    result = play(ShieldedRunner(audit), agent)

    assert (DONE, "refunded tx_12345") == (result.final_output, reply_of(agent))
    assert {"c0", "c1"} == {decision.call_id for decision in about_calls(audit.store)}


@pytest.mark.parametrize("mode", ["audit", "strict"])
def test_a_result_can_be_copied_deeply(mode):
    """`copy.deepcopy` of a result works, so that the host can keep or change a copy."""
    result = play(ShieldedRunner(firewall(mode)), agent_of([[GOOD], DONE]))
    copied = copy.deepcopy(result)

    assert DONE == copied.final_output
    assert len(result.new_items) == len(copy.deepcopy(result.new_items))
    assert "billing" == copy.deepcopy(result.last_agent).name


def test_the_context_of_a_run_can_be_pickled(audit):
    """The pickled context does not contain the state that is local to the process."""
    result = play(ShieldedRunner(audit), agent_of([[GOOD], DONE]))
    restored = pickle.loads(pickle.dumps(result.context_wrapper._abs_shield_run))

    assert None is restored


@pytest.mark.parametrize("mode", ["audit", "strict"])
@pytest.mark.parametrize("config", [None, {"workflow_name": "w"}])
def test_the_provider_that_the_sdk_made_is_closed_after_a_run(mode, config, monkeypatch):
    """A provider that the SDK created, because the host set none, is closed."""
    closed: list[int] = []

    async def aclose(self: Any) -> None:
        closed.append(1)

    monkeypatch.setattr(MultiProvider, "aclose", aclose)
    runner = ShieldedRunner(firewall(mode))
    for _ in range(5):
        play(runner, agent_of([[GOOD], DONE]), run_config=config)

    assert 5 == len(closed)


@pytest.mark.parametrize("mode", ["audit", "strict"])
@pytest.mark.parametrize("custom", [False, True])
def test_hooks_and_results_hold_the_hosts_own_objects(mode, custom):
    """Hooks and results have the agent and the tool that the host created."""
    calls: list[Any] = []

    class Sees(RunHooks[Any]):
        async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
            calls.extend([agent, tool])

        async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
            calls.extend([agent, tool])

    async def invoke(context: Any, text: str) -> str:
        return text

    tool: Any = function_tool(Shop().refund)
    model: Any = Scripted([[GOOD], DONE])
    if custom:
        tool = CustomTool(name="refund", description="Refund.", on_invoke_tool=invoke)
        model = _Custom([[GOOD], DONE])
    agent = agent_of([], tools=[tool], model=model)
    result = play(ShieldedRunner(firewall(mode)), agent, hooks=Sees())

    assert result.last_agent is agent
    assert [agent, tool, agent, tool] == calls
    assert all(match is host for match, host in zip(calls, [agent, tool] * 2, strict=True))
    assert all(item.agent is agent for item in result.new_items)


class _Custom(Scripted):
    """Calls a custom tool where the script says `refund`."""

    def _next(self, given: Any, named: Any) -> list[Any]:
        from openai.types.responses import ResponseCustomToolCall

        output = super()._next(given, named)
        return [
            ResponseCustomToolCall(
                call_id=item.call_id, input="tx_12345", name=item.name, type="custom_tool_call"
            )
            if item.type == "function_call"
            else item
            for item in output
        ]


def test_an_agent_behind_a_handoff_is_the_hosts_own(audit):
    """After a handoff, `result.last_agent` is the agent that the host created."""
    model = Scripted([[TRANSFER], [GOOD], DONE])
    billing = Agent(name="billing", model=model, tools=[*tools_of(Shop())])
    front = Agent(name="front", model=model, handoffs=[billing])
    result = play(ShieldedRunner(audit), front)

    assert result.last_agent is billing
    assert ["billing"] == [decision.agent for decision in about_calls(audit.store)]


def test_callables_of_the_host_are_given_the_hosts_own_agent(audit):
    """Instructions and `is_enabled` receive the agent that the host created."""
    calls: list[Any] = []

    def instructions(context: Any, agent: Any) -> str:
        calls.append(agent)
        return "Help."

    def enabled(context: Any, agent: Any) -> bool:
        calls.append(agent)
        return True

    tool = function_tool(Shop().refund, is_enabled=enabled)
    agent = agent_of([[GOOD], DONE], tools=[tool], instructions=instructions)
    play(ShieldedRunner(audit), agent)

    assert calls
    assert all(result is agent for result in calls)


def test_a_required_tool_choice_is_reset_after_a_pause(audit):
    """The SDK records by agent that a tool was used, also in a resumed run."""
    choices: list[Any] = []

    class Notes(Scripted):
        def _next(self, given: Any, named: Any) -> list[Any]:
            settings = named.get("model_settings", given[2] if len(given) > 2 else None)
            choices.append(settings.tool_choice)
            return super()._next(given, named)

    tool = function_tool(Shop().refund, needs_approval=True)
    settings = ModelSettings(tool_choice="required")
    agent = agent_of([], tools=[tool], model=Notes([[GOOD], DONE]), model_settings=settings)
    runner = ShieldedRunner(audit)

    async def run() -> None:
        state = (await runner.run(agent, ASKED)).to_state()
        restored = await RunState.from_string(agent, state.to_string())
        for item in restored.get_interruptions():
            restored.approve(item)
        await runner.run(agent, restored)

    asyncio.run(run())

    assert ["required", None] == choices


def test_a_run_that_a_tool_starts_by_itself_is_not_judged(audit):
    """A tool may run another agent with `Runner`; calls of that run are not judged."""
    other = agent_of([[GOOD._replace(id="c7")], DONE], name="other")

    async def ask(order_id: str) -> str:
        return str((await Runner.run(other, "Go on.")).final_output)

    call = Call("c0", "ask", {"order_id": "ord_1"})
    agent = agent_of([[call], [GOOD], DONE], tools=[function_tool(ask), *tools_of(Shop())])
    play(ShieldedRunner(audit), agent)
    play(Runner, agent_of([[GOOD._replace(id="c8")], DONE]))

    assert ["c0", "c1"] == [decision.call_id for decision in about_calls(audit.store)]
    assert (DONE, "refunded tx_12345") == (reply_of(agent, "c0"), reply_of(agent))


def test_a_shielded_agent_shares_the_lists_of_the_original(audit):
    """Tools added to the original are offered; a clone of the copy is judged as well."""
    agent = agent_of([[GOOD], DONE])
    tools, agent.tools = agent.tools, []
    copied = shielded_agent(agent, firewall=audit)
    agent.tools.extend(tools)
    asyncio.run(Runner.run(copied.clone(name="clone"), ASKED))

    assert ["clone"] == [decision.agent for decision in about_calls(audit.store)]


def test_an_agent_that_lists_its_tools_itself_is_judged_in_one_session():
    """An agent class that overrides the SDK's listing of tools is judged in one session."""
    shop = Shop()

    class Lists(Agent[Any]):
        async def get_all_tools(self, run_context: Any) -> list[Any]:
            return [*tools_of(shop)]

    guard = firewall("strict")
    agent = Lists(name="billing", model=Scripted([[GOOD], DONE]))
    play(ShieldedRunner(guard), agent)

    assert [False] == [decision.blocked for decision in about_calls(guard.store)]
    assert "refunded tx_12345" == reply_of(agent)


# The runner's own form -------------------------------------------------------------


@pytest.mark.parametrize("name", ["run", "run_sync", "run_streamed"])
def test_the_runner_has_the_signature_of_the_sdks(name):
    """Positional and named options are those of the SDK's runner."""
    ours = inspect.signature(getattr(ShieldedRunner(firewall("audit")), name))
    theirs = inspect.signature(getattr(Runner, name))

    assert theirs == ours


def test_options_may_be_positional_as_in_the_sdk(audit):
    """`run_streamed` takes agent, input, context, max_turns and hooks by position."""
    starts: list[Any] = []

    class Sees(RunHooks[Any]):
        async def on_agent_start(self, context: Any, agent: Any) -> None:
            starts.append(context.context)

    agent = agent_of([[GOOD], DONE])

    async def run() -> Any:
        result = ShieldedRunner(audit).run_streamed(agent, ASKED, {"user": 1}, 7, Sees())
        async for _ in result.stream_events():
            pass
        return result

    result = asyncio.run(run())

    assert (DONE, 7, [{"user": 1}]) == (result.final_output, result.max_turns, starts)
    assert ["c1"] == [decision.call_id for decision in about_calls(audit.store)]


def test_hooks_that_the_sdk_refuses_are_refused(audit):
    """Invalid hooks raise the SDK's own error."""
    with pytest.raises(TypeError, match="Run hooks must be instances of RunHooks"):
        play(ShieldedRunner(audit), agent_of([DONE]), hooks=object())


def test_strict_mode_does_not_change_the_hosts_configuration():
    """A mapping of the host is copied before it is completed."""
    config = {"workflow_name": "w"}
    agent = agent_of([[UNKNOWN], DONE])
    play(ShieldedRunner(firewall("strict")), agent, run_config=config)

    assert ({"workflow_name": "w"}, True) == (config, '"blocked"' in reply_of(agent))
