"""`abs-shield demo` shows an example of each layer."""

from __future__ import annotations

import pytest

from abs_shield.cli import console as room
from abs_shield.cli.demo import LAYER_EXAMPLES, attempts, replay_demo_run
from abs_shield.cli.demo.demo_policy import POLICY
from abs_shield.core import LAYER_NAMES
from abs_shield.shield import Shield
from tests.processes import run_python

NO_SOCKETS = """
import sys
from abs_shield.cli import main

def refuse(event, arguments):
    if event.startswith("socket."):
        raise PermissionError(event)

sys.addaudithook(refuse)
"""


def test_the_demo_runs(command):
    """The output names every layer, and nothing is written to stderr."""
    done = command("demo")

    assert (done.code, done.err) == (0, "")
    assert all(name in done.out for name in LAYER_NAMES)


def test_the_demo_needs_no_network():
    """The demo completes in a process in which opening a socket raises."""
    done = run_python("-c", NO_SOCKETS + "sys.exit(main(['demo']))", check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert "3. A recorded run in audit mode" in done.stdout


@pytest.mark.parametrize("layer", LAYER_NAMES)
def test_every_example_is_found_by_its_layer(layer):
    """The example of a layer is found by that layer and by no other."""
    decision = LAYER_EXAMPLES[layer].judge(Shield(POLICY))

    assert {finding.check for finding in decision.findings if finding.weighs} == {layer}


def test_the_heatmap_at_80_columns(command, monkeypatch):
    """Tool names are not cut: the columns are numbers, and a legend names the layers."""
    monkeypatch.setattr(room, "_WIDTH", 80)
    lines = command("demo").out.partition("3. A recorded run")[2].splitlines()

    assert any(line.startswith(" book_delivery ") for line in lines)
    assert {f"{n} {name}" for n, name in enumerate(LAYER_NAMES, 1)} <= {*lines}
    assert max(map(len, lines)) <= 80


def test_every_layer_has_an_example():
    """The examples are in the order of the layers."""
    assert tuple(LAYER_EXAMPLES) == LAYER_NAMES


def test_the_agent_corrects_itself():
    """The scripted agent is blocked twice, and its third call runs."""
    decisions = [decision for _, decision in attempts(Shield(POLICY))]

    assert [decision.blocked for decision in decisions] == [True, True, False]


def test_the_recorded_run_has_findings():
    """The recorded run has findings of four layers and no blocked call, because it is audited."""
    judged = replay_demo_run()

    assert len(judged) >= 12
    assert not any(one.decision.blocked for one in judged)
    assert {"phantom_tool", "parameter_mismatch", "impossible_state", "confidence_drop"} <= {
        finding.check for one in judged for finding in one.decision.findings
    }
