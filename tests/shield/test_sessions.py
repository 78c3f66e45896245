"""The session of a call, and the values that it has recorded."""

from __future__ import annotations

import asyncio
import contextvars
from threading import Barrier, Thread

import pytest

from abs_shield import Session, ToolCall, shielded
from abs_shield.core.events import Returned
from abs_shield.core.messages import UnreadableMessage
from abs_shield.errors import ShieldError
from abs_shield.session import Limits, Sessions, current_session
from abs_shield.session.session_record import record_of


@pytest.fixture
def firewall(make_shield):
    return make_shield()


@pytest.fixture
def refund(firewall):
    """Return a decorated tool of the Shield."""

    @shielded(firewall)
    def refund(amount: float) -> dict:
        return {"refunded": amount}

    return refund


def executed_tools(session):
    return [(call.tool, call.call_id, call.value) for call in session.executed]


def texts_of(session):
    return [e.event.value for e in session.entries() if isinstance(e.event, Returned)]


# Scope ------------------------------------------------------------


def test_a_session_is_current_inside_its_block(firewall):
    """Sessions nest, and each block restores the earlier session."""
    with firewall.session() as outer:
        with firewall.session() as inner:
            assert current_session() is inner
        assert current_session() is outer
    assert current_session() is None


def test_one_session_may_be_entered_again_inside_itself(firewall):
    """A helper may enter the same session, which stays current afterwards."""
    with firewall.session("s1") as session:
        with firewall.session("s1") as again:
            assert again is session
        assert current_session() is session


def test_an_async_block_is_a_block(firewall, refund):
    """``async with`` makes a session current, too."""

    async def run():
        async with firewall.session() as session:
            refund(5)
        return session, current_session()

    session, after = asyncio.run(run())

    assert ([("refund", None, {"refunded": 5})], None) == (executed_tools(session), after)


def test_an_explicit_session_takes_precedence(firewall):
    """``session=`` is used instead of the current session."""
    other = firewall.session()
    with firewall.session() as current:
        decision = firewall.check_call(ToolCall("refund", {}), session=other)

    assert (other.id, ()) == (decision.session_id, current.decisions)


def test_without_a_session_nothing_is_shared(firewall):
    """Two calls without a session belong to two runs."""
    decisions = [firewall.check_call(ToolCall("refund", {})) for _ in range(2)]

    assert 2 == len({d.session_id for d in decisions})


def test_a_session_by_id_continues(firewall):
    """The same id is the same session; no id is a new one."""
    assert firewall.session("s1") is firewall.session("s1")
    assert firewall.session() is not firewall.session()


def test_a_second_session_inside_another_is_independent(firewall, refund):
    """Only a child shares its results with the outer session."""
    with firewall.session() as outer, firewall.session() as inner:
        refund(5)

    assert (1, 0) == (len(inner.executed), len(outer.executed))
    assert [] == texts_of(outer)


