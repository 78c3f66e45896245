"""A prepared check agrees with its layer, or lets the layer judge the call."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield import Session, Shield, Tool, ToolCall, Verdict, inverse, rule, shield
from abs_shield.core import Decision
from abs_shield.layers import LAYERS, OPT_IN, Layer
from abs_shield.plan import Proposal
from abs_shield.shield.tool_layers import ToolLayers

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
    """A charge needs an earlier look at the order."""
    return session.did("look_up")


def firewall(**policy: Any) -> Shield:
    tools = [
        Tool(name="refund", parameters=SCHEMA),
        Tool(name="charge", parameters=SCHEMA),
        Tool(name="look_up", parameters=SCHEMA, read_only=True),
        Tool(name="delete_order", parameters=SCHEMA),
        Tool(name="loose"),
    ]
    fields = {"rules": [above_zero, at_most, after_a_look], **policy}
    pairs = [inverse("refund", "charge", same="order_id")]
    return Shield(shield.configure(tools=tools, inverses=pairs, **fields))


def comparable(decision: Decision) -> dict[str, Any]:
    """Return a decision without its id and times."""
    same = replace(decision, id="", at=0.0, elapsed_ms=0.0, session_id="", run_id="")
    return same.to_dict()


def judge_calls(calls: list[ToolCall], *, prepared: bool, **policy: Any) -> list[dict[str, Any]]:
    """Judge and run calls one after another, with or without the prepared checks."""
    guard = firewall(**policy)
    session = guard.session()
    session.user("Please refund ord_1 for Mia Li, 20 dollars.")
    session.tool_result("look_up", {"order_id": "ord_2", "customer": "Jo Oak", "token": "tk_1"})
    decided = []
    with patch.object(
        ToolLayers, "prepare", ToolLayers.prepare if prepared else lambda *judge_calls: None
    ):
        for call in calls:
            decision = guard.check_call(call, session=session)
            decided.append(comparable(decision))
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
            [
                [],
                ["impossible_state"],
                ["phantom_tool", "confidence_drop"],
                ["phantom_target"],
                ["call_loop", "uninformed_write"],
            ]
        ),
    },
)


@given(st.lists(CALLS, min_size=1, max_size=6), POLICIES)
def test_prepared_checks_agree_with_the_layers(calls, policy):
    """Findings, coverage, mode and errors are equal."""
    assert judge_calls(calls, prepared=False, **policy) == judge_calls(
        calls, prepared=True, **policy
    )


def judging_layers(guard: Shield, call: ToolCall, session: Session) -> list[str]:
    """Judge a call once, and return the layers whose judges were called."""
    layers = {**LAYERS, **OPT_IN}
    looked: list[str] = []

    def watched(layer: Layer) -> Layer:
        def judge(proposal: Proposal, session: Session) -> Any:
            looked.append(layer.name)
            return layer.judge(proposal, session)

        return layer._replace(judge=judge)

    evaluator = guard.lifecycle._evaluator
    evaluator._layers = tuple(watched(layers.get(row.name, row)) for row in evaluator._layers)
    evaluator._prepared.clear()
    guard.check_call(call, session=session)
    return looked


@pytest.mark.parametrize(
    ("call", "looked"),
    [
        (ToolCall("refund", {"order_id": "ord_1", "amount": 20}), []),
        (ToolCall("refund", {"order_id": "ord_1", "amount": 20}, "c1", [-0.01]), []),
        (ToolCall("refund", {"order_id": "ord_1", "customer": "Mia Li"}), []),
        (ToolCall("look_up", {"order_id": "ord_1"}), []),
        (ToolCall("loose", {"anything": "plain", "page": 2}), []),
        (ToolCall("look_up", {"order_id": "ord_1", "count": 7}), []),
        (ToolCall("refund", {"order_id": "ord_9"}), ["phantom_target"]),
        (ToolCall("refund", {"order_id": "ord_1", "amount": -20}), ["impossible_state"]),
        (ToolCall("refund", {"order_id": "ord_1", "amount": "20"}), [*LAYERS]),
        (ToolCall("refund", {"order_id": "ord_1", "more": 1}), [*LAYERS]),
        (ToolCall("refund", {"order_id": "ord_1"}, None, [-3.0]), ["confidence_drop"]),
        (ToolCall("charge", {"order_id": "ord_1"}), ["impossible_state"]),
    ],
)
def test_a_judge_is_called_if_its_prepared_check_is_not_clean(call, looked):
    """No other judge is called, unless the arguments do not match the schema."""
    guard = firewall()
    session = guard.session(messages=[{"role": "user", "content": "Refund ord_1 for Mia Li."}])
    assert looked == judging_layers(guard, call, session)


def test_a_custom_layer_does_not_affect_prepared_checks():
    """The checks of the other layers are still prepared."""

    def mine(proposal, session):
        return ()

    guard = Shield(shield.configure(tools=[Tool(name="loose")], layers=["phantom_tool", mine]))
    assert ["mine"] == judging_layers(guard, ToolCall("loose", {}), guard.session())


def test_a_tool_that_is_declared_again_is_compiled_again():
    """The prepared checks of the old declaration are not used any more."""
    guard = Shield(shield.configure(tools=[Tool(name="loose")]))
    session, call = guard.session(), ToolCall("loose", {"n": 1})
    assert Verdict.CLEAN is guard.check_call(call, session=session).verdict

    guard.register(Tool(name="loose", parameters={"properties": {"n": {"type": "string"}}}))
    assert Verdict.HALLUCINATED is guard.check_call(call, session=session).verdict


def test_no_decision_changes_the_coverage_of_another():
    """Clean calls share a read-only coverage, which can be copied."""
    guard = firewall()
    session = guard.session(messages=[{"role": "user", "content": "Refund ord_1."}])
    coverage = guard.check_call(ToolCall("refund", {"order_id": "ord_1"}), session=session).coverage

    for change in ("clear", "popitem"):
        with pytest.raises(TypeError, match="copy it with dict"):
            getattr(coverage, change)()
    for copied in (dict(coverage), pickle.loads(pickle.dumps(coverage)), deepcopy(coverage)):
        assert dict is type(copied)
        assert coverage == copied
