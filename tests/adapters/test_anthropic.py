"""The Anthropic SDK's messages, and its tool runner."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.processes import run_python

pytest.importorskip("anthropic", reason="needs `pip install abs-shield[anthropic]`")

from anthropic import beta_async_tool, beta_tool
from anthropic.lib.tools import BetaRunnableToolset, ToolError
from anthropic.resources.beta.messages import Messages

from abs_shield import Session, Shield, ToolCall, Verdict, shield, shielded
from abs_shield.adapters.anthropic import (
    arun_tool_calls,
    run_tool_calls,
    sdk_checks,
    shielded_runner,
)
from abs_shield.errors import ShieldError
from tests.adapters.anthropic_driver import (
    ASYNC,
    DEFINITIONS,
    DRIVER,
    LOOP,
    REQUEST,
    STREAMED,
    Loop,
    Scripted,
    ask_model,
    tools,
    write,
)
from tests.adapters.conformance import conforms
from tests.adapters.page import blocks
from tests.adapters.scenes import ASKED, DONE, GOOD, SCENES, Call, Shop, firewall
from tests.subjects import about_calls

ROOT = Path(__file__).parents[2]

TestRunner = conforms(DRIVER)
TestAsyncRunner = conforms(ASYNC)
TestStreamedRunner, TestEagerRunner, TestEagerAsyncRunner = map(conforms, STREAMED)
TestLoop = conforms(LOOP)

PHANTOM = GOOD._replace(name="refnud")


def runner_of(model: Scripted, *given: Any, **options: Any) -> Any:
    """A tool runner over the script, with these tools."""
    return model.client().beta.messages.tool_runner(**{**REQUEST, **options}, tools=given)


def ran(turns: Any, guard: Shield, *given: Any, session: Session | None = None, **more: Any) -> Any:
    """Run a script to its end, and return the model with what it received."""
    model = Scripted(turns)
    runner = runner_of(model, *given, **more)
    shielded_runner(runner, firewall=guard, session=session).until_done()
    return model


# Streams ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", [*STREAMED, LOOP])
def test_json_that_a_stream_cuts_off_is_malformed(driver: Any) -> None:
    """The SDK completes truncated JSON silently; the Shield judges what the model wrote."""
    guard = firewall("strict")
    played = driver.run(SCENES["unparsable JSON"].turns, firewall=guard, stream=True)
    first = played.decisions[0]

    assert ["malformed_json"] == [finding.code for finding in first.findings]
    assert ["refund"] == [name for name, _ in played.ran]


def test_a_stream_gives_dispatch_the_arguments_as_an_object() -> None:
    """Arguments that are valid JSON are passed on as the SDK parsed them."""
    received: list[Any] = []
    stream = ask_model(Scripted([[GOOD]]).client(), REQUEST["messages"], stream=True)
    run_tool_calls(
        stream, REQUEST["messages"], firewall=firewall("audit"), dispatch=received.append
    )

    assert [GOOD.arguments] == [call.arguments for call in received]


# Whose run it is ----------------------------------------------------------------------------------


def test_the_conversation_of_the_client_is_the_session() -> None:
    """The conversation set by `open_telemetry` continues in the next run."""
    guard, model = firewall("strict"), Scripted([[GOOD], DONE])
    client = model.client(open_telemetry={"conversation_id": "conv_1"})
    runner: Any = client.beta.messages.tool_runner(**REQUEST, tools=tools(Shop()))
    shielded_runner(runner, firewall=guard).until_done()
    (decision,) = about_calls(guard.store)

    assert ("conv_1", "c1", "scripted") == (
        decision.session_id,
        decision.call_id,
        decision.model,
    )


def test_a_run_has_one_session() -> None:
    """Without any id, the steps of one run share a session, and two runs do not."""
    guard = firewall("strict")
    for _ in range(2):
        ran([[GOOD], [GOOD._replace(id="c2")], DONE], guard, *tools(Shop()))
    sessions = [decision.session_id for decision in about_calls(guard.store)]

    assert sessions[0] == sessions[1] != sessions[2] == sessions[3]


def test_a_tool_that_runs_another_runner_is_judged_in_a_child() -> None:
    """The parent session sees results of the sub-agent's tools; each tool has its own name."""
    guard, shop = firewall("strict"), Shop()
    session = guard.session(agent="boss")

    @beta_tool
    def delegate(order_id: str) -> str:
        child = session.child(agent="clerk")
        turns = [[Call("s1", "get_order", {"order_id": order_id})], DONE]
        ran(turns, guard, beta_tool(shop.get_order), session=child)
        return "done"

    later = Call("c2", "refund", {"transaction_id": "pc_777", "amount": 1.0})
    turns = [[Call("c1", "delegate", {"order_id": "ord_1"})], [later], DONE]
    ran(turns, guard, delegate, beta_tool(shop.refund), session=session)
    decided = {d.call_id: (d.agent, d.verdict) for d in about_calls(guard.store)}

    assert decided == {
        "c1": ("boss", Verdict.CLEAN),
        "s1": ("clerk", Verdict.CLEAN),
        "c2": ("boss", Verdict.CLEAN),
    }


