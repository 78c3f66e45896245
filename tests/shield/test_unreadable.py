"""A value that is not a call, a name or JSON does not run or raise, and is reported."""

from __future__ import annotations

import asyncio
import json

import pytest

from abs_shield import CallBlocked, Finding, ShieldError, ToolCall, Verdict, shielded
from abs_shield.core.messages import UnreadableMessage


@pytest.fixture
def make_wiping_shield(make_shield):
    """Return a function that creates a Shield with one tool, and the list of its runs."""
    ran = []

    def make(**declared):
        firewall = make_shield(**declared)

        @shielded(firewall)
        def wipe(path: str = "/") -> str:
            ran.append(path)
            return path

        return firewall, ran

    return make


@pytest.mark.parametrize("arguments", ['{"path": "/tmp/x', "[1]", 5])
@pytest.mark.parametrize(
    "declared",
    [
        {"layers": ["phantom_tool", "impossible_state"]},
        {"mode": "audit"},
        {"modes": {"parameter_mismatch": "audit"}},
    ],
)
def test_unreadable_arguments_never_run(make_wiping_shield, arguments, declared):
    """With any mode and layers, a tool with unreadable arguments does not run."""
    firewall, ran = make_wiping_shield(**declared)
    with pytest.raises(ShieldError):
        firewall.dispatch("wipe", arguments)

    assert [] == ran


def test_unreadable_arguments_are_answered(make_wiping_shield):
    """`run_tool_calls` returns a message with the problem."""
    firewall, ran = make_wiping_shield(mode="audit")
    call = {"id": "c1", "function": {"name": "wipe", "arguments": '{"path'}}
    [answer] = firewall.run_tool_calls({"role": "assistant", "tool_calls": [call]})

    assert ("error", []) == (json.loads(answer["content"])["status"], ran)


@pytest.mark.parametrize("call", [{"name": "\ud800", "arguments": {}}, ToolCall(5, {})])
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_name_that_is_not_a_text_is_judged(make_wiping_shield, call, mode):
    """Lone surrogates and numbers are unknown tool names, not internal errors."""
    decision = make_wiping_shield(mode=mode)[0].check_call(call)

    assert ("HALLUCINATED", ()) == (decision.verdict, decision.errors)


@pytest.mark.parametrize("junk", ["junk", 5, None, {}, [], {"id": "c1"}])
def test_a_value_that_is_not_a_call_is_not_clean(make_shield, junk):
    """It is not clean, even without registered tools."""
    decision = make_shield().check_call(junk)

    assert ("HALLUCINATED", "no_name", True) == (
        decision.verdict, decision.findings[0].code, decision.blocked,
    )  # fmt: skip


def test_two_calls_instead_of_one(make_wiping_shield):
    """`check_call` does not judge only the first one."""
    two = [{"name": "wipe", "arguments": {}}, {"name": "wipe", "arguments": {}}]

    assert make_wiping_shield()[0].check_call({"role": "assistant", "tool_calls": two}).blocked


def test_a_nameless_call_does_not_hide_its_siblings(make_wiping_shield):
    """A call that cannot be read is an unknown tool; the others are judged and run."""
    firewall, ran = make_wiping_shield()
    message = {
        "role": "assistant",
        "tool_calls": [
            {"id": "a", "function": {"name": "wipe", "arguments": "{}"}},
            {"id": "b", "function": {"arguments": "{}"}},
        ],
    }
    answers = firewall.run_tool_calls(message)

    assert (["a", "b"], ["/"]) == ([a["tool_call_id"] for a in answers], ran)


@pytest.mark.parametrize(
    "shape", [{"choices": [{"message": {}}]}, {"output": []}, {"toolCalls": []}, {"parts": []}]
)
def test_an_unknown_shape_is_reported(make_wiping_shield, shape):
    """A message whose calls cannot be read is not a message without calls."""
    with pytest.raises(UnreadableMessage, match="neither a message nor a call"):
        make_wiping_shield()[0].run_tool_calls(shape)


