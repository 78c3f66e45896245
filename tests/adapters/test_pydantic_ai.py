"""pydantic-ai: features beyond the common scenes."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.processes import run_python

pytest.importorskip("pydantic_ai", reason="needs `pip install abs-shield[pydantic-ai]`")

from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    DeferredToolRequests,
    DeferredToolResults,
    FunctionToolResultEvent,
    ImageUrl,
    ModelRequest,
    ModelResponse,
    ModelRetry,
    RunContext,
    TextPart,
    Tool,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
    UnexpectedModelBehavior,
    UserPromptPart,
)
from pydantic_ai.capabilities import AbstractCapability, Instrumentation
from pydantic_ai.exceptions import CallDeferred, SkipToolExecution
from pydantic_ai.messages import BinaryContent, FilePart, NativeToolCallPart
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.toolsets import ExternalToolset
from pydantic_ai.usage import RunUsage

from abs_shield import Shield, shield, shielded
from abs_shield import Tool as Declared
from abs_shield.adapters.pydantic_ai import ShieldCapability
from abs_shield.core import Outcome
from abs_shield.testing import no_shield
from tests.adapters.canaries import CANARY, places
from tests.adapters.conformance import conforms
from tests.adapters.page import blocks
from tests.adapters.pydantic_ai_driver import DRIVER, Scripted, agent_of
from tests.adapters.scenes import ASKED, DONE, GOOD, Call, Ran, Shop, firewall
from tests.adapters.spans import exporter, record_spans
from tests.subjects import about_calls

TestConformance = conforms(DRIVER)

PHANTOM = GOOD._replace(name="refnud")
UNSEEN = GOOD._replace(arguments={"transaction_id": "tx_99999", "amount": 20.0})


class ScriptedAgent:
    """The requests to one agent's model, and its script."""

    def __init__(self, *turns: Any) -> None:
        self.requests: list[Any] = []
        self.told: dict[str, str] = {}
        self.model = Scripted(turns, self.requests, self.told).model


def run_agent(agent: Agent[Any, Any], asked: Any = ASKED, **given: Any) -> Any:
    """Run an agent to its end."""
    return asyncio.run(agent.run(asked, **given))


def clerk(guard: Shield | None, *turns: Any, **given: Any) -> Agent[Any, Any]:
    """The agent with the host's tools."""
    return agent_of(Shop(), ScriptedAgent(*turns).model, guard, **given)


def returns(result: Any) -> dict[str, ToolReturnPart]:
    """Return the answer to each call."""
    parts = [part for message in result.all_messages() for part in message.parts]
    return {part.tool_call_id: part for part in parts if isinstance(part, ToolReturnPart)}


def blocked_by_id(guard: Shield) -> dict[str | None, bool]:
    """Return for each call id whether it was blocked; each id has one decision."""
    decisions = about_calls(guard.store)
    assert len(decisions) == len({decision.call_id for decision in decisions})
    return {decision.call_id: decision.blocked for decision in decisions}


# What a decision carries -------------------------------------------------------------------------


def test_a_decision_has_the_ids_of_its_run():
    """A decision has the ids of call, run and conversation, and the names of agent and model."""
    guard = firewall("strict")

    result = run_agent(clerk(guard, [GOOD], DONE))
    (decision,) = about_calls(guard.store)

    assert ("c1", result.run_id, result.conversation_id, "clerk", "scripted") == (
        decision.call_id, decision.run_id, decision.session_id, decision.agent, decision.model,
    )  # fmt: skip


def test_a_conversation_is_continued():
    """A run with an earlier run's messages has the same session, and records them once."""
    guard = firewall("strict")
    again = Call("c2", "get_order", {"order_id": "ord_1"})
    agent = clerk(guard, [GOOD], DONE, [again], DONE)

    first = run_agent(agent)
    second = run_agent(agent, "And look it up.", message_history=first.all_messages())
    session = guard.session(second.conversation_id)

    assert {"c1": False, "c2": False} == blocked_by_id(guard)
    assert (2, 2) == (session.turns, len(session.executed))
    assert second.run_id == about_calls(guard.store)[-1].run_id