def test_concurrent_runs_do_not_share_mentions() -> None:
    """Two conversations that run concurrently cannot use each other's ids."""
    guard = firewall("strict")

    def play(user: str) -> dict[str, str]:
        messages = [{"role": "user", "content": f"Refund {user}, 1 dollar."}]
        turns = [
            [Call(user, "refund", {"transaction_id": one, "amount": 1.0})]
            for one in ("tx_1", "tx_2")
        ]
        turns = [[call._replace(id=f"{user}_{n}")] for n, (call,) in enumerate(turns)]
        return ran([*turns, DONE], guard, *tools(Shop()), messages=messages).replies()

    with ThreadPoolExecutor() as pool:
        events = [*pool.map(play, ["tx_1", "tx_2"] * 10)]
    received = [["blocked" in text for text in each.values()] for each in events]

    assert received == [[False, True], [True, False]] * 10


# What a tool does ---------------------------------------------------------------------------------


def test_an_interrupt_in_a_tool_ends_the_run() -> None:
    """A KeyboardInterrupt is not caught, and the call counts as failed."""
    guard, session = firewall("strict"), Session()

    @beta_tool
    def refund(transaction_id: str, amount: float) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ran([[GOOD], DONE], guard, refund, session=session)

    assert [True] == [call.error for call in session.executed]


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_tool_error_keeps_its_content(mode: str) -> None:
    """The content of the SDK's own tool error reaches the model unchanged."""
    content: Any = [{"type": "text", "text": "closed on Sundays"}]

    @beta_tool
    def refund(transaction_id: str, amount: float) -> str:
        raise ToolError(content)

    model = ran([[GOOD], DONE], firewall(mode), refund)

    assert {"c1": content} == model.replies()


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_block_inside_a_tool_is_an_error_of_the_tool(mode: str) -> None:
    """An exception of another Shield is handled like any other exception of the tool."""
    inner = Shield(shield.configure(mode="strict"), hooks=None)

    @shielded(inner)
    def pay(amount: int) -> str:
        return "paid"

    @beta_tool
    def refund(transaction_id: str, amount: float) -> str:
        return pay("a lot")  # type: ignore[arg-type]

    model = ran([[GOOD], DONE], firewall(mode), refund)

    assert model.replies()["c1"].startswith("CallBlocked(")


