"""Each rule of the answer checks can be switched off; rules without data have a test."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from ablation import Part, without  # noqa: E402
from answers_rules import LABELS, RULES  # noqa: E402

from abs_shield.answer import check_answer  # noqa: E402


@pytest.mark.parametrize("name", RULES)
def test_a_rule_can_be_switched_off(name: str) -> None:
    """The parts of a rule exist, and an answer is checked without them."""
    with without(*RULES[name]):
        report = check_answer("I refunded 5 of 7 euros [1].", evidence="The refund is 5 euros.")

    assert report.action in ("emit", "revise", "block")


def test_a_part_is_restored_afterwards() -> None:
    """A part is replaced and restored in every module that imports it."""
    from abs_shield.answer import claim_scores
    from abs_shield.answer.claim_reader import claims_of

    with without(Part("answer.claim_reader:claims_of", ())):
        assert claim_scores.claims_of is not claims_of
        assert () == claim_scores.claims_of("It rains.")

    assert claim_scores.claims_of is claims_of


@pytest.mark.parametrize("name", LABELS)
def test_a_rule_without_data_has_a_test(name: str) -> None:
    """The named test file exists."""
    assert name in RULES
    assert (ROOT / LABELS[name]).is_file()


@pytest.mark.parametrize("name", RULES)
def test_a_rule_has_its_row_on_the_page(name: str) -> None:
    """The row has the effect of the rule, or the test of a rule without data."""
    page = (ROOT / "docs" / "answers.md").read_text(encoding="utf-8")
    [row] = re.findall(rf"^\| {re.escape(name)} \|.*$", page, re.MULTILINE)

    assert re.search(r"[-+]\d|`tests/", row)
    assert LABELS.get(name, "") in row
