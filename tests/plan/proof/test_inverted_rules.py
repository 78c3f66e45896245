"""Rules that follow their sentence are not reported, even if its wording is difficult."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from abs_shield import rule

NUMBER = {"type": "number"}
HONEST: dict[str, Callable[[float], bool]] = {
    "Refuse 0 and below; above 1000 is refused too.": lambda x: 0 < x <= 1_000,
    "No payment of at most 1 EUR.": lambda x: x > 1,
    "Amounts of at most 10 are handled by the till, not by this tool.": lambda x: x > 10,
    "At least 100 means the branch must do it.": lambda x: x < 100,
    "Payments at most 5 are too small to send.": lambda x: x > 5,
    "It is a mistake to pay at least 500.": lambda x: x < 500,
    "Positive amounts go through the other tool.": lambda x: x < 0,
    "Positive amounts are for the branch.": lambda x: x < 0,
    "Under 10 nobody pays by transfer.": lambda x: x >= 10,
    "Rejects over 500.": lambda x: x <= 500,
    "An amount below 10 is rejected.": lambda x: x >= 10,
    "Credits are booked as amounts below zero, never as amounts over zero.": lambda x: x < 0,
    "Has to exceed 100.": lambda x: x > 100,
    "No payment except above 50.": lambda x: x > 50,
    "Shipping is free at most 3 times; a fee is due here.": lambda x: x > 3,
    "The minimum is 20.": lambda x: x >= 20,
    "More than 5.": lambda x: x > 5,
    "A refund has no minimum of 10 any more, and is below 0 in the books.": lambda x: x < 0,
    "Not less than 7.": lambda x: x >= 7,
    "We only insure over 1000.": lambda x: x > 1_000,
    "Over 500 EUR only.": lambda x: x > 500,
    "Up to 100 EUR we send cash; this tool is for more.": lambda x: x > 100,
    "Is within 3 days.": lambda x: x <= 3,
    "Payments between 1 and 500 go to the till.": lambda x: not 1 <= x <= 500,
    "Nothing between 1 and 500.": lambda x: not 1 <= x <= 500,
    "No refund above 500 EUR.": lambda x: x <= 500,
    "No refund above 500 goes to a person.": lambda x: x > 500,
}


@pytest.mark.parametrize("sentence", HONEST)
def test_an_honest_sentence(sentence: str, texts, tool) -> None:
    """The rule follows its sentence, or the sentence is about calls of other tools."""
    rules = [rule(tool="t", sentence=sentence)(HONEST[sentence])]

    assert [] == texts("rule_contradicts_sentence", tool("t", x=NUMBER), rules=rules)


DAY = {"type": "string", "format": "date"}
NAMES = {
    "check_in": "check_out",
    "check_in_date": "check_out_date",
    "checkin": "checkout",
    "checkIn": "checkOut",
}
SENTENCES = (
    "Check-in is before check-out.",
    "The check-out is after the check-in.",
    "Check in no later than check out.",
    "The checkin is not after the checkout.",
)


def in_order(first: str, then: str) -> bool:
    return date.fromisoformat(first) <= date.fromisoformat(then)


def rule_about(names: tuple[str, str], sentence: str, answer: Callable[[str, str], bool]):
    """Return a rule about two parameters with these names."""
    result: dict[str, Callable[..., bool]] = {}
    first, then = names
    source = f"def dates({first}: str, {then}: str) -> bool:\n    return answer({first}, {then})"
    exec(source, {"answer": answer}, result)
    return rule(tool="book", sentence=sentence)(result["dates"])


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("first", NAMES)
def test_dates_with_names_that_begin_alike(first: str, sentence: str, texts, tool) -> None:
    """An inverted order is reported; the correct rule is not."""
    names = (first, NAMES[first])
    book = tool("book", **dict.fromkeys(names, DAY))
    wrong = rule_about(names, sentence, lambda one, other: not in_order(one, other))
    right = rule_about(names, sentence, in_order)

    assert 1 == len(texts("rule_contradicts_sentence", book, rules=[wrong]))
    assert [] == texts("rule_contradicts_sentence", book, rules=[right])


@pytest.mark.parametrize(
    "sentence",
    [
        "No check-in after the check-out.",
        "The check-out must not be before the check-in.",
        "Nobody may check out before the check-in.",
        "A check-out cannot be before the check-in.",
        "The check-in is not before today, the check-out not before the check-in.",
        "A check-out before the check-in is refused.",
        "Never a check-out before the check-in.",
    ],
)
def test_an_honest_sentence_about_two_dates(sentence: str, texts, tool) -> None:
    """A negation inverts the order, and so does a word for a rejection."""
    names = ("check_in", "check_out")
    rules = [rule_about(names, sentence, in_order)]

    book = tool("book", **dict.fromkeys(names, DAY))

    assert [] == texts("rule_contradicts_sentence", book, rules=rules)


def test_too_few_calls_to_decide(texts, proof, tool) -> None:
    """A rule that contradicts its sentence for only two calls is a note, not a warning."""
    rules = [rule(tool="t", sentence="At most 5.")(lambda x: x > 5)]
    listed = tool("t", x={"enum": [4, 6]})

    (note,) = texts("sentence_not_compared", listed, rules=rules)
    assert "all of 2 sampled calls" in note
    assert [] == texts("rule_contradicts_sentence", listed, rules=rules)
    assert [] == [each for each in proof(listed, rules=rules).problems if "sentence" in each.code]