def test_threads_keep_their_sessions_apart(firewall, refund):
    """Eight threads, each in its own session, read only their own calls."""
    barrier, sessions = Barrier(8), {}

    def work(n):
        with firewall.session(f"s{n}") as session:
            barrier.wait()
            for _ in range(20):
                refund(n)
            sessions[n] = session

    threads = [Thread(target=work, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {n: {n} for n in range(1, 9)} == {
        n: {call.value["refunded"] for call in session.executed} for n, session in sessions.items()
    }


def test_tasks_keep_their_sessions_apart(firewall, refund):
    """Tasks that wait inside their blocks do not mix their calls."""

    async def work(n):
        with firewall.session() as session:
            for _ in range(5):
                refund(n)
                await asyncio.sleep(0)
            return {call.value["refunded"] for call in session.executed}

    async def all_of_them():
        return await asyncio.gather(*(work(n) for n in range(5)))

    assert [{n} for n in range(5)] == asyncio.run(all_of_them())


def test_two_tasks_may_be_in_one_session(firewall):
    """Two requests of one session overlap, and each leaves its own block."""

    async def work(first, second):
        with firewall.session("s1") as session:
            first.set()
            await second.wait()
            return current_session() is session

    async def both():
        a, b = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(work(a, b), work(b, a)), current_session()

    assert ([True, True], None) == asyncio.run(both())


def test_a_block_may_be_left_in_another_context(firewall):
    """A framework may enter in one thread and leave in another."""
    session = firewall.session()
    contextvars.copy_context().run(session.__enter__)
    session.__exit__(None, None, None)

    assert current_session() is None


def test_a_thread_without_a_session_is_in_none(firewall, refund):
    """A thread that is started inside a block does not inherit the session."""
    with firewall.session() as session:
        thread = Thread(target=refund, args=(5,))
        thread.start()
        thread.join()

    assert () == session.executed


# What a session tells ------------------------------------------------------------


def test_a_decision_names_its_session_run_and_agent(firewall):
    """The Decision has the session, run, agent and model."""
    session = firewall.session("s1", agent="clerk")
    session.model = "m-1"
    decision = firewall.check_call(ToolCall("refund", {}), session=session)

    assert ("s1", session.run_id, "clerk", "m-1") == (
        decision.session_id, decision.run_id, decision.agent, decision.model,
    )  # fmt: skip


def test_every_user_message_opens_a_run(firewall):
    """A session has several runs; the first message does not open a second one."""
    session = firewall.session()
    runs = [session.run_id]
    for text in ("Refund it.", "And the other."):
        session.user(text)
        runs.append(session.run_id)

    assert (runs[0] == runs[1], runs[1] == runs[2]) == (True, False)


def test_a_handoff_keeps_the_session(firewall, refund):
    """Another agent continues with the same history."""
    with firewall.session(agent="clerk") as session:
        refund(1)
        session.handoff("manager")
        refund(2)

    assert ["clerk", "manager"] == [d.agent for d in session.decisions]
    assert 2 == len(session.executed)


def test_did_finds_executed_calls(firewall, refund):
    """``did`` matches the tool and at least the given arguments of a call that did not fail."""
    with firewall.session() as session:
        refund(5)

    assert session.did("refund")
    assert session.did("refund", amount=5)
    assert not session.did("refund", amount=6)
    assert not session.did("transfer")


def test_a_failed_call_was_not_done(firewall):
    """A call that raised is in the history, as a failure."""
    session = firewall.session()
    with pytest.raises(OSError, match="no line"), firewall.guard(
        ToolCall("refund", {}), session=session
    ):  # fmt: skip
        raise OSError("no line")

    assert not session.did("refund")
    assert [(True, None)] == [(call.error, call.value) for call in session.executed]


def test_a_blocked_call_was_not_done(firewall):
    """A call that did not run is not in the history of executions."""
    session = firewall.session()
    firewall.check_call(ToolCall("refund", {"amount": "five"}), session=session)

    assert () == session.executed


def test_unread_content_is_reported(firewall):
    """``opaque`` stores the reason; from then on, an unknown value is no proof."""
    session = firewall.session()
    session.opaque("the user sent a photo")

    assert ("the user sent a photo",) == record_of(session).opaque_reasons


def test_an_image_in_a_transcript_is_opaque(firewall):
    """A block that cannot be read is recorded."""
    image = {"type": "image_url", "image_url": {"url": "data:..."}}
    session = firewall.session(messages=[{"role": "user", "content": [image]}])

    assert 1 == len(record_of(session).opaque_reasons)


# Children ------------------------------------------------------------


def test_a_childs_results_are_recorded_by_its_parent(firewall, refund):
    """A result of the sub-agent's tool is in the parent's log, but not in its executions."""
    with firewall.session() as parent, parent.child(agent="clerk") as child:
        refund(5)

    assert ([{"refunded": 5}], ()) == (texts_of(parent), parent.executed)
    assert ["clerk"] == [d.agent for d in child.decisions]


def test_a_grandchilds_results_are_recorded_by_all(firewall):
    """Results are passed to all ancestors, including those from transcripts."""
    parent = firewall.session()
    parent.child().child().tool_result("look_up", {"id": "tx_12345"})

    assert [{"id": "tx_12345"}] == texts_of(parent)


def test_a_parents_results_are_not_the_childs_executions(firewall, refund):
    """A child starts with an empty history, and reads its parent through ``parent``."""
    with firewall.session() as parent:
        refund(5)
        child = parent.child()

    assert ((), parent) == (child.executed, child.parent)


def test_a_child_inherits_what_may_be_called(firewall):
    """The parent's restriction applies to the child, which may be restricted further."""
    parent = firewall.session(tools=["refund"])
    call = ToolCall("transfer", {})
    narrower = parent.child(tools=[])

    assert firewall.check_call(call, session=parent.child()).blocked
    assert firewall.check_call(ToolCall("refund", {}), session=narrower).blocked


def test_a_child_may_have_its_own_tools(firewall):
    """A sub-agent may have other tools than the agent that started it."""
    child = firewall.session(tools=["refund"]).child(tools=["transfer"])

    assert not firewall.check_call(ToolCall("transfer", {}), session=child).blocked
    assert firewall.check_call(ToolCall("refund", {}), session=child).blocked


def test_a_session_may_be_opened_under_a_parent(firewall):
    """``session(parent=)`` also creates a child."""
    parent = firewall.session()
    firewall.session(parent=parent).tool_result("look_up", "found")

    assert ["found"] == texts_of(parent)


# Transcripts ------------------------------------------------------------

TRANSCRIPT = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Refund 5, please."},
    {
        "role": "assistant",
        "tool_calls": [{"id": "c1", "function": {"name": "refund", "arguments": '{"amount": 5}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": '{"refunded": 5}'},
    {"role": "assistant", "content": "Done."},
]


def test_a_growing_list_may_be_added_again_and_again(firewall):
    """Every prefix of the list is added, and each message is recorded once."""
    session = firewall.session()
    for end in range(len(TRANSCRIPT) + 1):
        session.add(TRANSCRIPT[:end])
        session.add(TRANSCRIPT[:end])

    assert (len(TRANSCRIPT), 1) == (len(list(session.entries())), session.turns)
    assert [("refund", "c1", {"refunded": 5})] == executed_tools(session)


def test_a_session_has_its_model(firewall, refund):
    """Decisions have the model without a framework, too."""
    session = firewall.session("m", agent="billing", model="gpt-5")
    firewall.dispatch("refund", {"amount": 5}, session=session)
    again = firewall.session("m")

    assert ("gpt-5", "gpt-5") == (again.model, session.decisions[-1].model)
    assert "gpt-5-mini" == firewall.session("m", model="gpt-5-mini").model


def test_a_run_is_resumed_from_its_transcript(firewall):
    """``session(messages=)`` records the calls that ran, with their arguments."""
    session = firewall.session(messages=TRANSCRIPT)

    assert session.did("refund", amount=5)


def test_an_unreadable_transcript_raises(firewall):
    """A message of an unknown shape raises an error of one line."""
    with pytest.raises(UnreadableMessage, match="role"):
        firewall.session(messages=[{"role": "wizard", "content": "Hello."}])


def run_by_name(firewall, refund, session):
    firewall.dispatch("refund", {"amount": 5}, call_id="c1", session=session)


def run_without_id(firewall, refund, session):
    firewall.dispatch("refund", {"amount": 5}, session=session)


def run_decorated(firewall, refund, session):
    with session:
        refund(5)


def run_inspected(firewall, refund, session):
    firewall.inspect_turn(TRANSCRIPT[2], session=session)
    with session:
        refund(5)


def run_checked(firewall, refund, session):
    call = ToolCall("refund", {"amount": 5}, "c1")
    firewall.check_call(call, session=session)
    firewall.check_result(call, {"refunded": 5}, elapsed_ms=1, session=session)


def run_guarded(firewall, refund, session):
    with firewall.guard(ToolCall("refund", {"amount": 5}, "c1"), session=session) as guard:
        guard.value = {"refunded": 5}


@pytest.mark.parametrize("told_before", [0, 2, 3])
@pytest.mark.parametrize(
    "run",
    [run_by_name, run_without_id, run_decorated, run_inspected, run_checked, run_guarded],
)
def test_a_call_in_shield_and_transcript_ran_once(firewall, refund, run, told_before):
    """In any order, the call is one execution, and its messages are recorded once."""
    session = firewall.session()
    session.add(TRANSCRIPT[:told_before])
    run(firewall, refund, session)
    session.add(TRANSCRIPT)

    assert [{"refunded": 5}] == [call.value for call in session.executed]
    assert [{"refunded": 5}] == texts_of(session)


def test_a_blocked_call_in_shield_and_transcript_never_ran(firewall, refund):
    """The feedback in a transcript is not a result of the tool."""
    arguments = {"amount": "five"}
    session = firewall.session()
    answers = firewall.run_tool_calls([ToolCall("refund", arguments, "c1")], session=session)
    call = {"id": "c1", "name": "refund", "arguments": arguments}
    session.add([{"role": "assistant", "tool_calls": [call]}, *answers])

    assert ([], []) == (executed_tools(session), texts_of(session))


# Bounds ------------------------------------------------------------


def test_a_session_keeps_the_newest(make_shield):
    """Executions, decisions and texts are limited; the log says that events were dropped."""
    firewall = make_shield(limits=Limits(text=1_000, executed=3, decisions=2))
    session = firewall.session()
    for n in range(10):
        session.user("x" * 100)
        firewall.check_call(ToolCall("refund", {}), session=session)
        firewall.check_result(ToolCall("refund", {}), n, elapsed_ms=1, session=session)

    assert [7, 8, 9] == [call.value for call in session.executed]
    assert 2 == len(session.decisions)
    assert record_of(session).log.is_truncated


def test_a_shield_keeps_the_sessions_used_last(make_shield):
    """The least recently used session is evicted; its id is then a new session."""
    firewall = make_shield(limits=Limits(sessions=2))
    for session_id in ("a", "b"):
        firewall.session(session_id).user("Hello")
    firewall.session("a")
    firewall.session("c")

    assert (1, 0) == (firewall.session("a").turns, firewall.session("b").turns)


def test_shields_may_share_their_sessions(make_shield):
    """Two policies share one session by its id."""
    sessions = Sessions(most=10)
    shields = [type(make_shield())(make_shield().policy, sessions=sessions) for _ in range(2)]

    assert shields[0].session("s1") is shields[1].session("s1")


def test_tools_of_two_shields_share_the_current_session(make_shield):
    """A session has the decisions of both policies."""
    shields = [make_shield(), make_shield(mode="audit")]
    with shields[0].session() as session:
        for one in shields:
            one.check_call(ToolCall("refund", {"amount": "five"}))

    assert [True, False] == [d.blocked for d in session.decisions]


def test_a_session_without_a_shield():
    """A session can be created without a Shield, for tests and for transcripts."""
    session = Session("s1")
    session.add(TRANSCRIPT)

    assert session.did("refund")


def test_sessions_that_are_left_out_of_order(firewall):
    """A session is current until it is left, in any order."""
    outer, one, other = firewall.session(), firewall.session(), firewall.session()
    with outer:
        one.__enter__()
        other.__enter__()
        one.__exit__(None, None, None)
        after_one = current_session()
        other.__exit__(None, None, None)

        assert [other, outer] == [after_one, current_session()]
    assert current_session() is None


def test_sessions_of_generators_that_take_turns(firewall):
    """In one context, each is current until it is left, whichever generator continues."""

    def steps(name):
        with firewall.session(name) as mine:
            yield current_session() is mine
            yield current_session() is mine

    one, other = steps("one"), steps("other")
    results = [next(one), next(other)]
    one.close()
    results.append(next(other))
    other.close()

    assert [True, True, True] == results
    assert current_session() is None


def test_a_session_that_must_exist(firewall):
    """With `create=False` an unknown id raises, and leaves no session behind."""
    known = firewall.session("order-7")

    assert firewall.session("order-7", create=False) is known
    for _ in range(2):
        with pytest.raises(ShieldError, match='has no session "order-8"; it was dropped'):
            firewall.session("order-8", create=False)
    with pytest.raises(ShieldError, match="`create=False` needs the id of a session"):
        firewall.session(create=False)
    assert len(firewall.sessions) == 1
