"""Counts by source, layer and outcome, and the heatmap of tools and layers."""

from __future__ import annotations

import pytest

from abs_shield import shield
from abs_shield.core import LAYER_NAMES, Verdict
from abs_shield.replay import (
    Firewalls,
    LayerTally,
    Tally,
    Toolsets,
    heatmap,
    judge_run,
    replay,
    runs,
)

GOOD = {"id": "a", "name": "find_book", "arguments": {"title": "Emma"}}
WRONG = {"id": "b", "name": "lend_book", "arguments": {"copy": "one", "until": 3}}
PHANTOM = {"id": "c", "name": "burn_book", "arguments": {}}


@pytest.fixture
def path(written, a_run):
    turn = {"role": "assistant", "tool_calls": [GOOD, WRONG, PHANTOM]}
    other = {"role": "assistant", "tool_calls": [GOOD, PHANTOM]}
    broken = [{"name": "find_book", "parameters": {"type": "strin"}}]
    return written(
        a_run(turn, source="north", labels={"success": True}),
        a_run(other, source="south", labels={"success": False}),
        a_run({"role": "assistant", "tool_calls": [GOOD]}, source="south", tools=broken),
        a_run(source="south"),
    )


@pytest.fixture
def tally(path):
    return tally_file(path, Firewalls())


def tally_file(path, firewalls):
    tally = Tally()
    for run in runs([path], Toolsets()):
        tally.run(run)
        for judged in judge_run(run, firewalls.of(run)):
            tally.update(judged)
    return tally


def test_counts_of_a_layer(tally):
    """Each call of a layer ran, was unavailable or failed; each finding is counted."""
    counts = tally.of("parameter_mismatch")

    assert counts == LayerTally(
        calls=6, ran=3, unavailable=3, hallucinated=2, flagged=1, would_block=1
    )


def test_counts_by_source_and_outcome(tally):
    """Calls flagged in successful runs are counted separately."""
    assert tally.of("phantom_tool").flagged == 2
    assert tally.of("phantom_tool", source="south").flagged == 1
    assert tally.of("phantom_tool", outcome="success").flagged == 1
    assert tally.of("phantom_tool", outcome="unknown").flagged == 0


def test_counts_of_all_layers(tally):
    """A call that several layers flag is counted once."""
    assert tally.whole() == LayerTally(calls=6, flagged=3, would_block=3)
    assert (tally.runs["north"], tally.runs["south"]) == (1, 3)
    assert tally.verdicts == {Verdict.CLEAN: 3, Verdict.HALLUCINATED: 3}


@pytest.mark.parametrize(("on_error", "outcome"), [("allow", "unavailable"), ("block", "error")])
def test_reasons_are_counted(path, on_error, outcome):
    """A call that was not judged has a reason; the policy decides whether it is an error."""
    result = tally_file(path, Firewalls(shield.configure(mode="audit", on_error=on_error)))
    reasons = [
        reason
        for (layer, text, reason) in result.reasons
        if text == outcome and layer == "parameter_mismatch" and "find_book" in reason
    ]

    assert len(reasons) == 1


def test_a_tally_is_exported_as_data(tally):
    """The counts of all sources are the sum of each source's counts."""
    report = tally.to_dict()

    assert (report["runs"], report["calls"], report["would_block"]) == (4, 6, 3)
    assert [layer["layer"] for layer in report["layers"]] == list(LAYER_NAMES)
    assert sum(source["calls"] for source in report["sources"]) == report["calls"]


def test_a_heatmap_lists_the_tool_with_most_findings_first(path):
    """Each tool has a row with a cell for each layer."""
    rows = heatmap(replay([path]), LAYER_NAMES)

    assert [row.tool for row in rows] == ["burn_book", "lend_book", "find_book"]
    assert rows[1].cells["parameter_mismatch"].findings == 2
    assert rows[2].cells["phantom_tool"].verdict is Verdict.CLEAN
    assert (rows[2].calls, rows[2].cells["phantom_tool"].ran) == (3, 3)


def test_a_heatmap_separates_errors_from_clean_calls(path):
    """A tool on whose calls a layer failed is listed first, with no call that the layer judged."""

    def breaks(call, session):
        if call.name == "find_book":
            raise KeyError("x")
        return ()

    rows = heatmap(replay([path], policy=shield.configure(layers=[breaks])), ["breaks"])

    cell = rows[0].cells["breaks"]
    assert ("find_book", 3, 0) == (rows[0].tool, cell.errors, cell.ran)
