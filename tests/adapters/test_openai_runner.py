"""The OpenAI SDK's tool runner for Responses."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.processes import run_python

pytest.importorskip("openai", reason="needs `pip install abs-shield[openai]`")
pytest.importorskip(
    "openai.lib.responses_tool_runner",
    reason="needs `pip install abs-shield[openai]` with openai 3.31.0 or later",
)

from openai import pydantic_responses_function_tool
from openai.lib.browser import AsyncBrowserToolset, BrowserToolset
from openai.lib.responses_tool_runner import (
    AsyncResponsesToolRunner,
    RegisteredFunction,
    ResponsesToolLedger,
    ResponsesToolRunner,
    ToolRunnerError,
)
from pydantic import BaseModel

from abs_shield import Session, Shield, shield, shielded
from abs_shield.adapters.openai import shielded_runner
from abs_shield.errors import ShieldError
from tests.adapters.conformance import conforms
from tests.adapters.openai_runner_driver import (
    ASYNC,
    DRIVER,
    EAGER,
    EAGERS,
    REQUEST,
    STREAMED,
    Provider,
    functions,
    tool_description,
)
from tests.adapters.page import blocks
from tests.adapters.scenes import ASKED, DONE, GOOD, SCENES, Call, Shop, firewall
from tests.subjects import about_calls

ROOT = Path(__file__).parents[2]

TestRunner = conforms(DRIVER)
TestAsync = conforms(ASYNC)
TestStreamed, TestAsyncStreamed = map(conforms, STREAMED)
TestEager, TestAsyncEager, TestParallel, TestAsyncParallel = map(conforms, EAGERS)

PHANTOM = GOOD._replace(name="refnud")
ORDER = Call("c0", "get_order", {"order_id": "ord_1"})


def runner_of(guard: Shield | None, shop: Shop, session: Session | None = None) -> Any:
    """Return a runner of the shop's tools, with a firewall if there is one."""
    runner = ResponsesToolRunner(functions=functions(shop))
    if guard is None:
        return runner
    return shielded_runner(runner, firewall=guard, session=session)


def run_script(
    turns: Any, guard: Shield | None, *, shop: Shop | None = None, **options: Any
) -> Provider:
    """Run a script to its end, and return the model."""
    model = Provider(turns)
    request = {**REQUEST, **options.pop("request", {})}
    runner_of(guard, Shop() if shop is None else shop).run(model.client(), request, **options)
    return model


# Turns --------------------------------------------------------------------------------------------


def test_all_calls_of_a_turn_are_judged_before_the_first_runs() -> None:
    """When the first call runs, the second one already has its decision."""
    guard, decided = firewall("strict"), []

    def execute(arguments: dict[str, Any]) -> str:
        decided.extend((d.call_id, d.blocked) for d in session.decisions)
        return "found"

    tool = RegisteredFunction(tool_description("get_order"), execute)
    runner = ResponsesToolRunner(functions=[tool])
    session = guard.session()
    shielded_runner(runner, firewall=guard, session=session)
    runner.run(Provider([[ORDER, PHANTOM], DONE]).client(), {**REQUEST})

    assert {("c0", False), ("c1", True)} == set(decided)


def test_a_phantom_tool_beside_good_calls_is_answered() -> None:
    """The valid calls run, and the phantom call's output is the feedback."""
    shop = Shop()
    broken = GOOD._replace(id="c2", arguments='{"transaction_id": ')
    model = run_script([[ORDER, PHANTOM, broken], DONE], firewall("strict"), shop=shop)
    calls = [i for i in model.requests[1]["input"] if i.get("type") == "function_call"]

    assert ["get_order"] == [name for name, _ in shop.ran]
    assert [(c.name, c.raw) for c in (ORDER, PHANTOM, broken)] == [
        (call["name"], call["arguments"]) for call in calls
    ]
    assert '"pc_777"' in model.replies()["c0"]
    assert '"unknown_tool"' in model.replies()["c1"]
    assert '"malformed_json"' in model.replies()["c2"]


def test_the_model_is_offered_only_the_hosts_tools() -> None:
    """No request, also after a blocked call, offers a tool of the package."""
    model = run_script([[PHANTOM], DONE], firewall("strict"))
    bare = run_script([DONE], None)

    assert [bare.requests[0]["tools"]] * 2 == [request["tools"] for request in model.requests]


