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


def call_message(name, arguments, call_id="c1", **more):
    """Return an assistant message with one call, in OpenAI's format."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "tool_calls": [{"id": call_id, "function": function}], **more}


def result_message(content, call_id="c1", **more):
    """Return a tool message that answers a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


@pytest.fixture
def file(tmp_path):
    """Return a function that writes runs to a run file, gzipped if *packed*."""

    def write(*runs, packed=False):
        path = tmp_path / "runs.jsonl"
        data = "".join(json.dumps(run) + "\n" for run in runs).encode()
        path.write_bytes(gzip.compress(data) if packed else data)
        return path

    return write


def test_script_runs_real_functions(firewall):
    """The real function of a call runs, and later calls may use its result."""
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
    """A scripted result replaces the run of the function, and later calls may use it."""
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


def test_scripted_error_mentions_nothing(firewall):
    """A value in the text of a scripted error does not count as mentioned."""
    steps = [
        user("Refund my last order, ann@example.com."),
        LOOKUP,
        result("no order; did you mean tx_12345?", error=True),
        call("refund", transaction_id="tx_12345", amount=20),
    ]

    decision = scripted(firewall, steps)[1]

    assert_flagged(decision, layer="phantom_target")
    assert "SUSPICIOUS" == decision.verdict


def test_blocked_call_has_no_result(firewall):
    """A blocked call runs neither its function nor its scripted result."""
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
    """A call that is proposed and then dispatched has one decision."""
    session = firewall.session()
    decisions = scripted(firewall, [user("Hello."), LOOKUP, call("refnud")], session=session)

    assert list(session.decisions) == decisions
    assert 2 == len(about_calls(firewall.store))


def test_nested_calls_have_no_decision_in_the_script(make_shield):
    """A tool that calls another one adds only its own decision to the script's."""
    firewall = make_shield()

    @shielded(firewall)
    def refund_twice(transaction_id: str) -> list:
        again = {"transaction_id": transaction_id, "amount": 1}
        return [firewall.dispatch("refund", again) for _ in range(2)]

    decisions = scripted(firewall, [user("tx_1"), call("refund_twice", transaction_id="tx_1")])

    assert "refund_twice" == decisions.only().tool


def test_raw_arguments_and_log_probabilities_are_judged(firewall):
    """Broken JSON is blocked, and low log-probabilities of a `ToolCall` are flagged."""
    doubtful = ToolCall("find_order", {"email": "a@b.example"}, logprobs=[-4.0])
    steps = [user("a@b.example"), call("refund", '{"amount": '), doubtful]
    broken, doubted = scripted(firewall, steps)

    assert_blocked(broken, layer="parameter_mismatch")
    assert_flagged(doubted, layer="confidence_drop")
    assert ("HALLUCINATED", "SUSPICIOUS") == (broken.verdict, doubted.verdict)


def test_exception_of_a_function_propagates(firewall):
    """An exception of a tool propagates out of the script."""

    @shielded(firewall)
    def crash() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        scripted(firewall, [call("crash")])


def test_a_tool_without_a_function_is_judged():
    """A call of a tool without a function is judged, and not executed."""
    firewall = Shield(shield.configure(tools=[Tool(name="lend")]), hooks=None)
    session = firewall.session()

    assert_allowed(scripted(firewall, [call("lend", book="b1")], session=session).only())
    assert () == session.executed


def test_async_tools_are_awaited(firewall):
    """`ascripted` awaits async functions and generators; `scripted` refuses async tools."""

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
    """The result of a generator is the list of its items."""

    @shielded(firewall)
    def pages(n: int):
        yield from range(n)

    session = firewall.session()
    scripted(firewall, [call("pages", n=2)], session=session)

    assert [0, 1] == session.executed[0].value


