"""The contents of a session."""

from __future__ import annotations

import asyncio
from datetime import date
from decimal import Decimal
from threading import Thread
from typing import Any
from uuid import UUID

import pytest

from abs_shield import PolicyError, Session
from abs_shield.core.events import MessageText, Opaque, Returned
from abs_shield.session import Executed, Limits, current_session
from abs_shield.session.session_record import record_of

CALL = {"role": "assistant", "tool_calls": [{"id": "c1", "name": "f", "arguments": {"n": 1}}]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "done"}


def events(session: Session) -> list[Any]:
    return [entry.event for entry in session.entries()]


def test_what_is_said_is_logged() -> None:
    """User, system and agent are told apart."""
    session = Session()
    session.system("be brief")
    session.user("hello")
    session.assistant("hi")

    assert [
        MessageText("system", "be brief"),
        MessageText("user", "hello"),
        MessageText("assistant", "hi"),
    ] == events(session)


def test_a_user_turn_opens_a_run() -> None:
    """Each user message after the first begins a run of its own."""
    session = Session()
    ids = [session.run_id]
    for _ in range(3):
        session.user("x")
        ids.append(session.run_id)

    assert (session.turns, len(set(ids)), ids[0] == ids[1]) == (3, 3, True)


def test_a_user_turn_forgives() -> None:
    """Blocked attempts of the last request do not count in the next."""
    session = Session()
    record_of(session).blocks["f"] = 2
    session.user("try again")

    assert record_of(session).blocks == {}


def test_a_transcript_shows_what_ran() -> None:
    """A call with a result counts as executed."""
    session = Session()
    session.add([CALL, RESULT])

    assert [(ran.tool, ran.arguments, ran.value, ran.error) for ran in session.executed] == [
        ("f", {"n": 1}, "done", False)
    ]


def test_a_call_without_a_result_did_not_run() -> None:
    """A proposal alone is not an execution."""
    session = Session()
    session.add([CALL])

    assert session.executed == ()


def test_a_failed_call_did_not_happen() -> None:
    """`did` asks for calls that succeeded; the failed one is kept without a value."""
    session = Session()
    session.add([CALL, {**RESULT, "error": True}])

    assert (
        session.did("f"),
        [(ran.error, ran.value) for ran in session.executed],
    ) == (False, [(True, None)])


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("f", {}, True),
        ("f", {"n": 1}, True),
        ("f", {"n": 2}, False),
        ("f", {"m": 1}, False),
        ("f", {"m": None}, False),
        ("g", {}, False),
    ],
)
def test_did(tool: str, arguments: dict[str, Any], expected: bool) -> None:
    """`did` wants the tool, and at least these arguments."""
    session = Session()
    session.add([CALL, RESULT])

    assert expected == session.did(tool, **arguments)


@pytest.mark.parametrize(
    ("held", "asked", "expected"),
    [
        (
            "123e4567-e89b-12d3-a456-426614174000",
            UUID(int=0x123E4567E89B12D3A456426614174000),
            True,
        ),
        ("2026-03-02", date(2026, 3, 2), True),
        ("1.50", Decimal("1.50"), True),
        ("2026-03-02", date(2026, 3, 3), False),
        ("1", 1, False),
        ("x", object(), False),
    ],
)
def test_did_knows_typed_values(held: Any, asked: Any, expected: bool) -> None:
    """A value that JSON has not equals the text in which a call has it."""
    session = Session()
    record_of(session).add_execution(Executed(tool="read", arguments={"of": held}))

    assert expected == session.did("read", of=asked)


def test_a_result_is_taken_once() -> None:
    """A result that the Shield saw is not executed again by the transcript."""
    session = Session()
    executed = Executed(tool="f", arguments={"n": 1}, value="done", call_id="c1")
    record_of(session).add_execution(executed)
    session.add([CALL, RESULT])

    assert len(session.executed) == 1


def test_a_host_may_tell_a_result() -> None:
    """`tool_result` is an executed call with only its result."""
    session = Session()
    session.tool_result("f", {"id": "tx_1"})

    assert [(ran.tool, ran.value) for ran in session.executed] == [("f", {"id": "tx_1"})]


def test_opaque_is_remembered() -> None:
    """Content that only the model saw is recorded with its reason."""
    session = Session()
    session.opaque("an image")
    reasons = record_of(session).opaque_reasons

    assert (("an image",), [Opaque("an image")]) == (reasons, events(session))


def test_opaque_reasons_are_bounded() -> None:
    """Only the newest reasons are kept."""
    session = Session()
    for n in range(100):
        session.opaque(str(n))
    reasons = record_of(session).opaque_reasons

    assert (len(reasons), reasons[-1]) == (20, "99")


def test_executed_calls_are_bounded() -> None:
    """Of very many calls the newest are kept."""
    session = Session(limits=Limits(executed=3))
    for n in range(5):
        record_of(session).add_execution(Executed(tool=str(n), arguments={}))

    assert [ran.tool for ran in session.executed] == ["2", "3", "4"]


@pytest.mark.parametrize("name", ["text", "executed", "decisions", "sessions"])
@pytest.mark.parametrize("bound", [0, -1, 1.5, "9", None])
def test_a_bound_is_a_positive_integer(name: str, bound: Any) -> None:
    """A bound that cannot hold is refused when it is declared."""
    with pytest.raises(PolicyError) as caught:
        Limits(**{name: bound})

    assert f"`{name}`" in str(caught.value)


def test_a_child_tells_its_parent() -> None:
    """A sub-agent's results count as seen by the parent; its calls are its own."""
    parent = Session()
    child = parent.child(agent="worker")
    child.add([CALL, RESULT])

    assert (
        [event.value for event in events(parent) if isinstance(event, Returned)],
        len(parent.executed),
        len(child.executed),
    ) == (["done"], 0, 1)


def test_a_handoff_changes_the_agent() -> None:
    """The session goes on under another agent's name."""
    session = Session(agent="a")
    session.handoff("b")

    assert session.agent == "b"


def test_the_current_session() -> None:
    """A session is current inside of its block, and the outer one again after it."""
    outer, inner = Session(), Session()
    results = [current_session()]
    with outer:
        with inner:
            results.append(current_session())
        results.append(current_session())
    results.append(current_session())

    assert [None, inner, outer, None] == results


def test_a_thread_has_no_session_of_its_starter() -> None:
    """Sessions do not leak into a thread that was started inside."""
    calls: list[Session | None] = []
    with Session():
        thread = Thread(target=lambda: calls.append(current_session()))
        thread.start()
        thread.join()

    assert calls == [None]


def test_tasks_do_not_mix_their_sessions() -> None:
    """Two tasks that open a session each see their own."""

    async def run(session: Session) -> bool:
        async with session:
            await asyncio.sleep(0)
            return current_session() is session

    async def both() -> list[bool]:
        return await asyncio.gather(run(Session()), run(Session()))

    assert asyncio.run(both()) == [True, True]


def test_a_session_closes_when_it_is_left_for_the_last_time() -> None:
    """A session that is entered twice is closed once."""
    session, closed = Session(), list[str]()
    record_of(session).add_closer(lambda left: closed.append(left.id))
    with session, session:
        pass

    assert [session.id] == closed


def test_a_log_that_forgot_says_so() -> None:
    """A session that dropped text can say so."""
    session = Session(limits=Limits(text=100))
    for _ in range(3):
        session.user("x" * 80)

    assert record_of(session).log.is_truncated