def test_a_result_that_is_read_once_reaches_session_and_model() -> None:
    """A tool may return a generator of blocks; session and model both receive their text."""
    session = Session()

    @beta_tool
    def get_order(order_id: str) -> Any:  # pydantic 2.11 looks `Iterator` up in the SDK's module
        yield {"type": "text", "text": "parcel pc_777"}

    model = ran([[Call("c1", "get_order", {"order_id": "ord_1"})], DONE], firewall("strict"),
                get_order, session=session)  # fmt: skip
    origin = session.origin("pc_777")

    assert [{"type": "text", "text": "parcel pc_777"}] == model.replies()["c1"]
    assert origin is not None
    assert origin.source == "tool"


def test_a_cancelled_tool_is_cancelled() -> None:
    """Cancelling the task during a tool ends the run, and the call counts as failed."""
    session, model = Session(), Scripted([[GOOD], DONE])

    async def play() -> None:
        @beta_async_tool
        async def refund(transaction_id: str, amount: float) -> str:
            await asyncio.sleep(60)
            return ""

        messages = model.async_client().beta.messages
        runner: Any = messages.tool_runner(**REQUEST, tools=[refund])
        shielded_runner(runner, firewall=firewall("strict"), session=session)
        await asyncio.wait_for(runner.until_done(), 0.2)

    with pytest.raises(TimeoutError):
        asyncio.run(play())

    assert [True] == [call.error for call in session.executed]


def test_a_host_that_answers_by_itself_is_left_alone() -> None:
    """`append_messages` discards the runner's answers, with and without a Shield."""
    model, shop = Scripted([[GOOD], DONE]), Shop()
    runner = shielded_runner(runner_of(model, *tools(shop)), firewall=firewall("strict"))
    own = [{"type": "tool_result", "tool_use_id": "c1", "content": "by hand"}]
    for message in runner:
        if message.stop_reason == "tool_use":
            runner.append_messages(message, {"role": "user", "content": own})

    assert {"c1": "by hand"} == model.replies()


@pytest.mark.filterwarnings("ignore:Tool 'refnud' not found:UserWarning")
def test_the_generated_tool_response_is_the_one_sent() -> None:
    """`generate_tool_call_response` returns the feedback, and the runner sends the same."""
    model = Scripted([[PHANTOM], DONE])
    runner = shielded_runner(runner_of(model, *tools(Shop())), firewall=firewall("strict"))
    options = [runner.generate_tool_call_response() for _ in runner]
    feedback = options[0]["content"][0]["content"]

    assert {"c1": feedback} == model.replies()
    assert "refund" == json.loads(feedback)["problems"][0]["nearest"]


# Tools that come and go ---------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Tool '.*' not found:UserWarning")
def test_tools_may_be_added_and_removed_during_a_run() -> None:
    """An added tool may be called; a removed one is a phantom tool."""
    guard, shop = firewall("strict"), Shop()
    order = Call("c1", "get_order", {"order_id": "ord_1"})
    model = Scripted([[GOOD], [order], [GOOD._replace(id="c3")], DONE])
    refund = beta_tool(shop.refund)
    runner = shielded_runner(runner_of(model, refund), firewall=guard)
    for number, _ in enumerate(runner):
        if number == 0:
            runner.add_tools(beta_tool(shop.get_order))
        if number == 1:
            runner.remove_tools(refund)
    decided = [(d.call_id, d.blocked) for d in about_calls(guard.store)]

    assert [("c1", False), ("c1", False), ("c3", True)] == decided


class Browser(BetaRunnableToolset):
    """A toolset with one member."""

    toolset_name = "browser"

    def to_dict(self) -> Any:
        return {"type": "browser_toolset_20260801"}

    def call(self, context: Any, name: str, input: Any) -> Any:
        if name != "navigate":
            raise ToolError(f"no {name} here")
        return [{"type": "text", "text": "parcel pc_777"}]


def member(call_id: str, name: str, toolset: str = "browser", **given: Any) -> dict[str, Any]:
    """Return a call of a toolset's member, as the model writes it."""
    of = {"type": "tool_use", "id": call_id, "name": name}
    return {**of, "toolset_name": toolset, "input": given}


