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


def make_announced(*calls: ToolCall) -> PendingCalls:
    pending = PendingCalls()
    for call in calls:
        pending.announce(call)
    return pending


def make_pending(call: ToolCall, arguments: dict[str, Any], settled: list[str]) -> PendingCall:
    return PendingCall(
        call=call,
        arguments=arguments,
        decision=DECISION,
        settle_with=lambda _: settled.append(call.name),
    )


def result_event(name: str = "", call_id: str | None = None) -> Returned:
    return Returned(name=name, value=1, call_id=call_id)


A1, A2, B = ToolCall("a", {"n": 1}, "1"), ToolCall("a", {"n": 2}, "2"), ToolCall("b")


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (result_event(call_id="2"), A2),
        (result_event("a"), A1),
        (result_event("b"), B),
        (result_event(), A1),
        (result_event("c"), None),
        (result_event("b", "9"), B),
        (result_event("a", "9"), None),
        (result_event("", "9"), B),
    ],
)
def test_a_result_is_matched_by_id_or_in_order(result: Returned, expected: ToolCall | None) -> None:
    """A result is matched by its id; without one, or for calls without one, in order."""

    assert expected == make_announced(A1, A2, B).take_answered(result)


def test_a_call_is_answered_once() -> None:
    """A second result with the same id matches no call."""
    pending = make_announced(A1)
    pending.take_answered(result_event(call_id="1"))

    assert pending.take_answered(result_event(call_id="1")) is None


def test_announced_calls_are_bounded() -> None:
    """Of too many open calls the oldest is dropped."""
    pending = make_announced(*(ToolCall("f", None, str(n)) for n in range(1_001)))

    assert (pending.remove_announced("0"), pending.remove_announced("1")) == (False, True)


def test_a_dispatch_is_matched_by_its_id() -> None:
    """A dispatch is matched by its id even if its arguments changed."""
    pending, settled = PendingCalls(), list[str]()
    pending.propose(make_pending(A1, {"n": 1}, settled))
    pending.propose(make_pending(A2, {"n": 2}, settled))
    taken = pending.consume(ToolCall("a", None, "2"), {"n": 3})

    assert taken is not None
    assert (taken.call, len(pending.decisions())) == (A2, 1)


def test_a_dispatch_without_an_id_matches_the_oldest_equal_proposal() -> None:
    """A decorated function has no call id, so name and arguments are compared."""
    pending, settled = PendingCalls(), list[str]()
    pending.propose(make_pending(A1, {"n": 1}, settled))
    pending.propose(make_pending(A2, {"n": 1}, settled))
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
def test_a_dispatch_of_another_call_matches_none(call: ToolCall, arguments: dict[str, Any]) -> None:
    """A dispatch with other arguments, another name or another id matches no proposal."""
    pending = PendingCalls()
    pending.propose(make_pending(A1, {"n": 1}, []))

    assert pending.consume(call, arguments) is None


def test_undispatched_proposals_are_drained() -> None:
    """`drain` returns every open proposal once, in order."""
    pending, settled = PendingCalls(), list[str]()
    pending.propose(make_pending(A1, {}, settled))
    pending.propose(make_pending(B, {}, settled))
    for one in [*pending.drain(), *pending.drain()]:
        one.settle()

    assert settled == ["a", "b"]


def test_proposals_are_bounded() -> None:
    """Beyond the bound, the oldest proposal is returned to be logged."""
    pending = PendingCalls()
    gone = [pending.propose(make_pending(A1, {}, [])) for _ in range(1_001)]

    assert (sum(not out for out in gone), len(gone[-1])) == (1_000, 1)


@pytest.mark.parametrize(
    ("ids", "told"),
    [(("1", "2"), ("2", "1")), (("x", "x"), ("x", "x")), ((None, None), (None, None))],
)
def test_results_of_one_turn(ids: tuple[str | None, ...], told: tuple[str | None, ...]) -> None:
    """In a transcript, results are matched by unique id, or else in order, and none is lost."""
    session = Session()
    calls = [{"id": i, "name": "f", "arguments": {"n": n}} for n, i in enumerate(ids)]
    results = [{"role": "tool", "tool_call_id": i, "content": str(i)} for i in told]
    session.add([{"role": "assistant", "tool_calls": calls}, *results])

    assert [(i, ids.index(i) if ids[0] != ids[1] else n) for n, i in enumerate(told)] == [
        (told[n], ran.arguments["n"]) for n, ran in enumerate(session.executed)
    ]


def test_a_result_with_an_id_matches_a_call_without_one() -> None:
    """The execution has the arguments of the call."""
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
def test_a_result_belongs_to_the_call_that_was_not_blocked(
    ids: tuple[str, str], places: tuple[int, int], refusal: Any
) -> None:
    """A blocked call of the same turn with the same id does not receive the other call's result."""
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


def test_a_second_result_of_an_id_with_a_blocked_call_is_ignored() -> None:
    """The host's message about a blocked call does not count as a mention."""
    pending = PendingCalls()
    stopped = replace(DECISION, blocked=True)
    pending.propose(replace(make_pending(A1, {"n": 1}, []), decision=stopped))
    before = pending.is_blocked("1")
    pending.propose(make_pending(ToolCall("b", {}, "1"), {}, []))
    between = pending.is_blocked("1")
    pending.take_answered(result_event(call_id="1"))

    assert (True, False, True) == (before, between, pending.is_blocked("1"))
