"""One turn of the model: judged as a whole, dispatched call by call, answered in its shape."""

from __future__ import annotations

import asyncio
import json
from contextlib import nullcontext

import pytest

from abs_shield import CallBlocked, Shield, Tool, ToolCall, inverse, shield, shielded
from abs_shield.session.session_record import record_of
from tests.subjects import about_calls


def call(name="refund", arguments=None, call_id=None):
    return ToolCall(name, {"amount": 5} if arguments is None else arguments, call_id)


def logged_decisions(firewall):
    return [d.id for d in about_calls(firewall.store)]


@pytest.fixture
def firewall(make_shield):
    """Return a Shield with `refund` and `transfer`, which raises for 13."""
    guard = make_shield()

    def refund(amount: float) -> dict:
        return {"refunded": amount}

    def transfer(amount: float) -> str:
        if amount == 13:
            raise ConnectionError("no line")
        return f"moved {amount}"

    guard.register(refund)
    guard.register(transfer)
    return guard


@pytest.fixture
def session(firewall):
    return firewall.session()


# One call, one Decision ------------------------------------------------------------


def test_a_proposal_and_its_dispatch_share_a_decision(firewall, session):
    """The dispatch has the id of the proposal's Decision, and is logged once."""
    (proposed,) = firewall.inspect_turn([call(call_id="c1")], session=session)
    dispatched = firewall.check_call(call(call_id="c1"), session=session)

    assert proposed.id == dispatched.id
    assert [proposed.id] == logged_decisions(firewall) == [d.id for d in session.decisions]


def test_a_proposal_is_not_logged_before_its_dispatch(firewall, session):
    """It is among the decisions of the session, but in no store."""
    (proposed,) = firewall.inspect_turn([call(call_id="c1")], session=session)

    assert ([], [proposed.id]) == (logged_decisions(firewall), [d.id for d in session.decisions])


@pytest.mark.parametrize(
    "end",
    [
        lambda firewall, session: session.user("Go on."),
        lambda firewall, session: session.assistant("I will not."),
        lambda firewall, session: record_of(session).settle(),
        lambda firewall, session: firewall.inspect_turn([], session=session),
        lambda firewall, session: session.__enter__().__exit__(None, None, None),
    ],
)
def test_undispatched_calls_are_logged_when_the_turn_ends(firewall, session, end):
    """The next message, the next turn and the session's end all end a turn."""
    (proposed,) = firewall.inspect_turn([call(call_id="c1")], session=session)
    end(firewall, session)
    end(firewall, session)

    assert [proposed.id] == logged_decisions(firewall)


def test_a_turn_without_a_session_is_logged_at_once(firewall):
    """Without a session there is no later dispatch, so the turn ends immediately."""
    (proposed,) = firewall.inspect_turn([call(call_id="c1")])

    assert [proposed.id] == logged_decisions(firewall)


def test_arguments_that_changed_are_judged_again(firewall, session):
    """The proposal was clean; the dispatched call is blocked with the same decision id."""
    (proposed,) = firewall.inspect_turn([call(call_id="c1")], session=session)
    dispatched = firewall.check_call(
        call(arguments={"amount": "five"}, call_id="c1"), session=session
    )

    assert (False, True) == (proposed.blocked, dispatched.blocked)
    assert proposed.id == dispatched.id


def test_a_call_whose_id_has_ended_is_a_new_call(firewall, session):
    """A reused id has another Decision after its result."""
    firewall.dispatch("refund", {"amount": 1}, call_id="c1", session=session)
    firewall.dispatch("refund", {"amount": 1}, call_id="c1", session=session)

    assert 2 == len(set(logged_decisions(firewall)))
    assert 2 == len(session.executed)


def test_the_same_open_call_is_decided_once(firewall, session):
    """A host and its framework may both check a call before it runs."""
    first = firewall.check_call(call(call_id="c1"), session=session)
    second = firewall.check_call(call(call_id="c1"), session=session)

    assert first.id == second.id
    assert [first.id] == logged_decisions(firewall)


def test_two_sessions_may_use_one_call_id(firewall):
    """Equal ids in two sessions are two calls."""
    decisions = [firewall.check_call(call(call_id="c1"), session=firewall.session()) for _ in "ab"]

    assert 2 == len({d.id for d in decisions})