def test_a_toolset_is_judged_by_member() -> None:
    """A member has its toolset's name as prefix; its results and errors are recorded."""
    guard, session = firewall("strict"), Session()
    turns = [[member("c1", "navigate", url="x")], [member("c2", "fly")], DONE]
    model = ran(turns, guard, Browser(), session=session)
    origin = session.origin("pc_777")

    assert origin is not None
    assert [("browser.navigate", False), ("browser.fly", True)] == [
        (call.tool, call.error) for call in session.executed
    ]
    assert "no fly here" == model.replies()["c2"]


@pytest.mark.filterwarnings("ignore:Toolset 'computer':UserWarning")
def test_a_member_of_an_unknown_toolset_is_a_phantom_tool() -> None:
    """The feedback names the toolset in the form that the API requires."""
    model = ran([[member("c1", "click", "computer")], DONE], firewall("strict"), Browser())
    result = model.requests[1]["messages"][-1]["content"][0]

    assert ("computer", True) == (result["toolset_name"], '"blocked"' in result["content"])


def test_a_policy_applies_to_a_member_of_a_toolset() -> None:
    """A rule about a member's arguments is evaluated before the member runs."""
    schema = {"type": "object", "properties": {"url": {"enum": ["a"]}}}
    guard = firewall("strict")
    guard.register({"name": "browser.navigate", "input_schema": schema})
    model = ran([[member("c1", "navigate", url="b")], DONE], guard, Browser())

    assert '"blocked"' in model.replies()["c1"]


# What the model saw -------------------------------------------------------------------------------


def session_of(messages: Any, **more: Any) -> Session:
    """Return the session after one reply to this conversation."""
    session = Session()
    message = Scripted([[GOOD]]).client().messages.create(**REQUEST)
    run_tool_calls(
        message, messages, firewall=firewall("strict"), session=session,
        dispatch=lambda call: "", **more,
    )  # fmt: skip
    return session


def source(session: Session, value: str) -> str:
    """Return the source of *value*."""
    origin = session.origin(value)
    return "" if origin is None else origin.source


def test_an_image_makes_the_session_opaque() -> None:
    """After an image, a value without a mention is not a finding."""
    image = {"type": "image", "source": {"type": "url", "url": "http://image.invalid"}}
    session = session_of([{"role": "user", "content": [image]}])

    assert "unknown" == source(session, "tx_1")


def test_documents_of_text_are_read() -> None:
    """Text of a document or search result counts as mentioned by the user."""
    document = {"type": "document", "source": {"type": "text", "data": "about tx_1"}}
    content = [{"type": "text", "text": "and tx_2"}]
    result = {"type": "search_result", "source": "s", "title": "t", "content": content}
    session = session_of([{"role": "user", "content": [document, result]}])

    assert ["user", "user", ""] == [source(session, one) for one in ("tx_1", "tx_2", "tx_3")]


@pytest.mark.parametrize("system", ["It is tx_1.", [{"type": "text", "text": "It is tx_1."}]])
def test_the_system_prompt_is_read(system: Any) -> None:
    """Text and blocks of the system prompt count as mentioned by the system."""
    session = session_of(REQUEST["messages"], system=system)

    assert "system" == source(session, "tx_1")


def test_a_moved_cache_mark_is_not_a_new_message() -> None:
    """A host that moves `cache_control` to another message adds no message of the user."""
    mark = {"type": "text", "text": "Hello.", "cache_control": {"type": "ephemeral"}}
    message = write([GOOD], 0)
    session, guard = Session(), firewall("strict")
    for content in ([mark], "Hello.", [{**mark, "cache_control": None}]):
        messages = [{"role": "user", "content": content}]
        run_tool_calls(message, messages, firewall=guard, session=session, dispatch=str)

    assert 1 == session.turns


