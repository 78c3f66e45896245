"""SUSPICIOUS calls that wait for a person."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

import pytest

from abs_shield import CallBlocked, ShieldError, ToolCall, shielded

ODD = ToolCall("refund", {"amount": -1})


@pytest.fixture
def make_approving_shield(make_shield, suspect):
    """Return a function that creates a Shield which requires an approval for negative amounts."""

    def make(approver=None, **declared):
        declared = {"layers": [suspect], "on_suspicious": "approve", **declared}
        return make_shield(approver=approver, **declared)

    return make


def answers(reply, asked):
    def approver(decision):
        asked.append(decision.tool)
        return reply

    return approver


def slowly(approver):
    async def wait(decision):
        await asyncio.sleep(0)
        return approver(decision)

    return wait


def test_without_an_approver_the_call_is_blocked(make_approving_shield):
    """The block says that an approval is required; the verdict stays SUSPICIOUS."""
    decision = make_approving_shield().check_call(ODD)

    assert ("SUSPICIOUS", "block", True) == (decision.verdict, decision.action, decision.blocked)
    assert "required" == decision.approval
    assert "approval_required" in [p["code"] for p in decision.feedback()["problems"]]


@pytest.mark.parametrize("kind", [lambda approver: approver, slowly])
@pytest.mark.parametrize("entrance", ["check", "dispatch", "adispatch"])
def test_an_approver_lets_a_call_through(make_approving_shield, kind, entrance):
    """Sync and async approvers work for sync and async calls."""
    requests = []
    firewall = make_approving_shield(kind(answers(True, requests)))

    @shielded(firewall)
    def refund(amount: float) -> float:
        return amount

    if entrance == "check":
        assert "granted" == firewall.check_call(ODD).approval
    elif entrance == "dispatch":
        assert firewall.dispatch("refund", {"amount": -1}) == -1
    else:
        assert asyncio.run(firewall.adispatch("refund", {"amount": -1})) == -1
    assert ["refund"] == requests


@pytest.mark.parametrize("entrance", ["dispatch", "adispatch"])
def test_the_approved_arguments_run(make_approving_shield, entrance):
    """The caller may change its arguments while a person decides."""
    arguments = {"amount": -1, "lines": [1]}

    def changing(decision):
        arguments["amount"] = -999
        arguments["lines"].append(2)
        return True

    firewall = make_approving_shield(changing)

    @shielded(firewall, replace=True)
    def refund(amount: float, lines: list[int]) -> tuple:
        return amount, lines

    if entrance == "dispatch":
        assert (-1, [1]) == firewall.dispatch("refund", arguments)
    else:
        assert (-1, [1]) == asyncio.run(firewall.adispatch("refund", arguments))


@pytest.mark.parametrize("waits", [False, True])
def test_a_decorated_tool_runs_what_was_approved(make_approving_shield, waits):
    """It receives a copy of the caller's list, which may change meanwhile."""
    lines, ran = [1], []

    def answer(decision):
        lines.append(2)
        return True

    firewall = make_approving_shield(slowly(answer) if waits else answer)

    @shielded(firewall, replace=True)
    def refund(amount: float, lines: list[int]) -> None:
        ran.append(lines)

    refund(-1, lines)

    assert [[1]] == ran


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("changes", [False, True])
def test_an_object_that_changed_meanwhile_is_not_approved(make_approving_shield, waits, changes):
    """The tool receives the caller's own object, which is not copied."""
    lines, ran = {1}, []

    def answer(decision):
        lines.update([2] if changes else [])
        return True

    firewall = make_approving_shield(slowly(answer) if waits else answer)

    @shielded(firewall, replace=True)
    def refund(amount: float, lines: set[int]) -> None:
        ran.append(lines)

    if changes:
        with pytest.raises(CallBlocked, match="approval_required") as blocked:
            refund(-1, lines)
        firewall.approve(blocked.value.decision.id)
        lines.discard(2)
    refund(-1, lines)

    assert [{1}] == ran
    assert lines is ran[0]