@pytest.mark.parametrize(
    ("finding", "blocked", "failed"),
    [
        ({"verdict": "HALLUCINATED", "strength": 1.0}, True, False),
        ({"verdict": Verdict.HALLUCINATED, "strength": float("nan")}, True, True),
        ({"verdict": Verdict.CLEAN, "strength": 1.0}, True, True),
        ({"verdict": "BAD", "strength": 1.0}, True, True),
    ],
)
def test_an_invalid_finding_is_an_error(make_shield, finding, blocked, failed):
    """Any finding of a custom layer is enforced, or it is an error."""

    def mine(proposal, session):
        yield Finding(check="mine", where="", detail="no", code="no", **finding)

    decision = make_shield(layers=[mine]).check_call(ToolCall("refund", {}))

    assert (blocked, failed) == (decision.blocked, bool(decision.errors))


def test_a_guard_is_entered_once(make_wiping_shield):
    """Entering a guard twice raises an error of one line."""
    guard = make_wiping_shield()[0].guard(ToolCall("wipe", {}))
    with guard:
        guard.value = "x"
    with pytest.raises(ShieldError, match="create another"), guard:
        pass


@pytest.mark.parametrize(
    ("tools", "expected"),
    [("wipe", "give a list"), (5, "give a list"), (["wype"], "did you mean `wipe`")],
)
def test_wrong_lists_of_tools(make_wiping_shield, tools, expected):
    """A wrong list of tools raises when the session is opened."""
    with pytest.raises(ShieldError, match=expected):
        make_wiping_shield()[0].session(tools=tools)


def test_feedback_in_a_transcript_is_no_execution(make_wiping_shield):
    """A blocked call in a later transcript does not count as executed."""
    firewall, _ = make_wiping_shield()
    with pytest.raises(CallBlocked) as blocked:
        firewall.dispatch("wipe", {"path": 5})
    feedback = json.dumps(blocked.value.decision.feedback())
    call = {"id": "c", "function": {"name": "wipe", "arguments": '{"path": 5}'}}
    with firewall.session() as session:
        session.user("wipe it")
        session.add([{"role": "assistant", "tool_calls": [call]}])
        session.add([{"role": "tool", "tool_call_id": "c", "content": feedback}])

    assert (False, ()) == (session.did("wipe"), session.executed)


def test_calls_without_ids_count_once(make_wiping_shield):
    """Each call of a model without ids runs and counts once."""
    firewall, ran = make_wiping_shield()
    messages = [{"role": "user", "content": "wipe"}]
    with firewall.session() as session:
        for n in range(6):
            session.add(messages)
            call = {"function": {"name": "wipe", "arguments": json.dumps({"path": f"/{n}"})}}
            messages.append({"role": "assistant", "tool_calls": [call]})
            messages += firewall.run_tool_calls(messages[-1])
        session.add(messages)

    assert (6, 6) == (len(ran), len(session.executed))


def test_blocked_calls_without_ids_use_the_budget(make_wiping_shield):
    """Blocked attempts count without ids, too."""
    firewall, _ = make_wiping_shield()
    messages, left = [{"role": "user", "content": "wipe"}], []
    with firewall.session() as session:
        for n in range(3):
            session.add(messages)
            call = {"function": {"name": "wipe", "arguments": json.dumps({"path": n})}}
            messages.append({"role": "assistant", "tool_calls": [call]})
            messages += firewall.run_tool_calls(messages[-1])
            left.append(json.loads(messages[-1]["content"])["attempts_left"])

    assert ([2, 1, 0], ()) == (left, session.executed)


