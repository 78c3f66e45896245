"""`abs-shield backtest` on recorded runs of other projects."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path

import pytest

from tests.requirements import RUNS, TOOLCALLS, needs_runs

pytestmark = [pytest.mark.data, needs_runs]
OLD = """
from abs_shield.policy import configure
policy = configure(modes={"parameter_mismatch": "audit"})
"""
NEW = """
from abs_shield.policy import configure, rule

@rule(tool="*")
def brief(call):
    '''A call has at most three arguments.'''
    return len(call.arguments) <= 3

layers = ["phantom_tool", "phantom_target", "parameter_mismatch", "impossible_state"]
policy = configure(layers=layers, rules=[brief], threshold=0.3)
"""


@pytest.fixture
def recorded_options(tmp_path, monkeypatch):
    """Work in a folder with two policies and 300 recorded runs; return the options."""
    monkeypatch.chdir(tmp_path)
    Path("old.py").write_text(OLD)
    Path("new.py").write_text(NEW)
    with gzip.open(RUNS, "rb") as lines, gzip.open("runs.jsonl.gz", "wb") as file:
        file.writelines(islice(lines, 300))
    sides = ("--policy", "new.py:policy", "--against", "old.py:policy")
    return ("runs.jsonl.gz", "--tools", str(TOOLCALLS / "toolsets.json"), *sides)


def test_the_changes_add_up_to_the_difference_of_the_policies(command, recorded_options):
    """The difference in blocked calls equals the changes to block minus the changes to allow."""
    done = command("backtest", *recorded_options, "--format", "json", "--fail-on", "block-to-allow")

    report = json.loads(done.out)
    calls = {kind: change["calls"] for kind, change in report["changes"].items()}
    assert (0, "", 300) == (done.code, done.err, report["runs"])
    assert report["new"]["blocked"] - report["old"]["blocked"] == (
        calls["allow-to-block"] - calls["block-to-allow"]
    )
    assert calls["allow-to-block"] > 0
    assert calls["flag-to-clean"] > 0
    blamed = {
        layer
        for change in report["changes"].values()
        for tool in change["tools"]
        for layer in tool["layers"]
    }
    assert {"impossible_state", "self_contradiction"} <= blamed


def test_annotations_of_recorded_calls(command, recorded_options):
    """Each line is one workflow command, and a rule's finding names the rule's line."""
    done = command("backtest", *recorded_options, "--format", "github", "--fail-on", "any")

    lines = done.out.splitlines()
    assert 1 == done.code
    assert {True} == {line.startswith(("::error ", "::notice ")) for line in lines}
    assert any("file=new.py,line=4,title=backtest%3A allow-to-block" in line for line in lines)