@pytest.mark.parametrize("reply", [False, None, 1, "yes"])
@pytest.mark.parametrize("kind", [lambda approver: approver, slowly])
def test_anything_but_true_blocks(make_approving_shield, kind, reply):
    """Only True is an approval."""
    assert make_approving_shield(kind(answers(reply, []))).check_call(ODD).blocked


@pytest.mark.parametrize("kind", [lambda approver: approver, slowly])
def test_an_approver_that_raises_blocks(make_approving_shield, kind):
    """An approver that raises approves nothing, and its exception does not propagate."""

    def broken(decision):
        raise RuntimeError("no network")

    firewall = make_approving_shield(kind(broken))

    assert firewall.check_call(ODD).blocked
    with pytest.raises(CallBlocked):
        asyncio.run(firewall.adispatch("refund", {"amount": -1}))


def test_a_granted_call_runs_and_is_flagged(make_approving_shield):
    """An approved call is flagged and not blocked; its verdict is unchanged."""
    decision = make_approving_shield(answers(True, [])).check_call(ODD)

    assert ("SUSPICIOUS", "flag", False) == (decision.verdict, decision.action, decision.blocked)
    assert True is decision.would_block


def test_an_approver_is_asked_in_strict_only(make_approving_shield):
    """Audit needs no approval, and blocks nothing."""
    requests = []
    decision = make_approving_shield(answers(False, requests), mode="audit").check_call(ODD)

    assert ([], False, True) == (requests, decision.blocked, decision.would_block)


def test_a_hallucinated_call_is_never_asked_about(make_approving_shield):
    """A certain finding needs no approval."""
    requests = []
    firewall = make_approving_shield(answers(True, requests), layers=["parameter_mismatch"])

    assert firewall.check_call(ToolCall("refund", {"amount": "five"})).blocked
    assert [] == requests


def test_a_clean_call_is_never_asked_about(make_approving_shield):
    """A call without findings needs no approval."""
    requests = []
    make_approving_shield(answers(False, requests)).check_call(ToolCall("refund", {"amount": 1}))

    assert [] == requests


def test_an_operator_approves_a_call_once(make_approving_shield):
    """``approve(decision_id)`` allows the same call once."""
    firewall = make_approving_shield()
    session = firewall.session()
    first = firewall.check_call(ODD, session=session)
    firewall.approve(first.id)
    again = [firewall.check_call(ODD, session=session) for _ in range(2)]

    assert [(False, "granted"), (True, "required")] == [(d.blocked, d.approval) for d in again]


@pytest.mark.parametrize(
    "other", [ToolCall("refund", {"amount": -2}), ToolCall("transfer", {"amount": -1})]
)
def test_an_approval_is_bound_to_tool_and_arguments(make_approving_shield, other):
    """Another amount, or another tool, is another call."""
    firewall = make_approving_shield()
    session = firewall.session()
    firewall.approve(firewall.check_call(ODD, session=session).id)

    assert firewall.check_call(other, session=session).blocked
    assert not firewall.check_call(ODD, session=session).blocked


WITH_ID = ToolCall("refund", {"amount": -1}, "c1")


@pytest.mark.parametrize("by_approver", [True, False])
def test_a_call_that_was_checked_runs_by_the_same_approval(make_approving_shield, by_approver):
    """The guard continues the call that `check_call` admitted; another one needs its approval."""
    requests = []
    firewall = make_approving_shield(answers(True, requests) if by_approver else None)
    with firewall.session():
        first = firewall.check_call(WITH_ID)
        if not by_approver:
            firewall.approve(first.id)
        checked = firewall.check_call(WITH_ID)
        with firewall.guard(WITH_ID) as guard:
            pass
        firewall.approver = firewall.lifecycle.approver = None
        again = firewall.check_call(WITH_ID)

    assert ["granted", "granted"] == [checked.approval, guard.decision.approval]
    assert by_approver == bool(requests)
    assert 2 > len(requests)
    assert "required" == again.approval


