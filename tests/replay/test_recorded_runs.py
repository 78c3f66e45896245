"""Replays of recorded runs of other projects."""

from __future__ import annotations

import gzip
import json

import pytest

from abs_shield.core import LAYER_NAMES
from abs_shield.replay import replay
from tests.requirements import RUNS, TOOLCALLS, needs_runs

pytestmark = [pytest.mark.data, needs_runs]


@pytest.fixture(scope="module")
def runs():
    """Return every recorded run of the file."""
    with gzip.open(RUNS) as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module")
def judged_calls():
    """Judge every call of the file, and fail on a bad line."""
    toolsets = json.loads((TOOLCALLS / "toolsets.json").read_text())
    return list(replay([str(RUNS)], toolsets=toolsets, on_bad_line=pytest.fail))


def test_every_run_is_read(runs, judged_calls):
    """All runs of the file are read, and their calls are judged."""
    assert (4_738, 24_789) == (len(runs), len(judged_calls))


def test_every_call_is_judged_once(runs, judged_calls):
    """Each run yields as many decisions as it proposes calls, in order."""
    proposed = [
        (run["run_id"], call["name"])
        for run in runs
        for message in run["messages"]
        for call in message.get("tool_calls") or ()
    ]

    assert proposed == [(one.run_id, one.call.name) for one in judged_calls]


def test_every_result_belongs_to_a_call(runs, judged_calls):
    """As many calls count as executed as the file holds results."""
    results = sum(message["role"] == "tool" for run in runs for message in run["messages"])

    assert results == sum(one.executed for one in judged_calls)


def test_nothing_is_blocked_and_nothing_breaks(judged_calls):
    """A replay is in audit mode, and no layer fails on a real call."""
    assert [] == [one.run_id for one in judged_calls if one.decision.blocked or one.decision.errors]


def test_every_layer_is_in_the_coverage_of_every_call(judged_calls):
    """The coverage of a decision has every layer, and its findings come from these layers."""

    assert {LAYER_NAMES} == {tuple(one.decision.coverage) for one in judged_calls}
    assert set(LAYER_NAMES) >= {
        finding.check for one in judged_calls for finding in one.decision.findings
    }