@pytest.mark.parametrize("eager", [False, True])
def test_the_host_receives_what_the_model_wrote(eager: bool) -> None:
    """Turns, and the events of a stream, have the model's own calls."""
    shown: list[Any] = []
    turns = runner_of(firewall("strict"), Shop()).iterate(
        Provider([[PHANTOM], DONE]).client(),
        {**REQUEST},
        stream=True,
        eager=eager,
        on_event=shown.append,
    )
    with closing(turns):
        names = [[getattr(item, "name", None) for item in turn.response.output] for turn in turns]
    done = [event for event in shown if event.type == "response.output_item.done"]
    completed = [event for event in shown if event.type == "response.completed"]

    assert [["refnud"], [None]] == names
    assert "refnud" == done[0].item.name == completed[0].response.output[0].name


@pytest.mark.parametrize("lacking", ["name", "arguments", "call_id"])
def test_an_incomplete_item_ends_the_run_as_in_the_sdk(lacking: str) -> None:
    """An item without a name, arguments or id is not a call with a result for the model."""
    item = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "refnud"}
    item |= {"arguments": "{}", "status": "completed"}
    del item[lacking]
    errors = []
    for guard in (None, firewall("strict")):
        with pytest.raises(ToolRunnerError) as raised:
            run_script([[item], DONE], guard)
        errors.append(str(raised.value))

    assert errors[0] == errors[1]


class Refund(BaseModel):
    transaction_id: str
    amount: float


def typed(shop: Shop) -> Any:
    """Return a runner with a pydantic tool of the SDK, which parses its arguments itself."""
    tool = pydantic_responses_function_tool(Refund, name="refund")
    run = RegisteredFunction.from_tool(
        tool, execute=lambda given: shop.refund(given.transaction_id, given.amount)
    )
    return ResponsesToolRunner(functions=[run])


def test_a_typed_function_is_corrected_where_the_sdk_ends_the_run() -> None:
    """Arguments that do not fit the tool's model get feedback, where the SDK ends the run."""
    turns = SCENES["wrong type"].turns
    with pytest.raises(ToolRunnerError):
        typed(Shop()).run(Provider(turns).client(), {**REQUEST})
    shop, model = Shop(), Provider(turns)
    runner = shielded_runner(typed(shop), firewall=firewall("strict"))
    runner.run(model.client(), {**REQUEST})

    assert '"wrong_type"' in model.replies()["c1"]
    assert [("refund", GOOD.arguments)] == shop.ran


def test_the_last_step_is_the_sdks_own() -> None:
    """Feedback adds no step beyond `max_steps`."""
    messages = []
    for guard in (None, firewall("strict")):
        with pytest.raises(ToolRunnerError) as raised:
            run_script([[GOOD], [PHANTOM._replace(id="c2")]], guard, max_steps=2)
        messages.append(str(raised.value))

    assert "Function was not registered or lacks native metadata." == messages[0]
    assert "Tool run reached max_steps before completion." == messages[1]


def test_outputs_that_the_host_supplies_are_accepted() -> None:
    """The host's tool does not run, and the call has one decision."""
    guard, shop, model = firewall("strict"), Shop(), Provider([[GOOD], DONE])
    runner = ResponsesToolRunner(functions=functions(shop, allow_output_override=True))
    turns = shielded_runner(runner, firewall=guard).iterate(model.client(), {**REQUEST})
    supplied: Any = {"type": "function_call_output", "call_id": "c1", "output": "by hand"}
    for turn in turns:
        if not turn.final:
            turn.supply_outputs([supplied])

    assert ({"c1": "by hand"}, []) == (model.replies(), shop.ran)
    assert ["c1"] == [decision.call_id for decision in about_calls(guard.store)]