@pytest.mark.parametrize("call_id", ["", None, "c1"])
def test_empty_and_repeated_ids_make_a_call_each(firewall, session, call_id):
    """Two calls that share an id, or have none, are two decisions, each logged once."""
    calls = [call(arguments={"amount": n}, call_id=call_id) for n in (1, 2)]
    proposed = firewall.inspect_turn(calls, session=session)
    dispatched = [firewall.check_call(one, session=session) for one in calls]
    record_of(session).settle()

    assert 2 == len({d.id for d in proposed})
    assert [d.id for d in proposed] == [d.id for d in dispatched] == logged_decisions(firewall)


def test_repeated_ids_run_through_a_whole_turn(firewall, session):
    """Two calls with the same id both run, and are answered and logged once each."""
    calls = [{"id": "c1", "name": "refund", "arguments": {"amount": n}} for n in (1, 2)]
    state = firewall.run_tool_calls({"role": "assistant", "tool_calls": calls}, session=session)
    record_of(session).settle()

    assert [{"refunded": 1}, {"refunded": 2}] == [json.loads(m["content"]) for m in state]
    assert (2, 2) == (len(set(logged_decisions(firewall))), len(logged_decisions(firewall)))


def test_a_decorated_tool_matches_the_oldest_pending_call_of_its_arguments(make_shield):
    """A function has no call id, so it is matched by name and arguments."""
    firewall = make_shield()

    @shielded(firewall)
    def refund(amount: float) -> float:
        return amount

    calls = [call(arguments={"amount": n}, call_id=f"c{i}") for i, n in enumerate((1, 2, 1))]
    with firewall.session() as session:
        proposed = firewall.inspect_turn(calls)
        refund(2)
        refund(1)
        ran = [(e.call_id, e.arguments["amount"]) for e in session.executed]

    assert [("c1", 2), ("c0", 1)] == ran
    assert [proposed[1].id, proposed[0].id, proposed[2].id] == logged_decisions(firewall)


def test_a_decorated_tool_with_other_arguments_is_another_call(make_shield):
    """Changed arguments are not matched to the proposal."""
    firewall = make_shield()

    @shielded(firewall)
    def refund(amount: float) -> float:
        return amount

    with firewall.session():
        firewall.inspect_turn([call(call_id="c1")])
        refund(6)

    assert 2 == len(set(logged_decisions(firewall)))


def test_log_probabilities_of_the_proposal_are_kept_for_the_dispatch(firewall, session):
    """The dispatch has the log-probabilities of the proposal."""
    proposal = ToolCall("refund", {"amount": 5}, "c1", [-3.0])
    firewall.inspect_turn([proposal], session=session)
    decision = firewall.check_call(call(call_id="c1"), session=session)

    assert ["confidence_drop"] == [f.check for f in decision.findings]


def test_a_turn_of_any_shape_is_judged(firewall, session):
    """Calls, dicts and whole messages may be mixed."""
    openai = {"id": "c1", "type": "function", "function": {"name": "refund", "arguments": "{}"}}
    anthropic = {"type": "tool_use", "id": "c2", "name": "refnud", "input": {}}
    turn = [call(), openai, anthropic, {"role": "assistant", "tool_calls": [openai]}, 5]
    decisions = firewall.inspect_turn(turn, session=session)

    assert ["refund", "refund", "refnud", "refund", ""] == [d.tool for d in decisions]
    assert [False, False, True, False, True] == [d.blocked for d in decisions]


@pytest.mark.parametrize("junk", [None, 5, "refund", {}, [], object(), {"name": 5}, b"x"])
def test_judging_never_raises(firewall, junk):
    """Any value results in decisions, or none."""
    assert firewall.check_call(junk).tool == ""
    assert {""} >= {d.tool for d in firewall.inspect_turn(junk)}


# Answering messages ------------------------------------------------------------

TURN = [
    ("c1", "refund", {"amount": 5}),
    ("c2", "refnud", {"amount": 5}),
    ("c3", "refund", "{"),
    ("c4", "transfer", {"amount": 13}),
    ("c5", "transfer", {"amount": 1}),
]


