"""A claim is parsed from a sentence in a few plain forms; other sentences have none."""

from __future__ import annotations

import pytest

from abs_shield.plan.rule_sentence import parse_claim

BOUNDS = [
    ("A refund is at most 500.", (True, False)),
    ("At most $500.", (True, False)),
    ("No more than 500 euros.", (True, False)),
    ("A refund does not exceed 500.", (True, False)),
    ("A refund never exceeds 500 dollars.", (True, False)),
    ("A refund must not be over 500.", (True, False)),
    ("No refund is above 500.", (True, False)),
    ("No refund above 500 EUR.", (True, False)),
    ("Never more than 500.", (True, False)),
    ("Never more than 500 in one payment.", (True, False)),
    ("A refund is between 1 and 500.", (True, False)),
    ("Refunds over 500 are refused.", (True, False)),
    ("A refund over 500 is not allowed.", (True, False)),
    ("A refund is 500 or less.", (True, False)),
    ("A refund is below 500.", (True, False)),
    ("A refund is at least 500.", (False, True)),
    ("A refund has 500 or more.", (False, True)),
    ("A refund moves a sum above 500.", (False, True)),
    ("Anything under 500 is an error.", (False, True)),
]


@pytest.mark.parametrize(("sentence", "wanted"), BOUNDS)
def test_a_bound_is_parsed(sentence: str, wanted: tuple[bool, bool]) -> None:
    """The claim decides 499 and 501; the bound itself is not tested."""
    claim = parse_claim(sentence, ["amount"])
    assert claim is not None

    assert (*wanted, None) == tuple(claim.holds_for({"amount": each}) for each in (499, 501, 500))


def test_a_length_is_parsed() -> None:
    """A claim about characters decides texts, but not numbers."""
    claim = parse_claim("A note has at most 140 characters.", ["note"])
    assert claim is not None

    notes = ("n" * 139, "n" * 140, "n" * 141, 7)
    assert [True, None, False, None] == [claim.holds_for({"note": note}) for note in notes]


SIGNS = [
    ("A sum is positive.", (False, True)),
    ("A sum is above zero.", (False, True)),
    ("A sum is not negative.", (False, True)),
    ("No sum is below 0.", (False, True)),
]


@pytest.mark.parametrize(("sentence", "wanted"), SIGNS)
def test_a_sign_is_parsed(sentence: str, wanted: tuple[bool, bool]) -> None:
    """The claim decides -1 and 1."""
    claim = parse_claim(sentence, ["sum"])
    assert claim is not None

    assert wanted == tuple(claim.holds_for({"sum": each}) for each in (-1, 1))


LEFT_ALONE = [
    "Refunds above 500 go to a person.",
    "Refunds above 500 escalate.",
    "Refunds over 500 need an approval.",
    "Up to 500 the agent decides alone.",
    "No order has at least 500 pieces.",
    "A refund is at most 500 unless it is a gift.",
    "A raise is at most 10 %.",
    "Refunds between 5 and 500 go to a person.",
    "A refund is not between 5 and 500.",
    "A refund between 5 and 500 is refused.",
    "A refund is between 5 and 500 and above 7.",
    "No payment of at most 1 EUR.",
    "No refund above 500 goes to a person.",
    "A refund is above 5 and below 500.",
    "A refund is below 5 or above 500.",
    "A refund follows the price list.",
    "Positive amounts go through the other tool.",
    "Positive amounts are paid by hand in the branch.",
    "At most 10 is handled elsewhere.",
    "A positive amount; it is booked later.",
    "",
]


@pytest.mark.parametrize("sentence", LEFT_ALONE)
def test_other_sentences_have_no_claim(sentence: str) -> None:
    """Sentences with conditions, shares, two bounds, or a bound that only selects calls."""
    assert parse_claim(sentence, ["amount"]) is None


ORDERS = [
    ("A trip starts before it ends.", True),
    ("The start is not after the end.", True),
    ("It ends after it starts.", True),
    ("An end is not before its start.", True),
    ("The start is after the end.", False),
]


@pytest.mark.parametrize(("sentence", "wanted"), ORDERS)
def test_an_order_is_parsed(sentence: str, wanted: bool) -> None:
    """The claim decides a trip that starts first, but not one on a single day."""
    claim = parse_claim(sentence, ["start", "end"])
    assert claim is not None

    days = {"start": "2026-01-01", "end": "2026-01-05"}
    assert wanted == claim.holds_for(days)
    assert claim.holds_for({"start": days["end"], "end": days["start"]}) is not wanted
    assert claim.holds_for({"start": days["end"], "end": days["end"]}) is None
    assert claim.holds_for({"start": "soon", "end": "later"}) is None


WORDS = [
    ("The currency is EUR.", "EUR", True),
    ("The currency is EUR.", "USD", False),
    ("The currency is one of EUR, USD.", "USD", True),
    ("The currency is not RUB.", "RUB", False),
    ("The currency is not RUB.", "EUR", True),
    ("Only USD.", "EUR", False),
    ("A path starts with /tmp/.", "/tmp/x", True),
    ("A path ends with .md.", "notes.txt", False),
]


@pytest.mark.parametrize(("sentence", "value", "wanted"), WORDS)
def test_strings_of_the_code_are_parsed(sentence: str, value: str, wanted: bool) -> None:
    """A claim may say that the value is one of the strings, or begins or ends with one."""
    claim = parse_claim(sentence, ["x"], words=["EUR", "USD", "RUB", "/tmp/", ".md"])
    assert claim is not None

    assert wanted == claim.holds_for({"x": value})


@pytest.mark.parametrize(
    "sentence", ["EUR amounts are checked.", "TEST orders stay here.", "The currency is known."]
)
def test_strings_that_are_only_mentioned(sentence: str) -> None:
    """A sentence that only mentions a string has no claim about the value."""
    assert parse_claim(sentence, ["x"], words=["EUR", "TEST"]) is None