def test_the_budget_of_attempts_is_counted_down():
    """A conversation that is taken in again at each step counts its blocks on."""
    guard = firewall("strict")
    calls = [[PHANTOM._replace(id=f"c{n}")] for n in range(3)]

    run_agent(clerk(guard, *calls, DONE, retries=3))

    assert [2, 1, 0] == [decision.attempts_left for decision in about_calls(guard.store)]


@pytest.mark.parametrize(
    "logprobs",
    [
        [{"token": "refund", "logprob": -0.1, "bytes": None}],
        {"chosen_candidates": [{"token": "refund", "log_probability": -0.1, "token_id": 1}]},
    ],
    ids=["openai", "google"],
)
def test_log_probabilities_are_passed_on(logprobs):
    """If the provider sends log-probabilities, the call is judged with them."""
    guard = firewall("strict")

    def answer(messages, info):
        if len(messages) > 1:
            return ModelResponse([TextPart(DONE)])
        call = ToolCallPart("refund", GOOD.raw, "c1")
        return ModelResponse([call], provider_details={"logprobs": logprobs})

    run_agent(agent_of(Shop(), FunctionModel(answer), guard))
    (decision,) = about_calls(guard.store)

    assert Outcome.UNAVAILABLE is not decision.coverage["confidence_drop"].outcome


# What the model is told --------------------------------------------------------------------------


WRONG = GOOD._replace(arguments={"transaction_id": "tx_12345", "amount": "a lot"})
BROKEN = GOOD._replace(arguments='{"transaction_id": "tx_12')


@pytest.mark.parametrize("retries", [0, 1, 2])
@pytest.mark.parametrize("call", [PHANTOM, WRONG, BROKEN], ids=["phantom", "type", "JSON"])
def test_a_model_that_is_stuck_costs_what_it_costs_plain(call, retries):
    """A call that the framework refuses as well uses its retries, and ends the run as before."""
    ends = []
    for guard in (None, firewall("audit"), firewall("strict")):
        message = ScriptedAgent(*([call._replace(id=f"c{n}")] for n in range(9)))
        with pytest.raises(UnexpectedModelBehavior) as ended:
            run_agent(agent_of(Shop(), message.model, guard, retries=retries))
        ends.append((len(message.requests), str(ended.value)))

    assert [ends[0]] * 3 == ends
    assert 1 + retries == ends[0][0]


def test_a_model_that_names_unseen_targets_for_ever_ends_the_run():
    """The framework has nothing against the call: past the policy's retries, its own are spent."""
    message = ScriptedAgent(*([UNSEEN._replace(id=f"c{n}")] for n in range(20)))
    with pytest.raises(UnexpectedModelBehavior, match="'refund' exceeded max retries count of 1"):
        run_agent(agent_of(Shop(), message.model, firewall("strict")))

    assert 4 == len(message.requests)


def test_feedback_about_an_unseen_target_spends_no_retry():
    """The framework would have run it: two in a row leave the tool its retries."""
    turns = [[UNSEEN], [UNSEEN._replace(id="c2")], [GOOD._replace(id="c3")], DONE]

    assert DONE == run_agent(clerk(firewall("strict"), *turns)).output


def test_feedback_is_a_structured_retry():
    """The feedback is an object, and the framework counts the call as retried."""
    result = run_agent(clerk(firewall("strict"), [PHANTOM], [GOOD._replace(id="c2")], DONE))
    part = returns(result)["c1"]

    assert ("retried", "blocked") == (part.outcome, part.content["status"])
    assert "refund" == part.content["problems"][0]["nearest"]


def test_the_last_attempt_is_a_failure():
    """A call without attempts left is not requested again."""
    turns = [[PHANTOM._replace(id=f"c{n}")] for n in range(3)]
    message = returns(run_agent(clerk(firewall("strict"), *turns, DONE, retries=3)))

    assert ["retried", "retried", "failed"] == [part.outcome for part in message.values()]