def test_system_text_mentions_and_agent_text_does_not(firewall):
    """A value in the system message counts as mentioned, and one in the agent's text does not."""
    refund = call("refund", transaction_id="tx_5", amount=1)
    texts = [
        scripted(firewall, [user("Hello."), words("Mind tx_5."), refund]).only()
        for words in (system, assistant)
    ]

    assert ["CLEAN", "SUSPICIOUS"] == [decision.verdict for decision in texts]


def test_messages_are_steps(firewall):
    """Calls in messages are judged but not run, and their results are recorded."""
    session = firewall.session()
    messages = [
        {"role": "user", "content": "Refund my last order, ann@example.com."},
        call_message("find_order", {"email": "ann@example.com"}),
        result_message('{"transaction_id": "tx_777"}'),
        call_message("refund", {"transaction_id": "tx_777", "amount": 5}, "c2"),
    ]
    decisions = scripted(firewall, messages, session=session)

    assert ["c1", "c2"] == [decision.call_id for decision in decisions.allowed]
    assert ["find_order"] == [ran.tool for ran in session.executed]


def test_messages_and_steps_mix(firewall):
    """A script may mix messages and steps."""
    steps = [ASKED, call("refund", transaction_id="tx_12345", amount=5), ASKED, call("refnud")]

    assert ["allow", "block"] == [decision.action for decision in scripted(firewall, steps)]


def test_a_late_result_goes_to_its_call(firewall):
    """A result belongs to its call even if another message comes in between."""
    session = firewall.session()
    messages = [
        {"role": "user", "content": "ann@example.com"},
        call_message("find_order", {"email": "ann@example.com"}),
        {"role": "assistant", "content": "One moment."},
        result_message("done"),
    ]
    scripted(firewall, messages, session=session)

    assert session.did("find_order", email="ann@example.com")


def test_recorded_times_are_used():
    """Recorded times place two calls an hour apart, outside the window of a contradiction."""
    firewall = Shield(
        shield.configure(tools=[Tool(name="create_user"), Tool(name="delete_user")]), hooks=None
    )

    def played(later):
        messages = [
            {"role": "user", "content": "u1", "at": 0},
            call_message("create_user", {"user_id": "u1"}, at=1),
            result_message("done", at=1),
            call_message("delete_user", {"user_id": "u1"}, "c2", at=later),
        ]
        return len(scripted(firewall, messages).findings)

    assert (1, 0) == (played(2), played(3_600))


@pytest.mark.parametrize("packed", [False, True])
def test_a_recorded_run_is_a_script(firewall, file, packed):
    """`recorded` reads the only run of a file, gzipped or not."""
    messages = [ASKED, call_message("refund", {"transaction_id": "tx_12345", "amount": 5})]
    path = file({"run_id": "r1", "messages": messages}, packed=packed)

    assert messages == recorded(path)
    assert_allowed(scripted(firewall, recorded(path)).only())


def test_recording_of_a_shield_is_a_script(make_shield, firewall, tmp_path):
    """`recorded` joins all lines of one session that a Shield has written."""
    path = tmp_path / "runs.jsonl"
    live = Shield(firewall.policy, hooks=None, record=path)
    for text in ("Please refund tx_1.", "And tx_2."):
        with live.session("s1") as session:
            session.user(text)

    assert ["Please refund tx_1.", "And tx_2."] == [value["content"] for value in recorded(path)]


def test_run_is_selected_by_its_id(file):
    """`recorded` needs a valid `run_id` if the file has several runs."""
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
def test_invalid_line_is_reported(file, run):
    """A line that is not a run raises an error with the file and the line number."""
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
def test_invalid_step_is_reported(firewall, step, message):
    """An invalid step raises an error with its position before anything runs."""
    with pytest.raises(ShieldError) as wrong:
        scripted(firewall, [user("Hello."), step])

    assert str(wrong.value).startswith(message)


def test_session_id_is_refused_as_session(firewall):
    """A session id in place of a Session raises a ShieldError."""
    with pytest.raises(ShieldError, match="open one with"):
        scripted(firewall, [], session="s1")
