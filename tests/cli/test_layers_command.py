"""`abs-shield layers`: the table of layers."""

from __future__ import annotations

import json

from abs_shield.cli.layers_command import scenario
from abs_shield.core import LAYER_NAMES
from abs_shield.layers import LAYERS, OPT_IN
from abs_shield.plan.strengths import STRENGTHS


def test_a_table(command):
    """The table has one line for each layer."""
    done = command("layers")

    assert done.code == 0
    assert all(name in done.out for name in (*LAYERS, *OPT_IN))


def test_as_json(command):
    """The JSON has each layer's verdict, scenario, and whether it runs by default."""
    rows = json.loads(command("layers", "--format", "json").out)

    assert [row["layer"] for row in rows] == [*LAYER_NAMES, *OPT_IN]
    assert {row["layer"] for row in rows if not row["default"]} == set(OPT_IN)
    assert {row["verdict"] for row in rows} == {"SUSPICIOUS", "HALLUCINATED"}


def test_the_strengths(command):
    """`--strengths` prints for each class the share and the number of right findings."""
    rows = json.loads(command("layers", "--strengths", "--format", "json").out)
    printed = command("layers", "--strengths").out

    assert [*STRENGTHS] == [row["basis"] for row in rows]
    assert STRENGTHS["hard_id"].strength == {r["basis"]: r["strength"] for r in rows}["hard_id"]
    assert all(name in printed for name in STRENGTHS)


def test_every_layer_has_a_scenario():
    """The docstring of a layer begins with an example of what it finds."""
    assert all(scenario(name).endswith(".") for name in (*LAYERS, *OPT_IN))