class Report(BaseModel):
    text: str


class Order(BaseModel):
    parcel: str


def test_a_final_output_waits_for_a_blocked_call():
    """A turn that reports what was just blocked is not the last one."""
    guard = firewall("strict")
    final = Call("o1", "final_result", {"text": "I refunded tx_99999."})
    last = Call("o2", "final_result", {"text": "I refunded nothing."})

    result = run_agent(clerk(guard, [UNSEEN, final], [last], output_type=Report))

    assert "I refunded nothing." == result.output.text
    assert {"c1": True} == blocked_by_id(guard)


def test_an_output_tool_is_not_judged():
    """The framework's own output tools are not calls of the model."""
    guard = firewall("strict")
    final = Call("o1", "final_result", {"text": "Nothing to do for tx_99999."})

    assert run_agent(clerk(guard, [final], output_type=Report)).output.text
    assert {} == blocked_by_id(guard)


def test_a_phantom_is_forgotten_after_its_step():
    """The placeholder for a tool that does not exist is not offered to the model."""
    message = ScriptedAgent([PHANTOM], [GOOD._replace(id="c2")], DONE)
    run_agent(agent_of(Shop(), message.model, firewall("strict")))

    names = [[name for name, _ in tools] for _, tools, _ in message.requests]
    assert [False] * 3 == ["refnud" in offered for offered in names]


def test_events_tell_of_the_feedback():
    """`run_stream_events` shows the answer to a phantom like any other result."""
    agent = clerk(firewall("strict"), [PHANTOM], [GOOD._replace(id="c2")], DONE)

    async def results() -> list[str]:
        async with agent.run_stream_events(ASKED) as events:
            matches = [event async for event in events]
        return [e.part.outcome for e in matches if isinstance(e, FunctionToolResultEvent)]

    assert ["retried", "success"] == asyncio.run(results())


# What is known -----------------------------------------------------------------------------------


def test_text_of_the_host_is_mentioned():
    """Instructions, and text that a capability adds to one request, count as mentioned."""
    guard = firewall("strict")

    class Adds(AbstractCapability[Any]):
        async def before_model_request(self, ctx, request_context):
            hint = ModelRequest([UserPromptPart("The other one is tx_222.")])
            return replace(request_context, messages=[hint, *request_context.messages])

    calls = [
        GOOD._replace(id=f"c{n}", arguments={"transaction_id": f"tx_{n}{n}{n}", "amount": 20.0})
        for n in (1, 2)
    ]
    message = ScriptedAgent(calls, DONE)
    agent = Agent(
        message.model, instructions="Refunds of tx_111 are fine.", tools=[Shop().refund],
        capabilities=[ShieldCapability(guard), Adds()],
    )  # fmt: skip
    run_agent(agent, "Refund both, 20 dollars.")

    assert {"c1": False, "c2": False} == blocked_by_id(guard)


@pytest.mark.parametrize(
    "given",
    [
        {"asked": ["Refund what you see.", ImageUrl("https://example.com/a.png")]},
        {"model_settings": {"openai_previous_response_id": "resp_1"}},
    ],
    ids=["image", "kept by the provider"],
)
def test_unseen_content_makes_the_session_opaque(given):
    """After an image, or with a stored conversation, an unmentioned value is not a finding."""
    guard = firewall("strict")

    result = run_agent(clerk(guard, [UNSEEN], DONE), **given)

    assert {"c1": False} == blocked_by_id(guard)
    assert "unknown" == guard.session(result.conversation_id).origin("tx_424242").source


