"""Results are matched to calls, and dispatches to proposals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from abs_shield import Session, Shield, Tool, ToolCall, shield
from abs_shield.core import Action, Decision, Mode, Subject, Verdict
from abs_shield.core.events import Returned
from abs_shield.session.pending_calls import PendingCall, PendingCalls

DECISION = Decision(
    id="d", subject=Subject.CALL, tool="f", verdict=Verdict.CLEAN, action=Action.ALLOW,
    mode=Mode.STRICT, blocked=False, would_block=False, policy_revision="", at=0.0,
)  # fmt: skip


def announced(*calls: ToolCall) -> PendingCalls:
    pending = PendingCalls()
    for call in calls:
        pending.announce(call)
    return pending


def proposed(call: ToolCall, arguments: dict[str, Any], settled: list[str]) -> PendingCall:
    return PendingCall(
        call=call,
        arguments=arguments,
        decision=DECISION,
        settle_with=lambda _: settled.append(call.name),
    )


def returned(name: str = "", call_id: str | None = None) -> Returned:
    return Returned(name=name, value=1, call_id=call_id)


A1, A2, B = ToolCall("a", {"n": 1}, "1"), ToolCall("a", {"n": 2}, "2"), ToolCall("b")


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (returned(call_id="2"), A2),
        (returned("a"), A1),
        (returned("b"), B),
        (returned(), A1),
        (returned("c"), None),
        (returned("b", "9"), B),
        (returned("a", "9"), None),
        (returned("", "9"), B),
    ],
)
def test_a_result_answers_by_id_else_in_order(result: Returned, expected: ToolCall | None) -> None:
    """An id decides; without one, or for calls that have none, the order does."""

    assert expected == announced(A1, A2, B).take_answered(result)


def test_a_call_is_answered_once() -> None:
    """A second result of one id answers nothing."""
    pending = announced(A1)
    pending.take_answered(returned(call_id="1"))

    assert pending.take_answered(returned(call_id="1")) is None


def test_announced_calls_are_bounded() -> None:
    """The oldest of very many open calls is given up."""
    pending = announced(*(ToolCall("f", None, str(n)) for n in range(1_001)))

    assert (pending.remove_announced("0"), pending.remove_announced("1")) == (False, True)


def test_a_dispatch_takes_the_proposal_of_its_id() -> None:
    """The id decides, whatever became of the arguments."""
    pending, settled = PendingCalls(), list[str]()
    pending.propose(proposed(A1, {"n": 1}, settled))
    pending.propose(proposed(A2, {"n": 2}, settled))
    taken = pending.consume(ToolCall("a", None, "2"), {"n": 3})

    assert taken is not None
    assert (taken.call, len(pending.decisions())) == (A2, 1)


def test_a_dispatch_without_an_id_takes_the_oldest_equal_one() -> None:
    """A decorated function knows no id: name and arguments decide."""
    pending, settled = PendingCalls(), list[str]()
    pending.propose(proposed(A1, {"n": 1}, settled))
    pending.propose(proposed(A2, {"n": 1}, settled))
    taken = pending.consume(ToolCall("a"), {"n": 1})

    assert taken is not None
    assert taken.call == A1


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (ToolCall("a"), {"n": 9}),
        (ToolCall("b"), {"n": 1}),
        (ToolCall("a", None, "9"), {"n": 1}),
    ],
)
def test_a_dispatch_of_something_else_takes_none(call: ToolCall, arguments: dict[str, Any]) -> None:
    """Other arguments, another name or another id is another call."""
    pending = PendingCalls()
    pending.propose(proposed(A1, {"n": 1}, []))

    assert pending.consume(call, arguments) is None


def test_what_was_never_dispatched_is_drained() -> None:
    """At the turn's end every open proposal comes out, once, in order."""
    pending, settled = PendingCalls(), list[str]()
    pending.propose(proposed(A1, {}, settled))
    pending.propose(proposed(B, {}, settled))
    for one in [*pending.drain(), *pending.drain()]:
        one.settle()

    assert settled == ["a", "b"]


