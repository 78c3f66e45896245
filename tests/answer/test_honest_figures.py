"""Figures that an honest answer writes differently from the result."""

from __future__ import annotations

import pytest

from abs_shield import ToolCall
from abs_shield.answer.check_pipeline import checked
from abs_shield.core.events import Proposed, Returned
from abs_shield.session import Session
from abs_shield.session.session_record import record_of


def missing(result: object, answer: str, *, error: bool = False) -> list[str]:
    """Return the figures of *answer* that one result does not support."""
    session = Session()
    session.user("How is it?")
    record_of(session).record_event(Returned("look_up", result, "c1", error=error))
    return [one.text for claim in checked(answer, session=session).claims for one in claim.missing]


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({"balance": {"amount": 243177, "currency": "EUR"}}, "Your balance is €2,431.77."),
        ({"monthly_fee": 3490}, "It costs 34.90 a month."),
        ({"fare": {"amount": 8900, "currency": "CHF"}}, "The fare is CHF 89."),
    ],
)
def test_whole_amounts_may_count_cents(result, answer):
    """An integer amount may be read as cents."""
    assert missing(result, answer) == []
    assert missing(result, answer.replace("4", "5").replace("8", "7")) != []


def test_a_number_that_is_not_of_money_counts_no_cents():
    """A number in a field without money is not read as cents."""
    assert missing({"members": 3490}, "It costs €34.90.") == ["€34.90"]


def test_a_hash_sign_names_a_number():
    """`#318` matches a field `number` of 318."""
    assert missing({"number": 318, "state": "open"}, "#318 is open.") == []
    assert missing({"number": 318, "state": "open"}, "#319 is open.") == ["#319"]


def test_error_text_is_evidence():
    """The figures of an error message are evidence."""
    error = {"error": {"message": "Order 70-5188 left the warehouse on 2026-01-19"}}
    message = "I could not cancel it: order 70-5188 left the warehouse on 19 January."

    assert missing(error, message, error=True) == []
    assert missing(error, message.replace("19", "18"), error=True) == ["18 January."]


def test_a_part_of_what_an_error_says_stays_whole():
    """An id that is only part of a longer value of an error message is missing."""
    session = Session()
    session.user("Cancel it.")
    call = ToolCall("cancel", {"year": "2026", "order": "W-77120"}, id="c1")
    record_of(session).record_event(Proposed((call,)))
    error = "W-77120 cannot be cancelled since 2026-01-19, 201 days ago"
    record_of(session).record_event(Returned("cancel", error, "c1", error=True))
    report = checked("It cannot be cancelled since 19 January 2026. W-77120.", session=session)

    assert ["W-77120"] == [one.text for claim in report.claims for one in claim.missing]


ACCOUNTS = {"checking": {"balance": 2431.77}, "savings": {"balance": 10250.0}}


@pytest.mark.parametrize(
    ("result", "answer", "change"),
    [
        ({"copay": 25}, "The co-pay is $25.", ("$25", "$26")),
        ({"postage": 9, "currency": "EUR"}, "Postage is €9.", ("€9", "€8")),
        (
            {"total": 57.25, "shipping": 4.95},
            "That is $52.30 before shipping.",
            ("$52.30", "$52.40"),
        ),
        (ACCOUNTS, "Zusammen sind das 12.681,77 $.", ("12.681,77 $", "12.681,87 $")),
        (ACCOUNTS, "En total son $12,681.77.", ("$12,681.77", "$12,681.87")),
        ({"term_months": 360}, "The term is 30 years.", ("30 years", "31 years")),
        ({"rating": 8.7}, "It is rated 8.7/10.", ("8.7/10", "8.4/10")),
        ({"at": "2025-10-16T15:00"}, "C'est confirmé à 15 h.", ("à 15 h", "à 14 h")),
        ({"additions": 210, "deletions": 198}, "The diff is +210 -198.", ("-198", "-197")),
    ],
)
def test_figures_as_people_write_them(result, answer, change):
    """Amounts, durations, scores, times and diffs are present in common spellings."""
    assert missing(result, answer) == []
    assert missing(result, answer.replace(*change)) != []