@pytest.mark.parametrize(
    "odd",
    [
        ModelRequest([ToolReturnPart("look", object(), "old1")]),
        ModelRequest([FilePart(BinaryContent(b"?", media_type="image/png"))]),
        ModelResponse([NativeToolCallPart("web_search", {"query": "refunds"}, "w1")]),
        ModelResponse([None]),
        None,
    ],
)
def test_an_unreadable_message_makes_the_session_opaque(odd):
    """A message of an unknown kind, or without a text, does not stop the run."""
    guard, model = firewall("strict"), FunctionModel(lambda messages, info: None)
    ctx = RunContext(deps=None, model=model, usage=RunUsage(), run_id="r1", conversation_id="one")
    message = [ModelRequest([UserPromptPart(ASKED)]), odd]
    request = ModelRequestContext(
        model=model, messages=message, model_settings=None,
        model_request_parameters=ModelRequestParameters(),
    )  # fmt: skip
    response = ModelResponse([TextPart(DONE)])

    hook = ShieldCapability(guard).after_model_request
    answer = asyncio.run(hook(ctx, request_context=request, response=response))
    session = guard.session("one")

    assert response is answer
    assert ("user", "unknown") == (
        session.origin("tx_12345").source, session.origin("tx_99999").source,
    )  # fmt: skip


def test_a_result_is_known_as_the_model_reads_it():
    """A model object that a tool wraps in the framework's own return is an object here."""
    guard = firewall("strict")

    def get_order(order_id: str) -> ToolReturn[Order]:
        return ToolReturn(Order(parcel="pc_777"), metadata={"not": "told"})

    message = ScriptedAgent([Call("c1", "get_order", {"order_id": "ord_1"})], DONE)
    agent = Agent(message.model, tools=[get_order], capabilities=[ShieldCapability(guard)])
    session = guard.session(run_agent(agent).conversation_id)

    assert [{"parcel": "pc_777"}] == [executed.value for executed in session.executed]
    assert "tool" == session.origin("pc_777").source


# Control flow ------------------------------------------------------------------------------------


def agent_with(guard: Shield, tool: Any, *turns: Any, **given: Any) -> Agent[Any, Any]:
    """An agent with one tool of the test's own."""
    given = {"output_type": [str, DeferredToolRequests]} | given
    return Agent(
        ScriptedAgent(*turns).model, tools=[tool], capabilities=[ShieldCapability(guard)], **given
    )


ASKS = Call("c1", "pay", {"transaction_id": "tx_12345"})


@pytest.mark.parametrize("kind", [ApprovalRequired, CallDeferred])
def test_a_deferred_call_is_judged_once_and_runs_later(kind):
    """It is neither failed nor executed; the run that resumes it uses its decision."""
    guard = firewall("strict")
    paid = []

    def pay(ctx: RunContext[Any], transaction_id: str) -> str:
        if not ctx.tool_call_approved:
            raise kind()
        paid.append(transaction_id)
        return "paid"

    agent = agent_with(guard, pay, [ASKS], DONE)
    first = run_agent(agent)
    session = guard.session(first.conversation_id)
    assert isinstance(first.output, DeferredToolRequests)
    assert ({"c1": False}, ()) == (blocked_by_id(guard), session.executed)

    answers = DeferredToolResults(approvals={"c1": True})
    if kind is CallDeferred:
        answers = DeferredToolResults(calls={"c1": "paid elsewhere"})
    last = run_agent(
        agent, None, message_history=first.all_messages(), deferred_tool_results=answers
    )

    assert (DONE, {"c1": False}) == (last.output, blocked_by_id(guard))
    assert ["pay"] == [executed.tool for executed in session.executed]
    assert (["tx_12345"] if kind is ApprovalRequired else []) == paid


def test_a_call_is_resumed_in_another_process():
    """A Shield that never saw the conversation reads it before it judges the approved call."""

    def pay(transaction_id: str) -> str:
        return "paid"

    asks = Tool(pay, requires_approval=True)
    first = run_agent(agent_with(firewall("strict"), asks, [ASKS]))
    guard = Shield(shield.configure(tools=[Declared(name="pay", destructive=True)]))
    last = run_agent(
        agent_with(guard, asks, DONE), None,
        message_history=first.all_messages(),
        deferred_tool_results=DeferredToolResults(approvals={"c1": True}),
    )  # fmt: skip

    assert (DONE, {"c1": False}) == (last.output, blocked_by_id(guard))


