"""The decisions of a policy in its own modes, while the run continues as recorded."""

from __future__ import annotations

from dataclasses import astuple
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield import Shield, ToolCall
from abs_shield.backtest import Side
from abs_shield.core import (
    RAN,
    Action,
    Coverage,
    Decision,
    Finding,
    Mode,
    Outcome,
    Subject,
    Verdict,
)
from abs_shield.policy import Policy, configure, rule
from abs_shield.replay import BadLine, Run, Toolsets, replay, runs
from abs_shield.shield.enforcement import faults_of

OPEN = {"name": "open_door", "parameters": {"properties": {"door": {"type": "integer"}}}}
WRONG = ToolCall("open_door", {"door": "front"})


@rule(tool="open_door")
def never(door):
    """Never stop enforcing."""
    raise RuntimeError("broken")


def first(path: str) -> Run:
    """The one run of a file."""
    (run,) = runs([path], Toolsets())
    assert not isinstance(run, BadLine)
    return run


@pytest.fixture
def run_file(written):
    """Write a run whose calls the model was more or less sure of; return its file."""

    def write(*likelihoods: float, call: ToolCall = WRONG) -> str:
        calls = [
            {"name": call.name, "arguments": call.arguments, "logprobs": [log(p)]}
            for p in likelihoods
        ]
        state = [{"role": "assistant", "tool_calls": [one]} for one in calls]
        question = {"role": "user", "content": "Open the front door."}
        return written({"run_id": "r", "tools": [OPEN], "messages": [question, *state]})

    return write


POLICIES = [
    configure(),
    configure(mode="audit"),
    configure(mode="audit", modes={"parameter_mismatch": "strict"}),
    configure(modes={"parameter_mismatch": "audit"}),
    configure(mode="audit", modes={("open_door", "parameter_mismatch"): "strict"}),
    configure(modes={"open_door": "audit"}, layers=["confidence_drop"]),
    configure(on_suspicious="approve", layers=["confidence_drop"]),
    configure(on_suspicious="block", layers=["confidence_drop"], threshold=0.2),
    configure(rules=[never], layers=["impossible_state"]),
    configure(rules=[never], layers=["impossible_state"], mode="audit"),
    configure(rules=[never], layers=["impossible_state"], on_error="allow"),
]


@pytest.mark.parametrize("policy", POLICIES, ids=range(len(POLICIES)))
@pytest.mark.parametrize("call", [WRONG, ToolCall("opne_door", {}), ToolCall("open_door", {})])
def test_a_call_is_stopped_where_it_would_have_been_live(run_file, policy, call):
    """The ruling on a recorded call is that of a Shield in front of the same call."""
    (ruled,) = Side(policy).ruled(first(run_file(0.4, call=call)))

    firewall = Shield(policy, hooks=None)
    firewall.register(OPEN)
    session = firewall.session(messages=[{"role": "user", "content": "Open the front door."}])
    live = firewall.check_call(
        ToolCall(call.name, call.arguments, None, [log(0.4)]), session=session
    )
    ruling = ruled.ruling
    assert (live.blocked, live.would_block, live.verdict, live.action, live.mode) == (
        ruling.blocked,
        ruling.would_block,
        ruling.verdict,
        ruling.action,
        ruling.mode,
    )
    assert list(map(astuple, live.findings)) == list(map(astuple, ruling.findings))
    assert bool(ruling.stopping) == live.blocked


def test_a_run_goes_on_as_recorded(written, a_run):
    """A call that a policy would have blocked still counts as executed for later calls."""
    calls = [{"id": str(n), "name": "lend_book", "arguments": {"copy": "x"}} for n in range(2)]
    messages = [
        part
        for call in calls
        for part in (
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "lent"},
        )
    ]
    records = []

    def layer(proposal, session):
        records.append(len(session.executed))
        return ()

    policy = configure(layers=["parameter_mismatch", layer])
    ruled = list(Side(policy).ruled(first(written(a_run(*messages)))))

    assert [True, True] == [one.ruling.blocked for one in ruled]
    assert [0, 1] == records