TEAM = [{"name": "Mara Lind", "days": 12}, {"name": "Tom Brandt", "days": 3}, {"name": "Sina Kuhn"}]
GRADES = [
    {"name": "Emil Voss", "math": 2.3, "english": 1.7},
    {"name": "Lina Aydin", "math": 1.3, "english": 2.0},
]
STOCK = {"on_hand": 1280, "reserved": 340, "reorder_point": 500, "inbound": {"qty": 2000, "n": 4}}
MENU = [{"dish": "Mushroom risotto", "price": 18.5}, {"dish": "Cauliflower steak", "price": 17.0}]


@pytest.mark.parametrize(
    ("result", "answer", "change"),
    [
        ({"total": 214}, "Over 200 results.", ("200", "300")),
        ({"total": 187}, "Nearly 200 results.", ("200", "300")),
        ({"start": "2026-12-09T17:30"}, "It is at 5.30 pm.", ("5.30", "5.40")),
        (STOCK, "1,280 on hand, 940 free.", ("940", "980")),
        (MENU, "Only the Cauliflower steak is vegan; else the risotto at 18.50.", ("18.5", "19.5")),
    ],
)
def test_figures_in_short_answers(result, answer, change):
    """Rounded numbers, times with a dot, the rest of a stock and parts of names are present."""
    assert missing(result, answer) == []
    assert missing(result, answer.replace(*change)) != []


def test_duration_in_a_code_of_an_error():
    """The code of an error has a duration as words have it."""
    error = {"success": False, "reason": "inside_24h_window"}

    assert missing(error, "It is less than 24 hours away.", error=True) == []
    assert missing(error, "It is less than 48 hours away.", error=True) != []


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (TEAM, "You are three: Mara Lind (12 days left), Tom Brandt (3) and Sina Kuhn (none)."),
        (GRADES, "Lina is ahead in math (1.3 vs. 2.3), Emil in English (1.7 vs. 2.0)."),
    ],
)
def test_values_in_brackets_are_not_of_the_next_name(result, answer):
    """A count before the names, and a comparison, are no pairs of names and values."""
    assert missing(result, answer) == []


def test_values_after_a_leading_count_belong_to_their_names():
    """A count before a list of names leaves the pairs of the list."""
    answer = "Two people: Mara Lind (12 days) and Tom Brandt (3 days)."

    assert missing(TEAM, answer) == []
    assert missing(TEAM, "Two people: Mara Lind (3 days) and Tom Brandt (12 days).") != []


def test_a_part_of_the_name_of_a_stated_record_is_no_excuse():
    """Two ships with a common first word, each by the rest of its name, have their own times."""
    ships = [
        {"name": "MV Stena Spirit", "price": 210},
        {"name": "MV Stena Vision", "price": 190},
    ]

    assert missing(ships, "The Stena Spirit costs $210 and the Stena Vision $190.") == []
    assert missing(ships, "The Stena Spirit costs $190 and the Stena Vision $210.") != []


RENTS = {"units": [{"unit": "3B", "rent": 1450}, {"unit": "5C", "rent": 1380}], "currency": "USD"}
BILL = {"line": {"plan": "Kids"}, "bill": {"amount_pence": 6400, "due": "2026-12-05"}}
CLAIM = {"reserve": {"amount": 1200.0, "currency": "CHF"}, "paid": 1050.0}
PETS = [{"name": "Bo", "weight_kg": 12.4}, {"name": "Al", "weight_kg": 4.1}]


@pytest.mark.parametrize(
    ("result", "answer", "change"),
    [
        (RENTS, "The rent is 1,380 dollars.", ("dollars", "euros")),
        (RENTS, "The rent is $1,380.", ("$1,380", "1,380 pesos")),
        (RENTS, "The rent is 1,380 bucks.", ("bucks", "francs")),
        ({"rent": 1380.5, "currency": "CLP"}, "It is 1,380.50 pesos.", ("pesos", "kronor")),
        (BILL, "The bill is \u00a364.", ("\u00a3", "\u20ac")),
        (CLAIM, "You were paid 1,050 francs.", ("francs", "euros")),
        (PETS, "Bo weighs 12.4 kg.", ("kg", "pounds")),
        (PETS, "Bo weighs 27.3 pounds.", ("27.3", "12.4")),
    ],
)
def test_currencies_and_pounds_in_words(result, answer, change):
    """Another currency than the declared one is wrong, also in words; pounds may be weight."""
    assert missing(result, answer) == []
    assert missing(result, answer.replace(*change)) != []