@pytest.mark.parametrize("external", [False, True], ids=["unapproved", "external"])
def test_a_blocked_call_is_not_deferred(external):
    """A call with an invented id is not handed to an approver or an external tool."""
    guard = Shield(shield.configure(mode="strict", tools=[Declared(name="pay", destructive=True)]))

    def pay(transaction_id: str) -> str:
        return "paid"

    tool = Tool(pay, requires_approval=True)
    bad = ASKS._replace(arguments={"transaction_id": "tx_99999"})
    if external:
        agent = Agent(
            ScriptedAgent([bad], DONE).model, toolsets=[ExternalToolset([tool.tool_def])],
            output_type=[str, DeferredToolRequests], capabilities=[ShieldCapability(guard)],
        )  # fmt: skip
    else:
        agent = agent_with(guard, tool, [bad], DONE)
    result = run_agent(agent)

    assert (DONE, {"c1": True}) == (result.output, blocked_by_id(guard))
    assert '"unseen"' in returns(result)["c1"].content


def test_a_retry_raised_by_a_tool_is_unchanged():
    """The tool's retry uses its retries as without a Shield, and counts as a failed call."""
    guard = firewall("strict")

    def pay(transaction_id: str) -> str:
        raise ModelRetry("not now")

    agent = agent_with(guard, pay, [ASKS], [ASKS._replace(id="c2")], DONE)
    with pytest.raises(UnexpectedModelBehavior, match="exceeded max retries count of 1"):
        run_agent(agent)

    assert {"c1": False, "c2": False} == blocked_by_id(guard)


def test_a_skipped_execution_is_a_result():
    """The model reads the answer that another capability returns in place of the tool."""
    guard = firewall("strict")

    class Cached(AbstractCapability[Any]):
        async def before_tool_execute(self, ctx, *, call, tool_def, args):
            raise SkipToolExecution("pc_777 from the cache")

    agent = Agent(
        ScriptedAgent([GOOD], DONE).model, tools=[Shop().refund],
        capabilities=[Cached(), ShieldCapability(guard)],
    )  # fmt: skip
    result = run_agent(agent)
    (executed,) = guard.session(result.conversation_id).executed

    assert ("pc_777 from the cache", False) == (executed.value, executed.error)


def test_an_approved_call_is_validated_before_it_runs():
    """A suspicious call that the approver lets through gets the framework's typed arguments."""
    requests = []

    async def approver(decision: Any) -> bool:
        requests.append(decision.call_id)
        return True

    shop = Shop()
    tools = [Declared(name="refund", destructive=True)]
    policy = shield.configure(mode="strict", on_suspicious="approve", tools=tools)
    guard = Shield(policy, approver=approver)
    batch = [
        Call("c1", "create_user", {"user_id": "u_1"}),
        Call("c2", "delete_user", {"user_id": "u_1"}),
    ]
    run_agent(agent_of(shop, ScriptedAgent(batch, DONE).model, guard))

    # pydantic-ai starts the calls of one turn as tasks side by side, unless a tool is `sequential`,
    # and runs a plain function in a thread (`_tool_execution`, `_utils.run_in_executor`): which of
    # the two runs first is up to the threads
    user = {"user_id": "u_1"}
    ran_in_some_order = sorted(shop.ran, key=lambda one: one[0])
    assert [("create_user", user), ("delete_user", user)] == ran_in_some_order
    assert ["c2"] == requests
    assert {"c1": False, "c2": False} == blocked_by_id(guard)


