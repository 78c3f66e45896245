"""The short way of a clean call says what the long way says, or leaves the call to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield import Session, Shield, Tool, ToolCall, Verdict, inverse, rule, shield
from abs_shield.core import Decision
from abs_shield.shield.bench import Bench

SCHEMA = {
    "type": "object",
    "required": ["order_id"],
    "properties": {
        "order_id": {"type": "string"},
        "amount": {"type": "number"},
        "customer": {"type": "string"},
        "note": {"type": "string"},
        "count": {"type": "integer"},
        "access_token": {"type": "string"},
    },
}


@rule(tool="refund")
def above_zero(amount: float) -> bool:
    """A sum is above 0."""
    return amount > 0


@rule(tool="refund")
def at_most(amount: float, order_id: str) -> str | None:
    """A sum is at most 500."""
    return None if amount <= 500 else f"too much for {order_id}"


@rule(tool="charge")
def after_a_look(session: Session) -> bool:
    """A charge follows a look at the order."""
    return session.did("look_up")


def firewall(**policy: Any) -> Shield:
    tools = [
        Tool(name="refund", parameters=SCHEMA),
        Tool(name="charge", parameters=SCHEMA),
        Tool(name="look_up", parameters=SCHEMA, read_only=True),
        Tool(name="delete_order", parameters=SCHEMA),
        Tool(name="loose"),
    ]
    said = {"rules": [above_zero, at_most, after_a_look], **policy}
    pairs = [inverse("refund", "charge", same="order_id")]
    return Shield(shield.configure(tools=tools, inverses=pairs, **said))


def told(decision: Decision) -> dict[str, Any]:
    """A decision without what no two decisions share."""
    same = replace(decision, id="", at=0.0, elapsed_ms=0.0, session_id="", run_id="")
    return same.to_dict()


def asked(calls: list[ToolCall], *, quick: bool, **policy: Any) -> list[dict[str, Any]]:
    """Judge and run calls one after the other; on the long way alone where not *quick*."""
    guard = firewall(**policy)
    session = guard.session()
    session.user("Please refund ord_1 for Mia Li, 20 dollars.")
    session.tool_result("look_up", {"order_id": "ord_2", "customer": "Jo Oak", "token": "tk_1"})
    decided = []
    with patch.object(Bench, "_at_once", Bench._at_once if quick else lambda *asked: None):
        for call in calls:
            decision = guard.check_call(call, session=session)
            decided.append(told(decision))
            if not decision.blocked:
                guard.check_result(call, {"status": "done"}, elapsed_ms=1, session=session)
    return decided


CALLS = st.builds(
    ToolCall,
    st.sampled_from(["refund", "charge", "look_up", "delete_order", "loose", "refnud", ""]),
    st.dictionaries(
        st.sampled_from([*SCHEMA["properties"], "unknown"]),
        st.sampled_from(
            ["ord_1", "ORD-1", "ord_2", "ord_9", "Mia Li", "Jo Oak", "Li", "", "<id>", "née"]
        )
        | st.sampled_from(
            ["[Your Name]", " <note> ", "insert a note here", "tk_1", "tk_2", "YOUR_TOKEN", "<b>"]
        )
        | st.sampled_from([20, 20.0, 501, -1, True, None, float("nan"), 10**400, ["ord_1"]]),
        max_size=4,
    ),
    st.none() | st.sampled_from(["c1", "c2"]),
    st.none() | st.lists(st.sampled_from([-0.01, -0.2, -3.0, 0.0, 0.5]), max_size=3),
)
POLICIES = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["audit", "strict"]),
        "threshold": st.sampled_from([0.5, 0.9, 1.0]),
        "rules": st.sampled_from([[], [above_zero], [after_a_look]]),
        "layers": st.sampled_from(
            [[], ["impossible_state"], ["phantom_tool", "confidence_drop"], ["phantom_target"]]
        ),
    },
)


@given(st.lists(CALLS, min_size=1, max_size=6), POLICIES)
def test_both_ways_decide_alike(calls, policy):
    """Findings, coverage, mode, errors: nothing tells which way a call went."""
    assert asked(calls, quick=False, **policy) == asked(calls, quick=True, **policy)


def went_quick(guard: Shield, call: ToolCall, session: Session) -> bool:
    """Whether a call went the short way; it is judged once."""
    ways = []
    real = Bench._at_once

    def seen(self: Bench, *asked: Any) -> Any:
        ways.append(real(self, *asked))
        return ways[-1]

    with patch.object(Bench, "_at_once", seen):
        guard.check_call(call, session=session)
    return bool(ways) and ways[-1] is not None


@pytest.mark.parametrize(
    ("call", "quick"),
    [
        (ToolCall("refund", {"order_id": "ord_1", "amount": 20}), True),
        (ToolCall("refund", {"order_id": "ord_1", "amount": 20}, "c1", [-0.01]), True),
        (ToolCall("refund", {"order_id": "ord_1", "customer": "Mia Li"}), True),
        (ToolCall("look_up", {"order_id": "ord_1"}), True),
        (ToolCall("loose", {"anything": "plain", "page": 2}), True),
        (ToolCall("look_up", {"order_id": "ord_1", "count": 7}), True),
        (ToolCall("refund", {"order_id": "ord_9"}), False),
        (ToolCall("refund", {"order_id": "ord_1", "amount": -20}), False),
        (ToolCall("refund", {"order_id": "ord_1", "amount": "20"}), False),
        (ToolCall("refund", {"order_id": "ord_1", "more": 1}), False),
        (ToolCall("refund", {"order_id": "ord_1"}, None, [-3.0]), False),
        (ToolCall("charge", {"order_id": "ord_1"}), False),
        (ToolCall("refnud", {"order_id": "ord_1"}), False),
    ],
)
def test_a_clean_call_goes_the_short_way(call, quick):
    """What is clean at once is not looked at twice; everything else is looked at."""
    guard = firewall()
    session = guard.session(messages=[{"role": "user", "content": "Refund ord_1 for Mia Li."}])
    assert quick is went_quick(guard, call, session)


def test_a_layer_of_the_users_always_looks():
    """Nobody can say at once what a layer of somebody else's will say."""

    def mine(proposal, session):
        return ()

    guard = Shield(shield.configure(tools=[Tool(name="loose")], layers=["phantom_tool", mine]))
    assert not went_quick(guard, ToolCall("loose", {}), guard.session())


def test_a_tool_that_is_declared_anew_is_compiled_anew():
    """The short way of the old declaration is not asked any more."""
    guard = Shield(shield.configure(tools=[Tool(name="loose")]))
    session, call = guard.session(), ToolCall("loose", {"n": 1})
    assert Verdict.CLEAN is guard.check_call(call, session=session).verdict

    guard.register(Tool(name="loose", parameters={"properties": {"n": {"type": "string"}}}))
    assert Verdict.HALLUCINATED is guard.check_call(call, session=session).verdict


def test_a_decision_owns_its_coverage():
    """Changing one decision's coverage changes no other's."""
    guard = firewall()
    session = guard.session(messages=[{"role": "user", "content": "Refund ord_1."}])
    call = ToolCall("refund", {"order_id": "ord_1"})
    guard.check_call(call, session=session).coverage.clear()
    assert len(guard.check_call(call, session=session).coverage) == 6