def test_the_layer_to_blame(run_file):
    """A finding in audit stops nothing, and so does not the layer that made it."""
    call = ToolCall("open_door", {"door": "front", "bell": 1})
    policy = configure(modes={"parameter_mismatch": "audit"}, rules=[never])
    (ruled,) = Side(policy).ruled(first(run_file(1.0, call=ToolCall("open_door", {"door": 3}))))
    (other,) = Side(policy).ruled(first(run_file(1.0, call=call)))

    assert (("impossible_state",), ()) == (ruled.ruling.stopping, other.ruling.stopping)
    assert Outcome.ERROR is ruled.judged.decision.coverage["impossible_state"].outcome
    assert {Mode.AUDIT} == {finding.mode for finding in other.ruling.findings}


def failed_decision(coverage: dict[str, Coverage], error: str) -> Decision:
    """Return a decision about a call that was not judged, or not by all layers."""
    return Decision(
        id="d1", subject=Subject.CALL, tool="refund", verdict=Verdict.CLEAN, action=Action.ALLOW,
        mode=Mode.AUDIT, blocked=False, would_block=False, policy_revision="", at=0.0,
        coverage=coverage, errors=(error,),
    )  # fmt: skip


def test_an_error_outside_of_layers_is_attributed_to_the_call_check():
    """An error of a layer is attributed to the layer."""
    layer = {"impossible_state": Coverage(Outcome.ERROR, "broken"), "phantom_tool": RAN}

    assert [("call check", "call check could not run: X")] == faults_of(
        failed_decision({}, "call check could not run: X")
    )
    assert [("impossible_state", "broken")] == faults_of(
        failed_decision(layer, "impossible_state could not run: broken")
    )


def replay_decisions(path: str, policy: Policy, threshold: float) -> list[tuple[bool, bool]]:
    """Return which calls of a file a replay at the threshold flags, and would block."""
    request = policy.model_copy(update={"threshold": threshold})
    return [
        (one.decision.verdict != "CLEAN", one.decision.would_block)
        for one in replay([path], policy=request)
    ]


def sweep_at(path: str, policy: Policy, threshold: float) -> list[tuple[bool, bool]]:
    """Return for each call whether the sweep flags and blocks it at the threshold."""
    side = Side(policy)
    at = side.thresholds.index(threshold)
    return [(one.flags_from <= at, one.blocks_from <= at) for one in side.ruled(first(path))]


LIKELIHOODS = (0.04, 0.12, 0.2, 0.3, 0.55, 0.61, 0.75, 0.82, 0.93, 1.0)


def doubt(proposal, session):
    """A layer of a user's own that finds something in every call, weak or strong."""
    strength = 1 - exp(proposal.logprob)
    if strength > 0:
        yield Finding(
            check="doubt", verdict=Verdict.SUSPICIOUS, strength=strength, where="/name",
            detail="the model was not sure", code="unsure",
        )  # fmt: skip


@pytest.mark.parametrize("own", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("on_suspicious", ["flag", "block"])
@pytest.mark.parametrize("asked", [0.0, 0.15, 0.4, 0.65, 0.8, 0.95])
def test_one_replay_tells_what_every_threshold_decides(run_file, own, on_suspicious, asked):
    """The place at which a call is flagged and blocked is that of a replay under a threshold."""
    path = run_file(*LIKELIHOODS, call=ToolCall("open_door", {}))
    policy = configure(layers=[doubt], threshold=own, on_suspicious=on_suspicious)

    for threshold in (own, asked):
        assert replay_decisions(path, policy, threshold) == sweep_at(path, policy, threshold)


@pytest.mark.parametrize("own", [0.3, 0.8, 1.0])
def test_the_sweep_of_confidence_drop_is_exact_up_to_the_own_threshold(run_file, own):
    """Above its own threshold `confidence_drop` has no findings to sweep."""
    path = run_file(*LIKELIHOODS, call=ToolCall("open_door", {}))
    policy = configure(layers=["confidence_drop"], threshold=own)

    for threshold in (0.0, 0.15, own):
        assert replay_decisions(path, policy, threshold) == sweep_at(path, policy, threshold)
    assert replay_decisions(path, policy, own) == sweep_at(path, policy, 1.0)


@given(st.floats(0, 1))
def test_the_own_threshold_is_always_in_the_sweep(own):
    """The sweep is sorted and contains the policy's threshold."""
    at = Side(configure(threshold=own, layers=[])).thresholds

    assert own in at
    assert sorted(at) == list(at)
    assert len(at) in (21, 22)