def test_a_call_that_was_interrupted_goes_on_by_the_same_approval(make_approving_shield):
    """A framework interrupts a tool, and calls it again with the same id."""
    firewall = make_approving_shield()
    with firewall.session():
        firewall.approve(firewall.check_call(WITH_ID).id)
        with firewall.guard(WITH_ID) as guard:
            guard.suspend()
        with firewall.guard(WITH_ID) as resumed:
            pass

    assert "granted" == resumed.decision.approval


def test_an_approval_is_bound_to_its_session(make_approving_shield):
    """An approval in one run does not apply to another."""
    firewall = make_approving_shield()
    firewall.approve(firewall.check_call(ODD, session=firewall.session()).id)

    assert firewall.check_call(ODD, session=firewall.session()).blocked


def test_equal_arguments_may_be_spelt_as_text(make_approving_shield):
    """The arguments are compared as values, not as they were sent."""
    firewall = make_approving_shield()
    session = firewall.session()
    firewall.approve(firewall.check_call(ODD, session=session).id)

    assert not firewall.check_call(ToolCall("refund", '{"amount":-1}'), session=session).blocked


@pytest.mark.parametrize("decision_id", ["", "d-1"])
def test_an_unknown_id_raises(make_approving_shield, decision_id):
    """An id without a blocked call raises a `ShieldError`."""
    with pytest.raises(ShieldError, match="waits for an approval"):
        make_approving_shield().approve(decision_id)


def test_a_decision_is_approved_once(make_approving_shield):
    """The same decision cannot be approved a second time."""
    firewall = make_approving_shield()
    decision = firewall.check_call(ODD)
    firewall.approve(decision.id)

    with pytest.raises(ShieldError):
        firewall.approve(decision.id)


def test_an_async_approver_of_a_sync_call_has_its_context(make_approving_shield):
    """It can read the context variables of the request."""
    request = ContextVar("request", default="")
    requests = []

    async def approver(decision):
        requests.append(request.get())
        return True

    request.set("r1")
    with make_approving_shield(approver).guard(ODD):
        pass

    assert ["r1"] == requests


@pytest.mark.parametrize("proposes", [True, False])
def test_a_cancelled_approver_leaves_a_record(make_approving_shield, proposes):
    """If the task is cancelled, the call is blocked and logged, and can be approved."""

    async def never(decision):
        await asyncio.Event().wait()

    firewall = make_approving_shield(approver=never)

    async def run():
        session = firewall.session()
        if proposes:
            firewall.inspect_turn([ODD], session=session)
        task = asyncio.create_task(firewall.guard(ODD, session=session).__aenter__())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return session

    session = asyncio.run(run())
    (decision,) = session.decisions
    firewall.approve(decision.id)

    assert (True, "required") == (decision.blocked, decision.approval)


def test_a_call_that_was_only_proposed_can_be_approved(make_approving_shield):
    """An operator can approve the id of a call that was inspected but not dispatched."""
    firewall = make_approving_shield()
    session = firewall.session()
    (proposed,) = firewall.inspect_turn([ToolCall("refund", {"amount": -1}, "c1")], session=session)
    firewall.approve(proposed.id)

    assert not firewall.check_call(
        ToolCall("refund", {"amount": -1}, "c1"), session=session
    ).blocked


def test_an_approval_survives_the_inspection_of_the_turn(make_approving_shield):
    """Inspecting an approved call does not use the approval; running it does."""
    firewall = make_approving_shield()
    session = firewall.session()
    firewall.approve(firewall.check_call(ODD, session=session).id)
    call = ToolCall("refund", {"amount": -1}, "c2")
    (result,) = firewall.inspect_turn([call], session=session)
    ran = firewall.check_call(call, session=session)

    assert [("granted", False)] * 2 == [(d.approval, d.blocked) for d in (result, ran)]
    assert firewall.check_call(ODD, session=session).blocked


