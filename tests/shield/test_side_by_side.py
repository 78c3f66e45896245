"""Calls of one turn that are dispatched concurrently, in any order."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from abs_shield import CallBlocked, Shield, Tool, ToolCall, inverse, shield
from abs_shield.session.session_record import record_of

USER = {"type": "object", "properties": {"user_id": {"type": "string"}}}
MADE = ToolCall("create_user", {"user_id": "u_1"}, "c1")
GONE = ToolCall("delete_user", {"user_id": "u_1"}, "c2")


def make_shield(mode: str = "strict") -> Shield:
    """Return a Shield with two tools that undo each other."""
    policy = shield.configure(
        mode=mode,
        on_suspicious="block",
        tools=[Tool(name=name, parameters=USER) for name in ("create_user", "delete_user")],
        inverses=[inverse("create_user", "delete_user", same="user_id")],
    )
    return Shield(policy, hooks=None)


@pytest.fixture
def session():
    """Return a session in which the user mentioned an id."""
    run_session = make_shield().session()
    run_session.user("Make the user u_1.")
    return run_session


def test_a_call_is_judged_with_earlier_calls_that_are_not_dispatched_yet(session) -> None:
    """`delete_user` is dispatched first, but undoes the earlier `create_user`."""
    firewall = record_of(session).owner
    firewall.inspect_turn([MADE, GONE], session=session)

    with pytest.raises(CallBlocked) as blocked:
        firewall.guard(GONE, session=session).__enter__()

    assert "undoes `create_user`" in blocked.value.decision.explain()


def test_calls_of_a_turn_may_have_one_id(session) -> None:
    """Some models write the same id for each call, so calls are matched by their arguments."""
    door = record_of(session).owner
    made, gone = replace(MADE, id="c0"), replace(GONE, id="c0")
    first, second = door.inspect_turn([made, gone], session=session)

    with pytest.raises(CallBlocked) as blocked:
        door.guard(gone, session=session).__enter__()
    with door.guard(made, session=session) as guard:
        pass

    assert "undoes `create_user`" in blocked.value.decision.explain()
    assert (first.id, second.id) == (guard.decision.id, blocked.value.decision.id)


@pytest.mark.parametrize("ids", [("c0", "c0", "c0"), ("c0", "c1", "c2")])
def test_an_id_of_an_earlier_step_may_be_reused(session, ids) -> None:
    """Some models number the calls of each message anew."""
    door = record_of(session).owner
    for call_id in ids:
        with door.guard(ToolCall("create_user", {"user_id": "u_9"}, call_id), session=session):
            pass
    other = ToolCall("create_user", {"user_id": "u_2"}, ids[0])
    made, gone = replace(MADE, id=ids[1]), replace(GONE, id=ids[2])
    door.inspect_turn([other, made, gone], session=session)
    with door.guard(other, session=session):
        pass

    with pytest.raises(CallBlocked) as blocked:
        door.guard(gone, session=session).__enter__()
    assert "undoes `create_user`" in blocked.value.decision.explain()


def test_a_call_of_an_earlier_step_with_a_reused_id_is_undone(session) -> None:
    """A later call of the turn has the id of the earlier call."""
    door = record_of(session).owner
    with door.guard(MADE, session=session):
        pass
    behind = ToolCall("create_user", {"user_id": "u_2"}, MADE.id)
    door.inspect_turn([GONE, behind], session=session)

    with pytest.raises(CallBlocked, match="self_contradiction"):
        door.guard(GONE, session=session).__enter__()


def test_a_call_that_the_host_ran_is_over(session) -> None:
    """Its result is reported only by its id; a failed call cannot be undone."""
    door = record_of(session).owner
    made, gone = replace(MADE, id="c0"), replace(GONE, id="c0")
    door.inspect_turn([made, gone], session=session)
    door.check_call(made, session=session)
    door.check_result(made, "no such group", elapsed_ms=None, session=session, error=True)

    with door.guard(gone, session=session) as guard:
        assert [] == [f.code for f in guard.decision.findings]


def test_a_call_is_judged_with_earlier_calls_that_are_running(session) -> None:
    """`create_user` is still running when `delete_user` is dispatched."""
    firewall = record_of(session).owner
    firewall.inspect_turn([MADE, GONE], session=session)

    with firewall.guard(MADE, session=session), pytest.raises(CallBlocked) as blocked:
        firewall.guard(GONE, session=session).__enter__()

    assert "undoes" in blocked.value.decision.explain()


def test_a_call_that_was_blocked_is_not_undone(session) -> None:
    """A call that did not run is not contradicted."""
    firewall = record_of(session).owner
    wrong = ToolCall("create_user", {"user_id": 7}, "c1")
    firewall.inspect_turn([wrong, GONE], session=session)

    with firewall.guard(GONE, session=session) as guard:
        assert [] == [f.code for f in guard.decision.findings]


def test_a_call_is_not_judged_with_later_calls() -> None:
    """In audit mode `delete_user` has run before `create_user` is dispatched: one finding."""
    firewall = make_shield("audit")
    session = firewall.session(messages=[{"role": "user", "content": "Make the user u_1."}])
    firewall.inspect_turn([MADE, GONE], session=session)
    for call in (GONE, MADE):
        with firewall.guard(call, session=session) as guard:
            guard.value = "done"

    assert {"c1": False, "c2": True} == {d.call_id: d.would_block for d in session.decisions}


def test_concurrent_calls_may_be_passed_as_siblings(session) -> None:
    """Without an inspected turn, the host passes the calls that run at the same time."""
    firewall = record_of(session).owner
    firewall.check_call(MADE, session=session)

    with pytest.raises(CallBlocked) as blocked:
        firewall.guard(GONE, session=session, siblings=(MADE,)).__enter__()

    assert "undoes `create_user`" in blocked.value.decision.explain()


def test_two_calls_under_one_id_are_two_records() -> None:
    """A model may use an id twice; each call has its own Decision."""
    firewall = make_shield("audit")

    async def create_user(user_id: str) -> str:
        await asyncio.sleep(0)
        return f"made {user_id}"

    async def both(*users: str) -> list[str]:
        calls = [firewall.adispatch("create_user", {"user_id": u}, call_id="x") for u in users]
        return await asyncio.gather(*calls)

    firewall.register(create_user)
    with firewall.session() as session:
        session.user("Make the users u_1 and u_2.")
        assert ["made u_1", "made u_2"] == asyncio.run(both("u_1", "u_2"))

    calls = [decision for decision in firewall.store.decisions() if decision.subject == "call"]
    assert 2 == len({decision.id for decision in calls})
    assert ["u_1", "u_2"] == sorted(ran.arguments["user_id"] for ran in session.executed)


@pytest.mark.parametrize("checked", [False, True])
def test_equal_calls_under_one_id_are_as_many_records(checked) -> None:
    """Three calls have three records; a check of the call is the record of the first one."""
    firewall = make_shield()

    async def create_user(user_id: str) -> str:
        await asyncio.sleep(0)
        return f"made {user_id}"

    async def thrice() -> list[str]:
        calls = [
            firewall.adispatch("create_user", {"user_id": "u_1"}, call_id="x") for _ in range(3)
        ]
        return await asyncio.gather(*calls)

    firewall.register(create_user)
    with firewall.session() as session:
        session.user("Make the user u_1, three times.")
        if checked:
            firewall.check_call(ToolCall("create_user", {"user_id": "u_1"}, "x"))
        assert ["made u_1"] * 3 == asyncio.run(thrice())

    decided = {one.id for one in firewall.store.decisions() if one.subject == "call"}
    assert 3 == len(decided) == len(session.executed)
    assert decided == {ran.decision_id for ran in session.executed}


def test_a_proposal_is_run_once() -> None:
    """The second run under the id of a judged proposal is another call."""
    firewall = make_shield()
    with firewall.session() as session:
        session.user("Make the user u_1.")
        firewall.inspect_turn([MADE], session=session)
        for _ in range(2):
            with firewall.guard(MADE, session=session) as guard:
                guard.value = "made"

    assert 2 == len({ran.decision_id for ran in session.executed})


def test_a_suspended_run_goes_on_in_another_guard() -> None:
    """An interrupted call is not a second call."""
    firewall = make_shield()
    with firewall.session() as session:
        session.user("Make the user u_1.")
        with firewall.guard(MADE, session=session) as guard:
            guard.suspend()
        with firewall.guard(MADE, session=session) as again:
            again.value = "made"

    assert again.decision.id == guard.decision.id
    assert 1 == len(session.executed)


def test_a_bad_call_under_an_open_id_is_a_record() -> None:
    """The blocked call has its own record."""
    firewall = make_shield()
    with firewall.session() as session:
        session.user("Delete u_1.")
        assert not firewall.check_call(ToolCall("delete_user", {"user_id": "u_1"}, "c1")).blocked
        assert firewall.check_call(ToolCall("delete_user", {"user_id": "u_999"}, "c1")).blocked

    assert [False, True] == [decision.blocked for decision in firewall.store.decisions()]
    assert 2 == len(session.decisions)
