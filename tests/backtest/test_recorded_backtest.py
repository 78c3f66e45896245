"""Comparison of policies on recorded runs of other projects."""

from __future__ import annotations

import gzip
import json
from itertools import islice

import pytest

from abs_shield.backtest import Comparison, Kind, Side, compare
from abs_shield.policy import configure, rule
from abs_shield.replay import Toolsets, replay, runs
from tests.requirements import RUNS, TOOLCALLS, needs_runs

pytestmark = [pytest.mark.data, needs_runs]


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    """Return a file of the first six hundred runs."""
    path = tmp_path_factory.mktemp("recorded") / "runs.jsonl"
    with gzip.open(RUNS, "rt") as lines:
        path.write_text("".join(islice(lines, 600)))
    return str(path)


@pytest.fixture(scope="module")
def toolsets():
    """Return the tools of the recorded runs."""
    return json.loads((TOOLCALLS / "toolsets.json").read_text())


@pytest.fixture(scope="module")
def replay_decisions(some, toolsets):
    """Return, for a policy, the calls that a replay of it flags and would block."""

    def replay_policy(policy):
        flagged, blocked = set(), set()
        for one in replay([some], policy=policy, toolsets=toolsets):
            key = (one.run_id, one.call_index)
            flagged |= {key} if one.decision.verdict != "CLEAN" else set()
            blocked |= {key} if one.decision.would_block else set()
        return flagged, blocked

    return replay_policy


@rule(tool="*")
def brief(call):
    """A call has at most three arguments."""
    return len(call.arguments) <= 3


POLICIES = {
    "threshold lowered": {"threshold": 0.2},
    "rule added": {"rules": [brief]},
    "layer dropped": {"layers": ["phantom_tool", "phantom_target", "impossible_state"]},
    "suspicion blocks": {"on_suspicious": "block"},
}


@pytest.mark.parametrize("what", POLICIES)
def test_the_changes_are_those_between_two_replays(some, toolsets, replay_decisions, what):
    """The counts of a backtest are the difference of two separate replays."""
    new, old = configure(**POLICIES[what]), configure()
    sides = Side(new), Side(old)
    into = Comparison.of(*sides)
    for run in runs([some], Toolsets(toolsets)):
        compare(run, *sides, into=into)
    (flags, blocks), (flagged, blocked) = replay_decisions(new), replay_decisions(old)

    assert {
        Kind.ALLOW_TO_BLOCK: len(blocks - blocked),
        Kind.BLOCK_TO_ALLOW: len(blocked - blocks),
        Kind.CLEAN_TO_FLAG: len(flags - flagged - blocks - blocked),
        Kind.FLAG_TO_CLEAN: len(flagged - flags - blocks - blocked),
    } == {kind: into.kinds[kind] for kind in Kind}
    assert into.kinds.total() > 0


def test_a_layer_from_audit_to_strict(some, toolsets, replay_decisions):
    """Exactly what that layer stops is allowed under the one policy and blocked under the other."""
    old = configure(modes={"parameter_mismatch": "audit"})
    sides = Side(configure()), Side(old)
    into = Comparison.of(*sides)
    for run in runs([some], Toolsets(toolsets)):
        compare(run, *sides, into=into)
    _, blocked = replay_decisions(configure())
    _, others = replay_decisions(
        configure(layers=["phantom_tool", "phantom_target", "impossible_state"])
    )

    assert {Kind.ALLOW_TO_BLOCK: len(blocked - others)} == dict(into.kinds)
    assert {"parameter_mismatch"} == {layer for _, _, layer in into.layers}


@pytest.mark.parametrize("own", [0.3, 0.8])
def test_the_sweep_is_what_replays_decide(some, toolsets, replay_decisions, own):
    """From one replay: at its own threshold, and at two others."""
    side = Side(configure(threshold=own))
    into = Comparison.of(side)
    for run in runs([some], Toolsets(toolsets)):
        compare(run, side, None, into=into)
    counts = {p.threshold: (p.flagged.count, p.blocked.count) for p in into.new.sweep()}

    for threshold in (own, 0.0, 0.65):
        flags, blocks = replay_decisions(configure(threshold=threshold))
        assert (len(flags), len(blocks)) == counts[threshold]