def test_proposals_are_bounded() -> None:
    """With too many open, the oldest has to go and is handed out to be logged."""
    pending = PendingCalls()
    gone = [pending.propose(proposed(A1, {}, [])) for _ in range(1_001)]

    assert (sum(not out for out in gone), len(gone[-1])) == (1_000, 1)


@pytest.mark.parametrize(
    ("ids", "told"),
    [(("1", "2"), ("2", "1")), (("x", "x"), ("x", "x")), ((None, None), (None, None))],
)
def test_results_of_one_turn(ids: tuple[str | None, ...], told: tuple[str | None, ...]) -> None:
    """In a transcript, results match by unique id, else in order; none is lost."""
    session = Session()
    calls = [{"id": i, "name": "f", "arguments": {"n": n}} for n, i in enumerate(ids)]
    results = [{"role": "tool", "tool_call_id": i, "content": str(i)} for i in told]
    session.add([{"role": "assistant", "tool_calls": calls}, *results])

    assert [(i, ids.index(i) if ids[0] != ids[1] else n) for n, i in enumerate(told)] == [
        (told[n], ran.arguments["n"]) for n, ran in enumerate(session.executed)
    ]


def test_a_result_without_its_calls_id_finds_its_arguments() -> None:
    """A call that has no id is answered by a result that has one."""
    session = Session()
    session.add(
        [
            {"role": "assistant", "tool_calls": [{"name": "f", "arguments": {"n": 1}}]},
            {"role": "tool", "name": "f", "tool_call_id": "c9", "content": "done"},
        ]
    )

    assert session.did("f", n=1)


REFUSED = {"status": "blocked", "tool": "cancel", "problems": [], "retryable": True,
           "attempts_left": 1}  # fmt: skip


@pytest.mark.parametrize("ids", [("c0", "c0"), ("c0", "c1")])
@pytest.mark.parametrize("places", [(0, 1), (1, 0)])
@pytest.mark.parametrize("refusal", [None, REFUSED])
def test_a_result_is_that_of_the_call_that_was_not_blocked(
    ids: tuple[str, str], places: tuple[int, int], refusal: Any
) -> None:
    """A blocked call of the same turn, under the same id, takes no result of the other."""
    order = {"type": "object", "properties": {"order_id": {"type": "string"}}}
    tools = [Tool(name=name, parameters=order) for name in ("cancel", "look")]
    guard = Shield(shield.configure(tools=tools, on_suspicious="block"), hooks=())
    session = guard.session()
    session.user("Please look at tx_12345.")
    pair = [("cancel", "tx_99999", refusal), ("look", "tx_12345", "the newest is tx_777")]
    rows = [(*pair[place], call_id) for place, call_id in zip(places, ids, strict=True)]
    calls = [{"id": i, "name": name, "arguments": {"order_id": n}} for name, n, _, i in rows]
    message = {"role": "assistant", "tool_calls": calls}
    results = [
        {"role": "tool", "tool_call_id": call_id, "content": content}
        for *_, content, call_id in rows
        if content is not None
    ]
    session.add([message])
    guard.inspect_turn(calls, session=session)
    session.add([message, *results])

    assert ["look"] == [ran.tool for ran in session.executed]
    assert not guard.check_call(ToolCall("look", {"order_id": "tx_777"}), session=session).blocked


def test_a_second_result_of_an_id_is_not_one_of_a_blocked_call() -> None:
    """The host's own words about the blocked call mention nothing."""
    pending = PendingCalls()
    stopped = replace(DECISION, blocked=True)
    pending.propose(replace(proposed(A1, {"n": 1}, []), decision=stopped))
    before = pending.is_blocked("1")
    pending.propose(proposed(ToolCall("b", {}, "1"), {}, []))
    between = pending.is_blocked("1")
    pending.take_answered(returned(call_id="1"))

    assert (True, False, True) == (before, between, pending.is_blocked("1"))