def openai():
    calls = [
        {
            "id": i,
            "type": "function",
            "function": {"name": n, "arguments": a if isinstance(a, str) else json.dumps(a)},
        }
        for i, n, a in TURN
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def anthropic():
    blocks = [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in TURN]
    return {"role": "assistant", "content": [{"type": "text", "text": "I will."}, *blocks]}


def plain(firewall, message, session):
    return firewall.run_tool_calls(message, session=session)


def twin(firewall, message, session):
    return asyncio.run(firewall.arun_tool_calls(message, session=session))


both = pytest.mark.parametrize("run", [plain, twin])


@both
def test_an_openai_message_is_answered_with_tool_messages(firewall, session, run):
    """Every call has a message, in order; blocks and failures are marked."""
    messages = run(firewall, openai(), session)

    assert [f"c{n}" for n in range(1, 6)] == [m["tool_call_id"] for m in messages]
    assert {"tool"} == {m["role"] for m in messages}
    assert [False, True, True, True, False] == ["error" in m for m in messages]
    assert ('{"refunded": 5.0}', "moved 1.0") == (messages[0]["content"], messages[4]["content"])


@both
def test_an_anthropic_message_is_answered_with_one_user_message(firewall, session, run):
    """Every block has its result, in order; blocks and failures are errors."""
    (option,) = run(firewall, anthropic(), session)

    assert "user" == option["role"]
    assert [f"c{n}" for n in range(1, 6)] == [b["tool_use_id"] for b in option["content"]]
    assert [None, True, True, True, None] == [b.get("is_error") for b in option["content"]]


@both
def test_a_blocked_call_is_answered_with_feedback(firewall, session, run):
    """The feedback has the problem and the nearest tool."""
    report = json.loads(run(firewall, openai(), session)[1]["content"])

    assert ("blocked", "refund") == (report["status"], report["problems"][0]["nearest"])


@both
def test_arguments_that_cannot_be_parsed_are_answered(firewall, session, run):
    """Invalid JSON is a block with its own code, not an exception."""
    report = json.loads(run(firewall, openai(), session)[2]["content"])

    assert "malformed_json" == report["problems"][0]["code"]


@both
def test_a_tool_that_raises_is_answered(firewall, session, run):
    """The message has the error, and the history has a failed call."""
    report = json.loads(run(firewall, openai(), session)[3]["content"])

    assert ("error", "ConnectionError: no line") == (report["status"], report["error"])
    assert ["c4"] == [e.call_id for e in session.executed if e.error]


@both
def test_every_call_of_a_message_is_logged_once(firewall, session, run):
    """Five calls, five records, and three executions."""
    run(firewall, openai(), session)
    record_of(session).settle()

    assert (5, 5) == (len(logged_decisions(firewall)), len(set(logged_decisions(firewall))))
    assert {"c1", "c4", "c5"} == {e.call_id for e in session.executed}


@both
@pytest.mark.parametrize("message", [{"role": "assistant", "content": "Hello."}, {"content": []}])
def test_a_message_without_calls_is_answered_with_nothing(firewall, session, run, message):
    """Without calls there are no messages."""
    assert [] == run(firewall, message, session)


def test_feedback_in_a_transcript_is_no_execution(firewall, session):
    """A loop that adds its growing list still uses its retry budget."""
    messages = [{"role": "user", "content": "Refund it."}]
    left = []
    for n in range(3):
        session.add(messages)
        arguments = json.dumps({"amount": f"{n} dollars"})
        function = {"name": "refund", "arguments": arguments}
        messages.append(
            {"role": "assistant", "tool_calls": [{"id": f"c{n}", "function": function}]}
        )
        messages += firewall.run_tool_calls(messages[-1], session=session)
        left.append(json.loads(messages[-1]["content"])["attempts_left"])

    assert ([2, 1, 0], ()) == (left, session.executed)


@both
def test_an_answered_turn_can_be_added_to_the_session(firewall, session, run):
    """Adding the message and its answers records nothing twice."""
    message = openai()
    answers = run(firewall, message, session)
    before = session.executed
    session.add([message, *answers])

    assert before == session.executed


class Money:
    def model_dump(self, mode):
        return {"sum": 5}


@both
@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("text", "text"),
        (None, "null"),
        ({"a": [1]}, '{"a": [1]}'),
        (Money(), '{"sum": 5}'),
        ({1}, "[1]"),
        ({("a", 1): 2}, '{"a,1": 2}'),
    ],
)
def test_any_result_becomes_text(make_shield, run, value, content):
    """Models, sets and other keys become JSON."""
    firewall = make_shield()
    firewall.register(lambda_tool(value))
    calls = [{"id": "c1", "name": "odd", "arguments": {}}]
    (option,) = run(firewall, {"role": "assistant", "tool_calls": calls}, firewall.session())

    assert content == json.loads(json.dumps(option["content"])).strip('"')
    assert "error" not in option