def test_a_call_whose_block_is_lifted_is_validated():
    """If enforcement stops before the dispatch, the framework handles the invalid call itself."""
    bad = [
        GOOD._replace(id="c0"),
        PHANTOM,
        GOOD._replace(id="c2", arguments="{"),
        UNSEEN._replace(id="c3"),
    ]
    bare = returns(run_agent(clerk(None, bad, DONE)))

    with ExitStack() as off:

        class Lifts(AbstractCapability[Any]):
            async def after_tool_validate(self, ctx, *, call, tool_def, args):
                off.enter_context(no_shield())
                return args

        shop, guard = Shop(), firewall("strict")
        agent = Agent(
            ScriptedAgent(bad, DONE).model, tools=[shop.refund],
            capabilities=[ShieldCapability(guard), Lifts()],
        )  # fmt: skip
        message = returns(run_agent(agent))

    ids = [args["transaction_id"] for _, args in shop.ran]
    assert ["tx_12345", "tx_99999"] == sorted(ids)
    assert ["success", "retried", "retried", "success"] == [message[c.id].outcome for c in bad]
    assert bare["c2"].content == message["c2"].content
    assert "Unknown tool name: 'refnud'" in message["c1"].content


# Several at once ---------------------------------------------------------------------------------


def test_calls_of_one_turn_run_concurrently():
    """Two tools that wait for each other both finish."""
    guard = firewall("strict")

    async def meeting() -> str:
        both = asyncio.Barrier(2)

        async def wait(name: str) -> str:
            async with asyncio.timeout(5):
                await both.wait()
            return name

        names = {"c1": "ord_1", "c2": "u_1"}
        calls = [Call(call_id, "wait", {"name": name}) for call_id, name in names.items()]
        agent = agent_with(guard, wait, calls, DONE, output_type=str)
        return (await agent.run(ASKED)).output

    assert DONE == asyncio.run(meeting())
    assert {"c1": False, "c2": False} == blocked_by_id(guard)


def test_concurrent_runs_have_separate_sessions():
    """A value that one user mentioned is unmentioned in a concurrent run of another user."""
    guard = firewall("strict")

    async def answer(messages, info):
        await asyncio.sleep(0.01)
        text = messages[0].parts[0].content
        if len(messages) > 1:
            return ModelResponse([TextPart(text)])
        arguments = {"transaction_id": "tx_1111", "amount": 20.0}
        return ModelResponse([ToolCallPart("refund", arguments, f"of {text}")])

    agent = agent_of(Shop(), FunctionModel(answer), guard)

    async def both() -> None:
        await asyncio.gather(agent.run("refund tx_1111, 20"), agent.run("refund tx_2222, 20"))

    asyncio.run(both())

    assert {"of refund tx_1111, 20": False, "of refund tx_2222, 20": True} == blocked_by_id(guard)


@pytest.mark.parametrize("given", [False, True], ids=["by conversation", "given session"])
def test_a_sub_agent_has_a_child_session(given):
    """The sub-agent's decisions have its own name, and values that its parent read are seen."""
    guard = firewall("strict")
    session = guard.session() if given else None
    adapter = ShieldCapability(guard, session=session)
    clerk = Agent(
        ScriptedAgent([GOOD._replace(id="inner")], DONE).model, name="clerk", tools=[Shop().refund],
        capabilities=[adapter],
    )  # fmt: skip
    asks = Call("outer", "ask_clerk", {})
    chief = Agent(ScriptedAgent([asks], DONE).model, name="chief", capabilities=[adapter])

    @chief.tool
    async def ask_clerk(ctx: RunContext[Any]) -> str:
        return (await clerk.run("Do it, for 20.", usage=ctx.usage)).output

    run_agent(chief)
    inner, outer = sorted(about_calls(guard.store), key=lambda d: d.call_id)

    assert ("clerk", "chief", False, False) == (
        inner.agent, outer.agent, inner.blocked, outer.blocked,
    )  # fmt: skip
    assert outer.session_id == guard.sessions.get(inner.session_id, Shop).parent.id


