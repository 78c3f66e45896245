"""Scripted sessions: the model is scripted, the Shield, its session and its tools are real."""

from __future__ import annotations

import asyncio
import gzip
import json

import pytest

from abs_shield import Shield, ShieldError, Tool, ToolCall, shield, shielded
from abs_shield.testing import (
    ascripted,
    assert_allowed,
    assert_blocked,
    assert_flagged,
    assistant,
    call,
    recorded,
    result,
    scripted,
    system,
    user,
)
from tests.subjects import about_calls

LOOKUP = call("find_order", email="ann@example.com")
ASKED = {"role": "user", "content": "Please refund tx_12345."}


def proposed(name, arguments, call_id="c1", **more):
    """An assistant message with one call, in OpenAI's shape."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "tool_calls": [{"id": call_id, "function": function}], **more}


def returned(content, call_id="c1", **more):
    """The message that answers a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


@pytest.fixture
def file(tmp_path):
    """Writes runs to a run file, packed or not."""

    def write(*runs, packed=False):
        path = tmp_path / "runs.jsonl"
        data = "".join(json.dumps(run) + "\n" for run in runs).encode()
        path.write_bytes(gzip.compress(data) if packed else data)
        return path

    return write


def test_real_functions_run(firewall):
    """The result of a real function is seen by the next call."""
    session = firewall.session()
    steps = [
        user("Refund my last order, ann@example.com."),
        LOOKUP,
        call("refund", transaction_id="tx_12345", amount=20),
    ]
    decisions = scripted(firewall, steps, session=session)

    assert [False, False] == [bool(decision.findings) for decision in decisions]
    assert "refunded 20.0" == session.executed[1].value


def test_a_scripted_result_replaces_the_function(firewall):
    """The function does not run; what the script says was returned is seen."""
    session = firewall.session()
    steps = [
        user("Refund my last order, ann@example.com."),
        LOOKUP,
        result({"transaction_id": "tx_777"}),
        call("refund", transaction_id="tx_12345", amount=20),
        result("done"),
    ]
    decisions = scripted(firewall, steps, session=session)

    assert_flagged(decisions[1], layer="phantom_target")
    assert ["done"] == [ran.value for ran in session.executed if ran.tool == "refund"]


def test_a_scripted_failure_is_no_mention(firewall):
    """The text of an error makes no value seen."""
    steps = [
        user("Refund my last order, ann@example.com."),
        LOOKUP,
        result("no order; did you mean tx_12345?", error=True),
        call("refund", transaction_id="tx_12345", amount=20),
    ]

    decision = scripted(firewall, steps)[1]

    assert_flagged(decision, layer="phantom_target")
    assert "SUSPICIOUS" == decision.verdict


def test_a_blocked_call_returns_nothing(firewall):
    """Neither its function nor its scripted result happens."""
    session = firewall.session()
    steps = [
        user("Refund tx_1."),
        call("refund", transaction_id="tx_1", amount=9_000),
        result("ok"),
    ]
    decisions = scripted(firewall, [*steps, *steps[1:2]], session=session)

    assert [True, True] == [decision.blocked for decision in decisions]
    assert () == session.executed


def test_each_call_has_one_decision(firewall):
    """It is recorded once, though it is proposed and then dispatched."""
    session = firewall.session()
    decisions = scripted(firewall, [user("Hello."), LOOKUP, call("refnud")], session=session)

    assert list(session.decisions) == decisions
    assert 2 == len(about_calls(firewall.store))


def test_calls_from_inside_are_not_the_scripts(make_shield):
    """A tool that calls another gives the script's call one decision."""
    firewall = make_shield()

    @shielded(firewall)
    def refund_twice(transaction_id: str) -> list:
        again = {"transaction_id": transaction_id, "amount": 1}
        return [firewall.dispatch("refund", again) for _ in range(2)]

    decisions = scripted(firewall, [user("tx_1"), call("refund_twice", transaction_id="tx_1")])

    assert "refund_twice" == decisions.only().tool


def test_raw_arguments_and_log_probabilities_are_judged(firewall):
    """Broken JSON is a mismatch, and a `ToolCall` brings its log-probabilities."""
    doubtful = ToolCall("find_order", {"email": "a@b.example"}, logprobs=[-4.0])
    steps = [user("a@b.example"), call("refund", '{"amount": '), doubtful]
    broken, doubted = scripted(firewall, steps)

    assert_blocked(broken, layer="parameter_mismatch")
    assert_flagged(doubted, layer="confidence_drop")
    assert ("HALLUCINATED", "SUSPICIOUS") == (broken.verdict, doubted.verdict)


def test_what_a_function_raises_passes_through(firewall):
    """A defect of a tool is not hidden by the script."""

    @shielded(firewall)
    def crash() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        scripted(firewall, [call("crash")])


def test_a_tool_without_a_function_is_judged():
    """Where the host runs the tool, the call is judged and nothing comes back."""
    firewall = Shield(shield.configure(tools=[Tool(name="lend")]), hooks=None)
    session = firewall.session()

    assert_allowed(scripted(firewall, [call("lend", book="b1")], session=session).only())
    assert () == session.executed


def test_async_tools_are_awaited(firewall):
    """Functions, generators and async generators all run to their end."""

    @shielded(firewall)
    async def ship(order: str) -> str:
        await asyncio.sleep(0)
        return f"shipped {order}"

    @shielded(firewall)
    async def watch(order: str):
        yield order

    session = firewall.session()
    steps = [user("Ship o1."), call("ship", order="o1"), call("watch", order="o1")]
    asyncio.run(ascripted(firewall, steps, session=session))

    assert ["shipped o1", ["o1"]] == [ran.value for ran in session.executed]
    with pytest.raises(ShieldError, match="async"):
        scripted(firewall, steps)