def lambda_tool(value):
    def odd():
        return value

    return odd


def test_a_recursive_result_becomes_text(make_shield):
    """A cycle becomes Python's representation."""
    circle = []
    circle.append(circle)
    firewall = make_shield()
    firewall.register(lambda_tool(circle))
    calls = [{"id": "c1", "name": "odd", "arguments": {}}]
    (option,) = firewall.run_tool_calls({"role": "assistant", "tool_calls": calls})

    assert "[[...]]" == option["content"]


def test_async_tools_of_one_turn_run_concurrently(make_shield):
    """Two calls run at the same time, and are answered in their order."""
    order = []
    firewall = make_shield()

    async def slow(n: int) -> int:
        order.append(f"start {n}")
        await asyncio.sleep(0.01)
        order.append(f"end {n}")
        return n

    firewall.register(slow)
    calls = [{"id": f"c{n}", "name": "slow", "arguments": {"n": n}} for n in (1, 2)]
    state = asyncio.run(firewall.arun_tool_calls({"role": "assistant", "tool_calls": calls}))

    assert ["start 1", "start 2"] == order[:2]
    assert ["1", "2"] == [m["content"] for m in state]


def test_a_tool_without_a_function_is_answered(make_shield):
    """A tool that is only described cannot run; the message says so."""
    calls = [{"id": "c1", "name": "refund", "arguments": {"amount": 1}}]
    (option,) = make_shield().run_tool_calls({"role": "assistant", "tool_calls": calls})

    assert "no function is registered" in option["content"]


def test_dispatch_raises_instead_of_answering(firewall, session):
    """`dispatch` raises an exception with the Decision."""
    with pytest.raises(CallBlocked, match="did you mean `refund`") as blocked:
        firewall.dispatch("refnud", {}, session=session)

    assert "HALLUCINATED" == blocked.value.decision.verdict


def test_a_result_is_recorded_once(firewall, session):
    """A result that the host reports twice is one execution."""
    firewall.check_call(call(call_id="c1"), session=session)
    for _ in range(2):
        firewall.check_result(call(call_id="c1"), "done", elapsed_ms=1, session=session)

    assert ["done"] == [e.value for e in session.executed]


# Calls that run side by side -------------------------------------------------------


@pytest.fixture
def undo_shield():
    """Return a Shield with two tools that undo each other."""
    tools = [Tool(name=name, destructive=True) for name in ("create_user", "delete_user")]
    pair = inverse("create_user", "delete_user", same="user_id")
    return Shield(shield.configure(tools=tools, inverses=[pair], on_suspicious="block"))


def turn_of(firewall, session):
    """Propose the creation of a user and its deletion."""
    both = [
        call("create_user", {"user_id": "u_1"}, "c1"),
        call("delete_user", {"user_id": "u_1"}, "c2"),
    ]
    firewall.inspect_turn(both, session=session)
    return both


@pytest.mark.parametrize("is_running", [True, False])
def test_a_call_contradicts_one_of_its_turn_that_has_no_result_yet(undo_shield, is_running):
    """It is found whether the other call is running or not dispatched yet."""
    session = undo_shield.session(messages=[{"role": "user", "content": "Make the user u_1."}])
    first, second = turn_of(undo_shield, session)
    with undo_shield.guard(first, session=session) if is_running else nullcontext():
        decision = undo_shield.check_call(second, session=session)

    assert decision.blocked


def test_a_call_does_not_contradict_one_of_its_turn_that_was_blocked(undo_shield):
    """A call that did not run is not undone."""
    session = undo_shield.session(messages=[{"role": "user", "content": "Make the user u_1."}])
    session.tools = frozenset({"delete_user"})
    _, second = turn_of(undo_shield, session)

    assert [] == [f.code for f in undo_shield.check_call(second, session=session).findings]