# Telemetry, errors, the example ------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_the_frameworks_span_is_annotated(mode):
    """With instrumentation each call has one span that executes it, with the verdict."""
    run = Ran()
    calls = [[PHANTOM], [GOOD._replace(id="c2", arguments="{")], [GOOD._replace(id="c3")], DONE]
    message = ScriptedAgent(*calls)
    agent = Agent(
        message.model, tools=[Shop().refund],
        capabilities=[ShieldCapability(firewall(mode)), Instrumentation()],
    )  # fmt: skip

    with record_spans(run):
        run_agent(agent)
    spans = [of for _, of in run.spans if of.get("gen_ai.operation.name") == "execute_tool"]
    once = Counter(of["gen_ai.tool.call.id"] for of in spans)
    attributes = [of["gen_ai.tool.call.id"] for of in spans if "abs_shield.verdict" in of]

    assert run.error is None
    assert (["c1", "c2", "c3"] if mode == "strict" else ["c3"]) == attributes
    assert {1} == set(once.values())


def test_an_exception_of_a_tool_is_raised():
    """The exception ends the run, and the call counts as failed."""
    guard = firewall("strict")
    error = RuntimeError("on fire")

    def pay(transaction_id: str) -> str:
        raise error

    with pytest.raises(RuntimeError) as raised:
        run_agent(agent_with(guard, pay, [ASKS]), conversation_id="one")

    assert error is raised.value
    assert [True] == [executed.error for executed in guard.session("one").executed]


def test_a_call_that_never_ran_is_logged():
    """A call that the framework skips because of a final output has its decision."""
    guard = firewall("strict")
    final = Call("o1", "final_result", {"text": "done"})

    run_agent(clerk(guard, [GOOD, final], output_type=Report, end_strategy="early"))

    assert {"c1": False} == blocked_by_id(guard)


def test_the_example_runs():
    """The example blocks a phantom target, and the model corrects it."""
    root = Path(__file__).parents[2]
    done = run_python("examples/pydantic_ai_agent.py", cwd=root)

    assert "blocked: tx_99999" in done.stdout
    assert "ran: [('tx_12345', 20.0)]" in done.stdout


def test_the_page_runs():
    """The quickstart of the docs runs with a scripted model."""
    messages: dict[str, str] = {}
    model = Scripted([[GOOD], DONE], [], messages).model
    names: dict[str, Any] = {"model": model, "refund": Shop().refund}
    (block,) = blocks("pydantic-ai")
    exec(block, names)
    run_agent(names["agent"])  # `run_sync` would leave its event loop open

    assert "refunded tx_12345" == messages["c1"]


@pytest.mark.parametrize("decorated", [False, True])
@pytest.mark.parametrize("include_content", [False, True])
def test_spans_have_values_only_if_the_framework_records_content(
    include_content: bool, decorated: bool
) -> None:
    """Without content no span has a value; with content the feedback is recorded like arguments."""
    guard = firewall("strict")

    def refund(transaction_id: str) -> str:
        return "refunded"

    call = ToolCallPart("refund", {"transaction_id": f"tx_{CANARY}_1"}, "c1")
    replies = iter([ModelResponse(parts=[call]), ModelResponse(parts=[TextPart("done")])])
    received: list[str] = []

    def model(messages: list[Any], info: Any) -> ModelResponse:
        received.append(str(messages[-1]))
        return next(replies)

    settings = InstrumentationSettings(include_content=include_content)
    agent = Agent(
        FunctionModel(model),
        tools=[shielded(guard)(refund) if decorated else refund],
        capabilities=[Instrumentation(settings=settings), ShieldCapability(guard)],
    )
    exporter().clear()
    asyncio.run(agent.run(ASKED))
    results = places(exporter().get_finished_spans())

    assert '"status": "blocked"' in received[-1].replace("'", '"')
    assert CANARY in received[-1]
    assert (CONTENT if include_content else set()) == results


CONTENT = {
    ("chat function:model:", "gen_ai.input.messages"),
    ("chat function:model:", "gen_ai.output.messages"),
    ("execute_tool refund", "exception: exception.message"),
    ("execute_tool refund", "exception: exception.stacktrace"),
    ("execute_tool refund", "gen_ai.tool.call.arguments"),
    ("execute_tool refund", "gen_ai.tool.call.result"),
    ("invoke_agent agent", "pydantic_ai.all_messages"),
}
"""Where pydantic-ai records what a model wrote and read, if it is to record content."""
