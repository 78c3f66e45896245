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


def test_messages_are_logged() -> None:
    """Messages of user, system and agent are logged with their role."""
    session = Session()
    session.system("be brief")
    session.user("hello")
    session.assistant("hi")

    assert [
        MessageText("system", "be brief"),
        MessageText("user", "hello"),
        MessageText("assistant", "hi"),
    ] == events(session)


def test_a_user_message_begins_a_run() -> None:
    """Each user message after the first begins a new run."""
    session = Session()
    ids = [session.run_id]
    for _ in range(3):
        session.user("x")
        ids.append(session.run_id)

    assert (session.turns, len(set(ids)), ids[0] == ids[1]) == (3, 3, True)


def test_a_user_message_resets_blocked_calls() -> None:
    """Blocked calls of one run do not count in the next."""
    session = Session()
    record_of(session).blocks["f"] = 2
    session.user("try again")

    assert record_of(session).blocks == {}


def test_a_call_with_a_result_in_a_transcript_ran() -> None:
    """A call counts as executed if the transcript has its result."""
    session = Session()
    session.add([CALL, RESULT])

    assert [(ran.tool, ran.arguments, ran.value, ran.error) for ran in session.executed] == [
        ("f", {"n": 1}, "done", False)
    ]


def test_a_call_without_a_result_did_not_run() -> None:
    """A proposal without a result is not an execution."""
    session = Session()
    session.add([CALL])

    assert session.executed == ()


def test_did_ignores_failed_calls() -> None:
    """`did` looks only for calls that succeeded; a failed call is stored without a value."""
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
    """`did` compares the tool, and the stated arguments."""
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
def test_did_compares_typed_values(held: Any, asked: Any, expected: bool) -> None:
    """A typed value equals the JSON form that a call has."""
    session = Session()
    record_of(session).add_execution(Executed(tool="read", arguments={"of": held}))

    assert expected == session.did("read", of=asked)


def test_a_result_is_recorded_once() -> None:
    """A result that the Shield recorded is not counted again by the transcript."""
    session = Session()
    executed = Executed(tool="f", arguments={"n": 1}, value="done", call_id="c1")
    record_of(session).add_execution(executed)
    session.add([CALL, RESULT])

    assert len(session.executed) == 1


def test_a_host_may_record_a_result() -> None:
    """`tool_result` adds an executed call without arguments."""
    session = Session()
    session.tool_result("f", {"id": "tx_1"})

    assert [(ran.tool, ran.value) for ran in session.executed] == [("f", {"id": "tx_1"})]


def test_opaque_is_recorded() -> None:
    """Content that only the model read is recorded with its reason."""
    session = Session()
    session.opaque("an image")
    reasons = record_of(session).opaque_reasons

    assert (("an image",), [Opaque("an image")]) == (reasons, events(session))


def test_opaque_reasons_are_bounded() -> None:
    """Only the newest reasons are stored."""
    session = Session()
    for n in range(100):
        session.opaque(str(n))
    reasons = record_of(session).opaque_reasons

    assert (len(reasons), reasons[-1]) == (20, "99")


def test_executed_calls_are_bounded() -> None:
    """Of too many calls only the newest are stored."""
    session = Session(limits=Limits(executed=3))
    for n in range(5):
        record_of(session).add_execution(Executed(tool=str(n), arguments={}))

    assert [ran.tool for ran in session.executed] == ["2", "3", "4"]


@pytest.mark.parametrize("name", ["text", "executed", "decisions", "sessions"])
@pytest.mark.parametrize("bound", [0, -1, 1.5, "9", None])
def test_a_bound_is_a_positive_integer(name: str, bound: Any) -> None:
    """A bound of another type, or below 1, raises."""
    with pytest.raises(PolicyError) as caught:
        Limits(**{name: bound})

    assert f"`{name}`" in str(caught.value)


def test_results_of_a_child_count_in_its_parent() -> None:
    """Results of a sub-agent count as mentions in the parent's session, but not its calls."""
    parent = Session()
    child = parent.child(agent="worker")
    child.add([CALL, RESULT])

    assert (
        [event.value for event in events(parent) if isinstance(event, Returned)],
        len(parent.executed),
        len(child.executed),
    ) == (["done"], 0, 1)


def test_a_handoff_changes_the_agent() -> None:
    """The session continues with the other agent's name."""
    session = Session(agent="a")
    session.handoff("b")

    assert session.agent == "b"


def test_the_current_session() -> None:
    """A session is current inside its block, and the outer session is current after it."""
    outer, inner = Session(), Session()
    results = [current_session()]
    with outer:
        with inner:
            results.append(current_session())
        results.append(current_session())
    results.append(current_session())

    assert [None, inner, outer, None] == results


def test_a_new_thread_has_no_current_session() -> None:
    """The current session is not inherited by a thread that is started in its block."""
    calls: list[Session | None] = []
    with Session():
        thread = Thread(target=lambda: calls.append(current_session()))
        thread.start()
        thread.join()

    assert calls == [None]


def test_tasks_do_not_mix_their_sessions() -> None:
    """Two concurrent tasks each have their own current session."""

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


def test_a_truncated_log_is_marked() -> None:
    """The log of a session is marked as truncated once text was dropped."""
    session = Session(limits=Limits(text=100))
    for _ in range(3):
        session.user("x" * 80)

    assert record_of(session).log.is_truncated