def test_a_generator_runs_to_its_end(firewall):
    """Its items are its result."""

    @shielded(firewall)
    def pages(n: int):
        yield from range(n)

    session = firewall.session()
    scripted(firewall, [call("pages", n=2)], session=session)

    assert [0, 1] == session.executed[0].value


def test_everybody_is_recorded(firewall):
    """System text mentions; the agent's own words do not."""
    refund = call("refund", transaction_id="tx_5", amount=1)
    texts = [
        scripted(firewall, [user("Hello."), words("Mind tx_5."), refund]).only()
        for words in (system, assistant)
    ]

    assert ["CLEAN", "SUSPICIOUS"] == [decision.verdict for decision in texts]


def test_messages_are_steps(firewall):
    """Their calls are judged and never run; their results are what was returned."""
    session = firewall.session()
    messages = [
        {"role": "user", "content": "Refund my last order, ann@example.com."},
        proposed("find_order", {"email": "ann@example.com"}),
        returned('{"transaction_id": "tx_777"}'),
        proposed("refund", {"transaction_id": "tx_777", "amount": 5}, "c2"),
    ]
    decisions = scripted(firewall, messages, session=session)

    assert ["c1", "c2"] == [decision.call_id for decision in decisions.allowed]
    assert ["find_order"] == [ran.tool for ran in session.executed]


def test_messages_and_steps_mix(firewall):
    """A recorded beginning may go on otherwise."""
    steps = [ASKED, call("refund", transaction_id="tx_12345", amount=5), ASKED, call("refnud")]

    assert ["allow", "block"] == [decision.action for decision in scripted(firewall, steps)]


def test_a_late_result_goes_to_its_call(firewall):
    """Somebody spoke in between; the result is the call's all the same."""
    session = firewall.session()
    messages = [
        {"role": "user", "content": "ann@example.com"},
        proposed("find_order", {"email": "ann@example.com"}),
        {"role": "assistant", "content": "One moment."},
        returned("done"),
    ]
    scripted(firewall, messages, session=session)

    assert session.did("find_order", email="ann@example.com")


def test_recorded_times_hold():
    """An hour between two messages is outside the window of a contradiction."""
    firewall = Shield(
        shield.configure(tools=[Tool(name="create_user"), Tool(name="delete_user")]), hooks=None
    )

    def played(later):
        messages = [
            {"role": "user", "content": "u1", "at": 0},
            proposed("create_user", {"user_id": "u1"}, at=1),
            returned("done", at=1),
            proposed("delete_user", {"user_id": "u1"}, "c2", at=later),
        ]
        return len(scripted(firewall, messages).findings)

    assert (1, 0) == (played(2), played(3_600))


@pytest.mark.parametrize("packed", [False, True])
def test_a_recorded_run_is_a_script(firewall, file, packed):
    """The one run of a file is read, packed or not."""
    messages = [ASKED, proposed("refund", {"transaction_id": "tx_12345", "amount": 5})]
    path = file({"run_id": "r1", "messages": messages}, packed=packed)

    assert messages == recorded(path)
    assert_allowed(scripted(firewall, recorded(path)).only())


def test_what_a_shield_recorded_is_a_script(make_shield, firewall, tmp_path):
    """Lines of one session belong together."""
    path = tmp_path / "runs.jsonl"
    live = Shield(firewall.policy, hooks=None, record=path)
    for text in ("Please refund tx_1.", "And tx_2."):
        with live.session("s1") as session:
            session.user(text)

    assert ["Please refund tx_1.", "And tx_2."] == [value["content"] for value in recorded(path)]


def test_a_run_of_several_is_named(file):
    """Its id decides; a misspelt one is told, and so is a missing one."""
    path = file(*({"run_id": f"run-{n}", "messages": [ASKED] * n} for n in (1, 2)))
    assert 2 == len(recorded(path, run_id="run-2"))

    with pytest.raises(ShieldError, match="no run is named `run-22`; did you mean `run-2`"):
        recorded(path, run_id="run-22")
    with pytest.raises(ShieldError, match="holds 2 runs; name one"):
        recorded(path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nope.jsonl", "nope.jsonl: No such file or directory; give the path of a run file"),
        ("", ": Is a directory; name a run file in it"),
        ("a\0b", "a\\x00b: "),
        ("file/below", "file/below: Not a directory; give a run file that can be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported(tmp_path, name, expected):
    """A missing file, a folder, or an invalid path is one line that names it and the fix."""
    (tmp_path / "file").write_text("{}")
    with pytest.raises(ShieldError) as caught:
        recorded(str(tmp_path / name))

    assert (True, False) == (expected in str(caught.value), "\n" in str(caught.value))


@pytest.mark.parametrize("run", [[], {"messages": {}}, {"run_id": "r1"}])
def test_a_line_that_is_no_run_is_reported(file, run):
    """With its file and line."""
    with pytest.raises(ShieldError, match=r"runs.jsonl:2: a run is an object"):
        recorded(file({"messages": []}, run))


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("Refund it!", 'step 1 is "Refund it!"; give `user'),
        (result("done"), "step 1: `result(...)` follows no `call(...)`"),
        ({"role": "nobody", "content": ""}, 'step 1: message has role "nobody"'),
        (user, "step 1 is a value of type function"),
    ],
    ids=["text", "result", "message", "function"],
)
def test_a_wrong_step_is_reported(firewall, step, message):
    """With its place, before anything is played."""
    with pytest.raises(ShieldError) as wrong:
        scripted(firewall, [user("Hello."), step])

    assert str(wrong.value).startswith(message)


def test_a_wrong_session_is_reported(firewall):
    """A session's id is not a session."""
    with pytest.raises(ShieldError, match="open one with"):
        scripted(firewall, [], session="s1")
