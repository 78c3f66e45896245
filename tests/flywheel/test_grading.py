"""An answer is right if it states the expected value and no other one."""

from __future__ import annotations

import pytest

from abs_shield.flywheel.answer_grading import is_right
from abs_shield.flywheel.cases import EvaluationCase

CAP = "What was Apple's market cap in Q4 2025?"
VALUES = [
    ("$3.1T", "As of Q4 2025 it was 3.1 trillion dollars.", True),
    ("$3.1T", "Apple's market cap in Q4 2025 was USD 3.10 trillion.", True),
    ("$3.1T", "In 2025: $3,100 billion", True),
    ("$3.1T", "It was $3.2T.", False),
    ("$3.1T", "It was $3.1T, or $3.2T.", False),
    ("$3.1T", "It was $3.1T. Another source has $3.2T.", False),
    ("$3.1T", "It was not $3.1T.", False),
    ("$3.1T", "$-3.1T", False),
    ("$3.1T", "-$3.1T", False),
    ("$3.1T", "3.1T euros", False),
    ("$3.1T", "3.1T", False),
    ("$3.1T", "three point one trillion dollars", True),
    ("-5", "5", False),
    ("-5", "It is minus 5.", True),
    ("-5", "-5", True),
    ("5", "-5", False),
    ("10%", "10", False),
    ("10%", "10 percent", True),
    ("10", "10%", False),
    ("5 km", "5 miles", False),
    ("5 km", "5 kilometers", True),
    ("2025-12-31", "On Dec 31, 2025.", True),
    ("2025-12-31", "On Dec 30, 2025.", False),
    ("2025-12-31", "On 31 December.", False),
    ("$3.1T", "It was less than $3.1T.", False),
    ("$3.1T", "$3.0T to $3.1T", False),
    ("$3.1T", "It rose to about $3.1T.", True),
    ("5", "It has at least 5.", False),
    ("tx_12345", "`transaction_id` is tx_12345.", True),
    ("tx_12345", "tx_12345 and tx_99999", False),
]
WORDS = [
    ("Paris", "The capital is Paris.", True),
    ("Paris", "**Paris**, of course", True),
    ("Paris", "Paris, London, Berlin or Rome", False),
    ("Paris", "London, Paris", False),
    ("Paris", "Paris and London", False),
    ("Paris", "Not Paris.", False),
    ("Paris", "It isn't Paris.", False),
    ("Paris", "I do not know.", False),
    ("Tim Cook", "Apple is led by Tim Cook, the CEO.", True),
    ("Tim Cook", "Sure: Tim Cook leads Apple.", True),
    ("Tim Cook", "Satya Nadella succeeded Tim Cook.", False),
    ("Tim Cook", "Cook, Tim or somebody", False),
    ("yes", "Yes.", True),
    ("yes", "Yes, it did.", True),
    ("yes", "No. Yes would be wrong.", False),
    ("no", "No, it did not.", True),
    ("no", "It is no problem: yes", False),
    ("transfer from Ann to Bob", "transfer from Bob to Ann", False),
    ("transfer from Ann to Bob", "A transfer from Ann to Bob.", True),
    ("C", "C++", False),
    ("C++", "C++", True),
    ("C++", "C", False),
    ("C#", "It is C#.", True),
    ("refund", "The tool to call is refund.", True),
    ("refund", "`refund`", True),
    ("refund", "issue_refund", False),
    ("refund", "refund, ticket", False),
    ("refund", "refund and ticket", False),
    ("refund", "Call refund; find_order failed.", False),
    ("did not rise", "It did rise.", False),
    ("did not rise", "It did not rise.", True),
    ("...", "...", True),
    ("...", "something", False),
]


def case(expected: str, prompt: str, **more: str) -> EvaluationCase:
    """Return a case."""
    return EvaluationCase(id="1", prompt=prompt, expected=expected, **more)


@pytest.mark.parametrize(("expected", "answer", "right"), VALUES)
def test_a_value_is_stated_with_its_sign_and_unit(expected: str, answer: str, right: bool) -> None:
    """A value counts in any notation unless it is negated or another value of its kind is given."""
    assert right is is_right(case(expected, CAP), answer)


@pytest.mark.parametrize(("expected", "answer", "right"), WORDS)
def test_words_are_stated_in_the_expected_order(expected: str, answer: str, right: bool) -> None:
    """Words count in their order if they are not negated and no alternative is given."""
    assert right is is_right(case(expected, "Of Apple, in France: which one?"), answer)


@pytest.mark.parametrize(
    ("prompt", "expected", "answer", "right"),
    [
        ("What is 17 * 23?", "391", "17 * 23 = 391", True),
        ("Is it 5 or 7?", "7", "5 or 7", False),
        ("Is it 5 or 7?", "7", "5, 7", False),
        ("Tim Cook or Satya Nadella?", "Tim Cook", "Satya Nadella, Tim Cook", False),
        ("Tools: refund, ticket.", "refund", "ticket, refund", False),
        ("Which city is the capital of France?", "Paris", "Paris, France", True),
    ],
)
def test_values_of_the_prompt_may_be_repeated(
    prompt: str, expected: str, answer: str, right: bool
) -> None:
    """An answer may repeat values of the prompt unless these are the choices."""
    assert right is is_right(case(expected, prompt), answer)


@pytest.mark.parametrize(
    ("expected", "answer", "right"),
    [
        ("$3.1T", "I do not know.", True),
        ("$3.1T", "I don't have that, so I cannot say.", True),
        ("$3.1T", "", True),
        ("$3.1T", "$3.1T", True),
        ("$3.1T", "$3.3T", False),
        ("$3.1T", "three point two trillion", False),
        ("$3.1T", "It was large.", False),
        ("$3.1T", "I do not know, maybe $3.2T.", False),
        ("Tim Cook", "There is no record of that.", True),
        ("Tim Cook", "Not Tim Cook but Satya Nadella.", False),
        ("Tim Cook", "Satya Nadella, no doubt.", False),
        ("Tim Cook", "I do not know; Satya Nadella leads it.", False),
        ("refund", "I am not sure.", True),
        ("refund", "Call issue_refund.", False),
        ("refund", "I do not know. Call issue_refund.", False),
    ],
)
def test_the_recheck_passes_what_claims_nothing(expected: str, answer: str, right: bool) -> None:
    """To know nothing is right; to deny something, or to guess, is not."""
    request = case(expected, "Which one of Apple?", part="hallucination")

    assert right is is_right(request, answer)