def test_a_summary_hides_only_what_was_not_received() -> None:
    """A conversation that the session recorded stays known when it is compacted."""
    summary = {"role": "assistant", "content": [{"type": "compaction", "content": "all well"}]}
    session = session_of(REQUEST["messages"])
    message, guard = write([GOOD], 0), firewall("strict")
    run_tool_calls(message, [summary], firewall=guard, session=session, dispatch=str)

    assert ["", "unknown"] == [source(session, "tx_9"), source(session_of([summary]), "tx_9")]


@pytest.mark.skipif(not hasattr(Messages, "thread"), reason="needs `pip install anthropic>=2.2`")
def test_a_continued_thread_contains_earlier_messages() -> None:
    """A later run on the same thread starts with all earlier messages and results."""
    order, later = Call("c1", "get_order", {"order_id": "ord_1"}), GOOD._replace(id="c2")
    later = later._replace(arguments={"transaction_id": "pc_777", "amount": 1.0})
    model, guard = Scripted([[order], DONE, [later], DONE]), firewall("strict")
    thread: Any = model.client().beta.messages.thread(**REQUEST, tools=tools(Shop()))
    for _ in range(2):
        shielded_runner(thread.tool_runner(), firewall=guard).until_done()
        thread.append({"role": "user", "content": "Go on."})
    sessions = {decision.session_id for decision in about_calls(guard.store)}

    assert (2, "refunded pc_777") == (len(sessions), model.replies()["c2"])


# A host's own loop --------------------------------------------------------------------------------


class Broken:
    """A block that cannot be read."""

    @property
    def model_dump(self) -> Any:
        raise RuntimeError("broken")


@pytest.mark.parametrize(
    "message",
    [
        SimpleNamespace(content=None),
        SimpleNamespace(content=[Broken(), None, 7]),
        {"role": "assistant", "content": "hello"},
        {},
    ],
)
def test_a_message_without_calls_has_no_answer(message: Any) -> None:
    """A message without calls is not answered; unreadable content makes the session opaque."""
    session = Session()
    odd = [SimpleNamespace(role="user", content=[Broken()]), "text", {"role": "user"}]
    messages = run_tool_calls(message, odd, firewall=firewall("strict"), session=session)

    assert ([], "unknown") == (messages, source(session, "tx_1"))


def test_a_malformed_call_is_answered() -> None:
    """A call without an id, a name or arguments does not stop the other calls."""
    blocks = [
        {"type": "tool_use", "id": "c1", "name": None, "input": {}},
        {"type": "tool_use", "name": "refund", "input": None},
        {"type": "tool_use", "id": "c3", "name": "refund", "input": [1]},
        {"type": "tool_use", "id": "c4", "name": GOOD.name, "input": GOOD.arguments},
    ]
    guard = firewall("strict")
    for tool in DEFINITIONS:
        guard.register(tool)
    messages = run_tool_calls(
        {"content": blocks}, REQUEST["messages"], firewall=guard, dispatch=lambda call: call.id
    )
    errors = [result.get("is_error", False) for result in messages[0]["content"]]

    assert [True, True, True, False] == errors


def test_a_members_result_names_its_toolset() -> None:
    """The API compares the toolset of a result with that of its call."""
    message = {"content": [member("c1", "navigate")]}
    (item,) = run_tool_calls(
        message, REQUEST["messages"], firewall=firewall("audit"), dispatch=lambda call: call.name
    )

    assert {**item["content"][0]} == {
        "type": "tool_result",
        "tool_use_id": "c1",
        "content": "browser.navigate",
        "toolset_name": "browser",
    }


def test_async_calls_run_concurrently() -> None:
    """Two calls that wait for each other both finish."""

    async def play() -> list[dict[str, Any]]:
        both = asyncio.Barrier(2)

        async def dispatch(call: ToolCall) -> str:
            await asyncio.wait_for(both.wait(), 5)
            return str(call.id)

        message = write([GOOD, GOOD._replace(id="c2")], 0)
        guard = Shield(shield.configure(mode="audit"), hooks=None)
        return await arun_tool_calls(
            message, REQUEST["messages"], firewall=guard, dispatch=dispatch
        )

    (item,) = asyncio.run(play())

    assert ["c1", "c2"] == [result["content"] for result in item["content"]]