def test_a_changed_call_uses_the_budget_despite_a_clean_proposal(make_wiping_shield):
    """A call that is blocked with changed arguments uses an attempt."""
    firewall, _ = make_wiping_shield()
    left = []
    with firewall.session() as session:
        session.user("wipe")
        for n in range(3):
            firewall.inspect_turn([ToolCall("wipe", {"path": "a"}, f"c{n}")])
            left.append(firewall.check_call(ToolCall("wipe", {"path": n}, f"c{n}")).attempts_left)

    assert [2, 1, 0] == left


def test_a_result_without_an_id_counts_once(make_wiping_shield):
    """A result that is reported twice after one `check_call` is one execution."""
    firewall, _ = make_wiping_shield()
    call = ToolCall("wipe", {"path": "/a"})
    with firewall.session() as session:
        firewall.check_call(call)
        firewall.check_result(call, "done", elapsed_ms=1)
        firewall.check_result(call, "done", elapsed_ms=1)

    assert 1 == len(session.executed)


def test_responses_are_answered_in_their_own_shape(make_wiping_shield):
    """A Responses item is answered with `function_call_output`, a legacy call with `function`."""
    firewall, _ = make_wiping_shield()
    items = [{"type": "function_call", "call_id": "r1", "name": "wipe", "arguments": "{}"}]
    legacy = {"role": "assistant", "function_call": {"name": "wipe", "arguments": "{}"}}

    assert {"type": "function_call_output", "call_id": "r1", "output": "/"} in (
        firewall.run_tool_calls(items)
    )
    assert [{"role": "function", "name": "wipe", "content": "/"}] == firewall.run_tool_calls(legacy)


@pytest.mark.parametrize("wrong", ["store", "approver", "hooks"])
def test_a_wrong_part_of_a_shield(make_shield, wrong):
    """An invalid part of a Shield raises when it is created."""
    with pytest.raises(ShieldError, match=f"`{wrong}` is 5"):
        make_shield(**{wrong: 5})


@pytest.mark.parametrize("say", ["user", "system", "assistant", "add"])
def test_a_message_that_is_not_a_text(make_shield, say):
    """A session accepts strings and lists of messages."""
    with pytest.raises(ShieldError, match="is of type int; give"):
        getattr(make_shield().session(), say)(5)


def generator_tools(ran):
    def stream(n: int):
        yield from range(n)
        ran.append("end")

    async def astream(n: int):
        for item in range(n):
            yield item

    return stream, astream


def test_a_generator_dispatched_by_name_yields_its_items(make_wiping_shield):
    """`dispatch` returns a generator; `run_tool_calls` returns a message with its items."""
    firewall, ran = make_wiping_shield()
    for tool in generator_tools(ran):
        firewall.register(tool)
    with firewall.session() as session:
        items = list(firewall.dispatch("stream", {"n": 3}))
        message = [ToolCall("stream", {"n": 2}, "s"), ToolCall("astream", {"n": 2}, "a")]
        answers = asyncio.run(firewall.arun_tool_calls(message, session=session))
        [refused] = firewall.run_tool_calls([ToolCall("astream", {"n": 2}, "b")])

    assert ([0, 1, 2], ["[0, 1]", "[0, 1]"]) == (items, [a["content"] for a in answers])
    assert [[0, 1, 2], [0, 1], [0, 1]] == [e.value for e in session.executed[:3]]
    assert "use `arun_tool_calls`" in refused["content"]


@pytest.mark.parametrize("arguments", [{"path": 5}, {"path": "5"}])
def test_audit_passes_arguments_unchanged(make_wiping_shield, arguments):
    """Arguments that do not match the schema are not converted."""
    firewall, ran = make_wiping_shield(mode="audit")
    firewall.dispatch("wipe", arguments)

    assert [arguments["path"]] == ran


def test_an_unknown_argument_in_audit_raises_pythons_own_error(make_wiping_shield):
    """An argument that the function does not accept fails as without a Shield."""
    firewall, _ = make_wiping_shield(mode="audit")
    with pytest.raises(TypeError, match="unexpected keyword argument 'ghost'"):
        firewall.dispatch("wipe", {"ghost": 1})