def test_a_block_inside_a_tool_is_an_error_of_the_tool() -> None:
    """An error of another Shield inside a tool ends the run like any other error."""
    inner = Shield(shield.configure(mode="strict"))

    @shielded(inner)
    def count(number: int) -> str:
        return str(number)

    tool = RegisteredFunction(tool_description("get_order"), lambda given: count(given["order_id"]))
    for guard in (firewall("audit"), firewall("strict")):
        runner = shielded_runner(ResponsesToolRunner(functions=[tool]), firewall=guard)
        with pytest.raises(ToolRunnerError, match="stopped before completion"):
            runner.run(Provider([[ORDER], DONE]).client(), {**REQUEST})


# What was seen ------------------------------------------------------------------------------------


def refunds(transaction: str) -> list[Any]:
    """Return a script that refunds a transaction."""
    return [[GOOD._replace(arguments={"transaction_id": transaction, "amount": 20.0})], DONE]


def allowed(request: dict[str, Any], transaction: str = "tx_4711") -> bool:
    """Return whether a refund of the transaction runs in strict mode."""
    shop = Shop()
    run_script(refunds(transaction), firewall("strict"), shop=shop, request=request)
    return bool(shop.ran)


def test_instructions_count_as_mentioned() -> None:
    """A value in the host's instructions is mentioned."""
    assert not allowed({"instructions": "Be brief."})
    assert allowed({"instructions": "The test transaction is tx_4711."})


@pytest.mark.parametrize(
    "request_",
    [
        {"input": [{"type": "item_reference", "id": "msg_1"}, {"role": "user", "content": ASKED}]},
        {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "u"}]}]},
        {"prompt": {"id": "pmpt_1"}},
    ],
    ids=["stored item", "image", "stored prompt"],
)
def test_content_that_was_not_received_makes_the_session_opaque(request_: dict[str, Any]) -> None:
    """If the provider stores it, or it is not text, an unmentioned value is not a finding."""
    assert allowed(request_)


def test_a_value_of_an_unseen_earlier_message_is_accepted() -> None:
    """Values in the known end of a conversation pass; other values are still unseen."""
    end = [
        {"role": "assistant", "content": "Your last order is tx_4711. Shall I refund it?"},
        {"role": "user", "content": "Yes, refund it, 20 dollars."},
    ]

    assert allowed({"input": end})
    assert not allowed({"input": end}, "tx_6666")


def test_an_image_in_a_tool_output_makes_the_session_opaque() -> None:
    """After an image in an output, an unmentioned value is not a finding."""
    picture = [{"type": "input_image", "image_url": "data:,", "detail": "auto"}]
    shop, guard = Shop(), firewall("strict")
    tools = [
        *functions(shop)[1:],
        RegisteredFunction(tool_description("get_order"), lambda _: picture),
    ]
    runner = shielded_runner(ResponsesToolRunner(functions=tools), firewall=guard)
    runner.run(Provider([[ORDER], *refunds("tx_4711")]).client(), {**REQUEST})

    assert ["refund"] == [name for name, _ in shop.ran]


def test_each_run_without_a_session_has_its_own() -> None:
    """A given session is continued; a runner may run several times."""
    guard = firewall("strict")
    runner, session = runner_of(guard, Shop()), guard.session()
    for _ in range(2):
        runner.run(Provider([[GOOD], DONE]).client(), {**REQUEST})
    with session:
        runner.run(Provider([[GOOD], [GOOD._replace(id="c2")], DONE]).client(), {**REQUEST})
    first, second, *rest = [decision.session_id for decision in about_calls(guard.store)]

    assert first != second
    assert [session.id] * 2 == rest
    assert "scripted" == session.model


# Saved and shortened runs -------------------------------------------------------------------------


def run_with_checkpoints(turns: Any, guard: Shield | None) -> tuple[list[Any], str]:
    """Return the checkpoints of a run, and the error that ended it."""
    saved: list[Any] = []
    try:
        run_script(turns, guard, ledger=ResponsesToolLedger("run_1", saved.append))
    except ToolRunnerError as error:
        return saved, str(error)
    return saved, ""


@pytest.mark.parametrize("turns", [[[GOOD], DONE], [[ORDER, PHANTOM], DONE]])
def test_a_ledger_equals_that_of_the_sdk(turns: Any) -> None:
    """A ledger can be resumed without a Shield; a call that cannot run ends the run."""
    assert run_with_checkpoints(turns, None) == run_with_checkpoints(turns, firewall("strict"))