# What can go wrong --------------------------------------------------------------------------------


def test_a_runner_accepts_one_shield() -> None:
    """A second Shield for the same runner is refused."""
    runner = runner_of(Scripted([DONE]), *tools(Shop()))
    shielded_runner(runner, firewall=firewall("strict"))

    with pytest.raises(ShieldError, match="already has a Shield"):
        shielded_runner(runner, firewall=firewall("strict"))


def test_an_object_that_is_not_a_runner_is_refused() -> None:
    """An object of another type raises an error before it runs unguarded."""
    with pytest.raises(ShieldError, match="Loop is not a supported tool runner"):
        shielded_runner(Loop(), firewall=firewall("strict"))


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
def test_a_streaming_runner_without_its_stream_is_refused(streams: bool) -> None:
    """Only the stream has what the model wrote; a runner that does not stream needs none."""
    runner = runner_of(Scripted([DONE]), *tools(Shop()), stream=streams)
    vars(runner).pop("_last_message")

    if not streams:
        assert runner is shielded_runner(runner, firewall=firewall("audit"))
        return
    with pytest.raises(ShieldError, match="it has no `_last_message`"):
        shielded_runner(runner, firewall=firewall("audit"))


@pytest.mark.parametrize("used", ["runner", "loop"])
def test_a_stream_without_the_original_json_is_refused(used: str, monkeypatch: Any) -> None:
    """Truncated JSON would look complete, so the first use of a stream raises an error."""
    whole = SimpleNamespace(role="assistant", content=[], model="scripted")
    stream = SimpleNamespace(current_message_snapshot=whole)

    def play() -> None:
        if used == "runner":
            runner = runner_of(Scripted([DONE]), *tools(Shop()), stream=True)
            shielded_runner(runner, firewall=firewall("audit"))
        run_tool_calls(stream, REQUEST["messages"], firewall=firewall("audit"))

    monkeypatch.setattr(sdk_checks, "BUFFERS", "renamed")
    sdk_checks.check_streams.cache_clear()
    try:
        with pytest.raises(ShieldError, match=r"`MessageStream` .* has no `__renamed`"):
            play()
    finally:
        sdk_checks.check_streams.cache_clear()


# The pages ----------------------------------------------------------------------------------------


def test_the_example_runs(tmp_path: Path) -> None:
    """The output has its key lines in order, and no warning is printed."""
    path = str(ROOT / "examples" / "anthropic_agent.py")
    done = run_python("-W", "error", path, check=False, cwd=tmp_path)
    lines = ['blocked: "tx_99999"', "refunded 20.00 for tx_12345", "1 call was stopped"]
    places = [done.stdout.find(line) for line in lines]

    assert (0, "") == (done.returncode, done.stderr)
    assert sorted(places) == places
    assert -1 not in places


@pytest.mark.filterwarnings("ignore:Tool 'refnud' not found:UserWarning")
@pytest.mark.parametrize("number", [0, 1])
def test_the_page_runs(number: int) -> None:
    """The code blocks of the docs run unchanged, with a scripted model for the client."""
    model, shop = Scripted([[PHANTOM], DONE]), Shop()
    client, ask = model.client(), {"model": "scripted", "max_tokens": 100}
    names: dict[str, Any] = {
        "client": client,
        "messages": [{"role": "user", "content": ASKED}],
        "ask": ask,
    }
    names["refund"] = [beta_tool(shop.refund), shop.refund][number]
    exec(blocks("Anthropic SDK")[number], names)

    assert '"blocked"' in model.replies()["c1"]
    assert ["refund"] == [tool["name"] for tool in model.requests[0]["tools"]]
