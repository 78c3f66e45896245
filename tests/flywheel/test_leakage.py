"""Evaluation cases in the training data are found in any form; other questions are not leaks."""

from __future__ import annotations

import pytest

from abs_shield.errors import ShieldError
from abs_shield.flywheel.mutate.leakage import find_leaks
from tests.flywheel.planted_leaks import CASES, harmless, plant_leaks

pytest.importorskip("rapidfuzz", reason="needs `pip install abs-shield[flywheel]`")


def test_every_one_of_200_planted_leaks_is_found() -> None:
    """Each with its case, among 1,000 harmless texts that are not reported."""
    plants, others = plant_leaks(), harmless()
    report = find_leaks([*others, *(text for _, _, text in plants)], CASES)
    evaluation = {(leak.training - len(others), leak.evaluation) for leak in report.leaks}
    missed = [
        (kind, text)
        for place, (kind, case, text) in enumerate(plants)
        if (place, case) not in evaluation
    ]

    assert 200 == len(plants)
    assert [] == missed
    assert min(report.leaked) >= len(others)


@pytest.mark.parametrize(
    "other",
    [
        "What was Amazon's market cap in Q4 2025?",
        "What was Apple's market cap in Q3 2025?",
        "What was Apple's market cap in Q4 2024?",
        "Who is the head of Apple in Q4 2025?",
    ],
)
def test_another_question_is_not_a_leak(other: str) -> None:
    """A question about another entity, period or attribute is not a leak."""
    assert find_leaks([other], ["What was Apple's market cap in Q4 2025?"]).is_clean


@pytest.mark.parametrize(
    "other",
    [
        "Apple's market cap hit $3,100,000,000,000 in Q4 2025",
        "In the fourth quarter of 2025 Apple's market cap hit 3.10 trillion dollars",
        "In 2025-Q4, Apple's market-cap hit US$ 3.1T",
        "in 4Q2025 apples market cap hit three point one trillion dollars",
        "2025Q4: Apple\u2019s market cap hit \uff04\uff13.\uff11T",
        "In\u200b Q4 2025, Apple's  market\ncap hit 3.1e12 USD",
        "In Q4 2025, Apple's market cap hit 3100 billion",
        "**Question 7:** In Q4 2025 Apple's market cap hit $3.1T. True or false?",
        "InQ42025,Apple'smarketcaphit$3.1T",
    ],
)
def test_other_forms_of_one_statement(other: str) -> None:
    """Numbers, quarters, scripts, invisible characters, marks."""
    assert not find_leaks([other], ["In Q4 2025, Apple's market cap hit $3.1T."]).is_clean


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ("Capital of France?", "Answer briefly. Capital of France? Answer in one word."),
        ("Who leads Apple?", "Tell me: who leads Apple?"),
        ("What is 17 * 23?", "What is 17 * 23? Answer with the number only."),
        ("What did Apple sell in Q4 2025?", "What did \u0410pple sell in Q4 2025?"),
        ("Capital of France?", "\u0421apital \u03bff Fr\u0430nce?"),
    ],
)
def test_a_short_case_is_found_word_for_word(case: str, text: str) -> None:
    """However short, and in letters of other scripts that look alike."""
    assert find_leaks([text], [case]).leaks


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is the square of -5, in words?", "What is the square of 5, in words?"),
        ("Did Apple's market cap rise in Q4 2025?", "Did Apple's market cap not rise in Q4 2025?"),
        (
            "Which rivals in the north did rise at last?",
            "Which rivals in the north didn't rise at last?",
        ),
        ("What is 17 * 23?", "What is 17 + 23?"),
    ],
)
def test_the_opposite_question_is_another_one(one: str, other: str) -> None:
    """A sign, a negation, an operator; in both directions."""
    assert find_leaks([one], [other]).is_clean
    assert find_leaks([other], [one]).is_clean


def test_without_cases_leakage_is_not_tested() -> None:
    """The report is neither clean nor not clean."""
    report = find_leaks(["a b"], [])

    assert "no evaluation cases were given: leakage was not tested" == str(report)
    assert None is report.to_dict()["clean"]


def test_the_report_has_hashes_of_its_data() -> None:
    """The same texts have the same hash, and the report can be written as JSON."""
    one, other = find_leaks(["a b"], CASES), find_leaks(["a c"], CASES)

    assert one.evaluation_hash == other.evaluation_hash
    assert one.training_hash != other.training_hash
    assert [] == one.to_dict()["leaks"]
    assert str(one) == ("1 training texts, 20 evaluation cases, 0 pairs compared; leaks: none")


def test_a_threshold_of_zero_is_refused() -> None:
    """A least likeness of 0 would find a leak in every text."""
    with pytest.raises(ShieldError, match="above 0"):
        find_leaks([], [], least_likeness=0)