def test_a_blocked_call_is_answered_in_a_ledger() -> None:
    """The ledger has the feedback as the output of the blocked call."""
    saved, error = run_with_checkpoints(SCENES["phantom target"].turns, firewall("strict"))
    outputs = [i for i in saved[-1]["history"] if i.get("type") == "function_call_output"]

    assert ("", "final") == (error, saved[-1]["phase"])
    assert '"unseen"' in outputs[0]["output"]


def with_shortened_input(summary: str) -> dict[str, Any]:
    """Return options with a budget of one image, so that the first request is shortened."""

    def compact(snapshot: Any) -> Any:
        return {"drop_call_ids": snapshot["eligible_call_ids"], "summary": summary}

    return {"max_input_bytes": 900, "max_input_images": 0, "compact": compact}


def test_what_the_sdk_leaves_out_was_seen_and_its_summary_vouches_for_nothing() -> None:
    """The result is in the run's input, though not in the request."""
    result = json.dumps({"transaction_id": "tx_4711", "note": "n" * 900})
    before = [
        {"role": "user", "content": "Refund my last order, 20 dollars."},
        {"type": "function_call", "call_id": "c0", "name": "get_order", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c0", "output": result},
    ]
    for transaction, runs in (("tx_4711", 1), ("tx_6666", 0)):
        shop = Shop()
        model = run_script(
            refunds(transaction),
            firewall("strict"),
            shop=shop,
            request={"input": before},
            context_budget=with_shortened_input("the order is tx_6666"),
        )

        assert "tx_4711" not in json.dumps(model.requests[0]["input"])
        assert runs == len(shop.ran)


# Eager calls --------------------------------------------------------------------------------------


def test_an_eager_call_that_runs_beside_another_is_judged_beside_it() -> None:
    """The first is still running when the second, which takes it back, begins."""
    blocked = Event()
    guard = Shield(
        firewall("strict").policy, hooks=[lambda d: blocked.set() if d.blocked else None]
    )
    ended: list[bool] = []

    def create(arguments: dict[str, Any]) -> str:
        ended.append(blocked.wait(10))
        return "created"

    shop = Shop()
    tools = [
        RegisteredFunction(tool_description("create_user"), create, independent=True),
        *[t for t in functions(shop, independent=True) if t.tool["name"] == "delete_user"],
    ]
    runner = shielded_runner(ResponsesToolRunner(functions=tools), firewall=guard)
    turns = SCENES["contradiction in a batch"].turns
    runner.run(Provider(turns).client(), {**REQUEST}, **EAGER)

    assert ([True], []) == (ended, shop.ran)


def test_delayed_calls_are_judged_as_one_turn() -> None:
    """`before_early_call` delays the second call, and each call has one decision."""
    guard, shop, shown = firewall("strict"), Shop(), []

    def before(item: Any) -> Any:
        shown.append(item.name)
        return "execute" if len(shown) == 1 else "defer"

    calls = [ORDER, GOOD, PHANTOM._replace(id="c2")]
    model = run_script([calls, DONE], guard, shop=shop, before_early_call=before, **EAGER)

    assert ["get_order", "refund"] == [name for name, _ in shop.ran] == shown
    assert '"unknown_tool"' in model.replies()["c2"]
    assert ["c0", "c1", "c2"] == sorted(d.call_id or "" for d in about_calls(guard.store))


# Browsers -----------------------------------------------------------------------------------------


class Driver:
    """A browser with one tab."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def state(self) -> Any:
        return {"tabs": [{"id": "t1", "title": "Shop", "url": "https://shop.test", "active": True}]}

    def find(self, action: Any) -> str:
        self.found.append(action["query"])
        return "button pc_777"


class AsyncDriver(Driver):
    """A browser with one tab, for an async runner."""

    async def state(self) -> Any:
        return super().state()

    async def find(self, action: Any) -> str:
        return super().find(action)


def run_with_browser(driver: Driver, model: Provider, guard: Shield, session: Session) -> None:
    """Run a script with a browser."""
    if isinstance(driver, AsyncDriver):
        runner = AsyncResponsesToolRunner(browser=AsyncBrowserToolset(driver))
        shielded_runner(runner, firewall=guard, session=session)
        asyncio.run(runner.run(model.async_client(), {**REQUEST}))
    else:
        other = ResponsesToolRunner(browser=BrowserToolset(driver))
        shielded_runner(other, firewall=guard, session=session)
        other.run(model.client(), {**REQUEST})


@pytest.mark.parametrize("kind", [Driver, AsyncDriver])
def test_a_browsers_calls_are_judged(kind: type[Driver]) -> None:
    """A blocked browser call gets feedback, and the result of the other one is recorded."""
    driver, guard = kind(), firewall("strict")
    session = guard.session()
    call = Call("c1", "browser_find", {"query": "buy", "tab_id": None})
    bad = call._replace(id="c2", arguments={"query": 7, "tab_id": None})
    model = Provider([[call, bad], DONE])
    run_with_browser(driver, model, guard, session)
    origin = session.origin("pc_777")

    assert ["buy"] == driver.found
    assert '"wrong_type"' in model.replies()["c2"]
    assert origin is not None
    assert "tool" == origin.source


# The runner ---------------------------------------------------------------------------------------


def test_an_object_that_is_not_a_runner_is_refused() -> None:
    """The error says what to pass, and a second Shield for a runner is refused."""
    with pytest.raises(ShieldError, match="pass a `ResponsesToolRunner`"):
        shielded_runner(object(), firewall=firewall("audit"))
    runner = runner_of(firewall("audit"), Shop())
    with pytest.raises(ShieldError, match="already has a Shield"):
        shielded_runner(runner, firewall=firewall("audit"))


def test_an_older_sdk_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the first version of the SDK that has the runner."""
    monkeypatch.setitem(sys.modules, "openai.lib.responses_tool_runner", None)
    with pytest.raises(ShieldError, match=r"in openai 3\.31\.0 or newer, and \S+ is installed"):
        shielded_runner(object(), firewall=firewall("audit"))


def test_a_second_run_of_a_busy_runner_is_refused() -> None:
    """The first run continues, as without a Shield."""
    shop = Shop()
    runner = runner_of(firewall("strict"), shop)
    first = runner.iterate(Provider([[GOOD], DONE]).client(), {**REQUEST})
    next(first)
    with pytest.raises(RuntimeError, match="busy"):
        runner.run(Provider([DONE]).client(), {**REQUEST})
    assert [True] == [turn.final for turn in first]
    assert {"status": "closed"} == runner.close()
    with pytest.raises(RuntimeError, match="closed"):
        runner.run(Provider([DONE]).client(), {**REQUEST})


def test_an_abandoned_run_logs_its_proposed_calls() -> None:
    """If the host stops before the tools run, their decisions are logged."""
    guard, shop = firewall("strict"), Shop()
    with closing(runner_of(guard, shop).iterate(Provider([[GOOD]]).client(), {**REQUEST})) as turns:
        next(turns)

    assert [] == shop.ran
    assert ["c1"] == [decision.call_id for decision in about_calls(guard.store)]


# Documents ----------------------------------------------------------------------------------------


def test_the_example_runs(tmp_path: Path) -> None:
    """The output has its key lines in order, and no warning is printed."""
    done = run_python(
        "-W", "error", str(ROOT / "examples" / "openai_runner_agent.py"), check=False, cwd=tmp_path
    )
    lines = ['"tx_99999" was not mentioned in this run', "is CLEAN", "Your 20.00 are on their way."]
    places = [done.stdout.find(line) for line in lines]

    assert (0, "") == (done.returncode, done.stderr)
    assert sorted(places) == places
    assert -1 not in places


def test_the_page_runs(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """The code block of the docs runs unchanged, with a scripted model for the client."""
    shop, model = Shop(), Provider([[PHANTOM], [GOOD._replace(id="c2")], DONE])
    client = model.client()
    monkeypatch.setattr("openai.OpenAI", lambda: client)
    names = {
        "description": tool_description("refund"),
        "refund": lambda given: shop.refund(**given),
    }
    _, block = blocks("OpenAI SDK")
    exec(block, names)

    assert '"blocked"' in model.replies()["c1"]
    assert ["refund"] == [name for name, _ in shop.ran]
    assert f"{DONE}\n" == capsys.readouterr().out
