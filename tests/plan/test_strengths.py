"""The table of strengths: its counts, and their use by the layers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from abs_shield import Shield, Tool, ToolCall, shield
from abs_shield.core.finding import counts
from abs_shield.plan.strengths import STRENGTHS, fit_strength

LAYERS = Path(__file__).parents[2] / "abs_shield" / "layers"


@pytest.mark.parametrize("row", STRENGTHS.values(), ids=STRENGTHS)
def test_a_strength_is_in_its_interval(row):
    """A measured row is computed from its counts, and a declared one is certain."""
    if row.interval is None:
        assert 1.0 == row.strength
    else:
        low, high = row.interval

        assert low <= row.strength <= high
        assert row == fit_strength(
            row.basis, right=row.right, wrong=row.wrong, found=row.found, planted=row.planted,
            hard=row.hard,
        )  # fmt: skip


def test_few_findings_have_a_wide_interval():
    """The strength is far from 1 after one right finding, and close to it after a hundred."""
    one, many = fit_strength("x", right=1, wrong=0), fit_strength("x", right=100, wrong=0)

    assert (0.87, 0.21) == (one.strength, one.interval[0])
    assert one.interval[0] < many.interval[0] < many.strength < 1


def test_planted_faults_do_not_affect_the_strength():
    """The numbers of planted and found faults are only stored."""
    without = fit_strength("x", right=3, wrong=1)

    assert (
        without.strength == fit_strength("x", right=3, wrong=1, found=900, planted=1_000).strength
    )


def test_every_class_counts_at_the_default_threshold():
    """Every class is at least as strong as the default threshold requires."""
    threshold = shield.configure().threshold

    assert all(counts(row.strength, threshold=threshold) for row in STRENGTHS.values())


@pytest.mark.parametrize("row", STRENGTHS.values(), ids=STRENGTHS)
def test_one_finding_does_not_change_the_classes_that_count(row):
    """One more finding, right or wrong, does not move a class across the default threshold."""
    threshold = shield.configure().threshold
    for right, wrong in ((row.right + 1, row.wrong), (row.right, row.wrong + 1)):
        if row.interval is not None and row.right + row.wrong:
            strength = fit_strength(row.basis, right=right, wrong=wrong).strength

            assert counts(strength, threshold=threshold) == counts(
                row.strength, threshold=threshold
            )


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [(0.8, [True, True]), (1 - STRENGTHS["hard_id"].strength, [True, False]), (0.0, [False] * 2)],
)
def test_a_threshold_is_the_lowest_strength(threshold, expected):
    """A finding counts if the strength of its class is at least 1 - threshold."""
    text = {"type": "string"}
    schema = {"type": "object", "properties": {"order_id": text, "customer_name": text}}
    firewall = Shield(
        shield.configure(tools=[Tool(name="notify", parameters=schema)], threshold=threshold),
        hooks=None,
    )
    with firewall.session() as session:
        session.user("Please tell Mia Li that her order 55120 is late.")
        call = ToolCall("notify", {"order_id": "55102", "customer_name": "John Smith"})
        findings = firewall.check_call(call).findings

    assert ["hard_id", "soft_name"] == [finding.basis for finding in findings]
    assert expected == [finding.counted for finding in findings]


@pytest.mark.parametrize("path", sorted(LAYERS.glob("*.py")), ids=lambda path: path.stem)
def test_no_layer_has_its_own_strength(path):
    """Strengths are rows of the table, except those computed from the model's likelihoods."""
    options = [
        keyword.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "strength"
    ]

    assert not [value for value in options if isinstance(value, ast.Constant)]
    if path.stem != "confidence_drop":
        assert all(ast.unparse(value).startswith("STRENGTHS[") for value in options)
