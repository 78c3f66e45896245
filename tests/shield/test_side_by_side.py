"""Calls of one turn that run side by side: none has come back when the next is dispatched."""

from __future__ import annotations

from abs_shield import Session, Shield, ToolCall, inverse, shield

CREATE = ToolCall("create_user", {"user_id": "u_1"}, "c1")
DELETE = ToolCall("delete_user", {"user_id": "u_1"}, "c2")


def proposed() -> tuple[Shield, Session]:
    """A turn that makes a user and takes it back."""
    undoes = inverse("create_user", "delete_user", same="user_id")
    policy = shield.configure(mode="strict", on_suspicious="block", inverses=[undoes])
    firewall = Shield(policy)
    for call in (CREATE, DELETE):
        properties = {"user_id": {"type": "string"}}
        firewall.register({"name": call.name, "parameters": {"properties": properties}})
    session = firewall.session()
    session.user("Make the user u_1.")
    firewall.inspect_turn([CREATE, DELETE], session=session)
    return firewall, session


def test_a_call_that_runs_is_contradicted():
    """The first call is under way: it has left no result, and still it counts."""
    firewall, session = proposed()

    with firewall.guard(CREATE, session=session):
        decision = firewall.check_call(DELETE, session=session)

    assert decision.blocked


def test_a_call_that_will_run_is_contradicted():
    """The second call may be dispatched first."""
    firewall, session = proposed()

    assert firewall.check_call(DELETE, session=session).blocked


def test_a_call_that_was_stopped_is_not_contradicted():
    """What never runs cannot be taken back."""
    firewall, session = proposed()
    session.tools = frozenset({"delete_user"})
    assert firewall.check_call(CREATE, session=session).blocked

    codes = {f.code for f in firewall.check_call(DELETE, session=session).findings}
    assert "undone" not in codes