def test_an_approved_call_no_longer_waits(make_approving_shield):
    """A call that its approver allowed cannot be approved again by its id."""
    firewall = make_approving_shield(answers(True, []))
    session = firewall.session()
    call = ToolCall("refund", {"amount": -1}, "c1")
    firewall.inspect_turn([call], session=session)
    decision = firewall.check_call(call, session=session)

    with pytest.raises(ShieldError):
        firewall.approve(decision.id)


def test_on_suspicious_block_needs_no_approval(make_approving_shield):
    """``on_suspicious="block"`` blocks, and there is nothing to approve."""
    decision = make_approving_shield(on_suspicious="block").check_call(ODD)

    assert (True, "") == (decision.blocked, decision.approval)


def test_waiting_for_a_person_costs_no_attempt(make_approving_shield):
    """Only the model's own mistakes use the retry budget."""
    firewall = make_approving_shield(retries=1)
    session = firewall.session()
    decisions = [firewall.check_call(ODD, session=session) for _ in range(4)]

    assert {(True, 1)} == {(d.retryable, d.attempts_left) for d in decisions}


def test_a_slow_approver_does_not_stop_the_loop(make_approving_shield):
    """An async call waits for its approval while other tasks run."""
    order = []

    async def approver(decision):
        await asyncio.sleep(0.03)
        order.append("approved")
        return True

    firewall = make_approving_shield(approver)
    firewall.register(refund)

    async def both():
        async def other():
            order.append("other")

        await asyncio.gather(firewall.adispatch("refund", {"amount": -1}), other())

    asyncio.run(both())

    assert ["other", "approved"] == order


def refund(amount: float) -> float:
    """Refund a sum."""
    return amount


def test_a_finding_in_audit_does_not_prevent_an_approval(make_approving_shield, suspect):
    """A worse finding that is only recorded does not affect the approval of the strict one."""
    requests = []
    firewall = make_approving_shield(
        answers(True, requests),
        layers=["parameter_mismatch", suspect],
        modes={"parameter_mismatch": "audit"},
    )
    shielded(firewall)(refunded)
    decision = firewall.check_call(ToolCall("refunded", {"amount": -1, "ghost": 1}))

    assert (["refunded"], False) == (requests, decision.blocked)


def refunded(amount: float) -> None:
    """Refund a sum."""


@pytest.mark.parametrize(
    ("reply", "approval", "code"),
    [(False, "refused", "approval_refused"), (None, "required", "approval_required")],
)
def test_a_refusal_is_distinguished_from_a_call_that_waits(
    make_approving_shield, reply, approval, code
):
    """False is a refusal; None leaves the decision for later."""
    firewall = make_approving_shield(lambda decision: reply)
    decision = firewall.check_call(ODD)

    assert (approval, True) == (decision.approval, decision.blocked)
    assert code in [problem["code"] for problem in decision.feedback()["problems"]]
    assert code in decision.summary()


def test_a_refused_call_may_be_approved_later(make_approving_shield):
    """An operator can approve a call that the approver refused."""
    firewall = make_approving_shield(lambda decision: False)
    with firewall.session():
        firewall.approve(firewall.check_call(ODD).id)
        granted = firewall.check_call(ODD)

    assert ("granted", False) == (granted.approval, granted.blocked)


def test_each_approval_of_equal_calls_grants_one(make_approving_shield):
    """Of three equal calls, two are approved: two run, and the third one waits."""
    firewall = make_approving_shield()
    with firewall.session():
        waiting = [firewall.check_call(ODD).id for _ in range(2)]
        for decision_id in waiting:
            firewall.approve(decision_id)
        again = [firewall.check_call(ODD).blocked for _ in range(3)]

    assert [False, False, True] == again
