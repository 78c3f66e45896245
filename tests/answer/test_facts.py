"""The check of values: values without evidence, and values that follow from it."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from abs_shield.answer.checks.value_check import facts
from abs_shield.answer.claim_types import Claim, Opinion
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.core.events import Proposed, Returned, ToolCall
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.text.sentences import sentence_spans


def opinions(answer: str, *results: Any, user: str = "Tell me about it.") -> list[Opinion]:
    """Return the opinions of the check of values on the sentences of an answer."""
    session = Session()
    session.user(user)
    for n, result in enumerate(results):
        session.tool_result(f"get_{type(result).__name__}", result, call_id=f"c{n}")
    claims = [Claim(answer[start:end], start, end) for start, end in sentence_spans(answer)]
    report = facts(claims, evidence_of(session), answer=answer)
    return [one for one in report if isinstance(one, Opinion)]


def missing(answer: str, *results: Any, user: str = "Tell me about it.") -> list[str]:
    """Return the values of an answer that are missing."""
    return [one.text for some in opinions(answer, *results, user=user) for one in some.missing]


ACCOUNTS = [
    {"account": "Checking", "last4": "8810", "balance": 2431.77},
    {"account": "Savings", "last4": "3342", "balance": 12040.0},
]
SALARY = [{"date": "2025-04-28", "text": "SALARY ACME", "amount": 3120.5}]
HOSTS = [
    {"host": "db-03", "disk": 94, "free_gb": 31},
    {"host": "log-01", "disk": 88, "free_gb": 120},
]
TRAINS = [
    {"train": "EC 51", "departs": "06:28", "arrives": "10:50"},
    {"train": "IC 671", "departs": "08:03", "arrives": "12:50"},
]


def test_amounts_of_several_records_are_named_side_by_side():
    """Amounts of two records in one answer are both present."""
    answer = "Your checking account (8810) has €2,431.77. Your salary on 28 April was €3,120.50."

    assert [] == missing(answer, ACCOUNTS, SALARY)


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("The account 8810 has €12,040.00 and 3342 has €2,431.77.", ACCOUNTS),
        ("EC 51 leaves at 08:03 and IC 671 at 06:28.", TRAINS),
        ("db-03 is at 88% and log-01 at 94%.", HOSTS),
        ("On 3 May it was 7 km/h and 60%; on 4 May it was 5 km/h and 80%.", [
            {"on": "2025-05-03", "wind": 5, "rain": 80},
            {"on": "2025-05-04", "wind": 7, "rain": 60},
        ]),
    ],
)  # fmt: skip
def test_values_swapped_between_two_records_contradict(answer, result):
    """A sentence that swaps the values of two records contradicts them."""
    report = opinions(answer, result)

    assert any("another record" in one.contradicted for one in report)


TABLES = {
    "records": [{"name": "Alder", "price": 349}, {"name": "Birch", "price": 587}],
    "objects under names": {"Alder": {"price": 349}, "Birch": {"price": 587}},
    "numbers under names": {"Alder": 349, "Birch": 587},
    "comma-separated": "name,price\nAlder,349\nBirch,587\n",
    "a table": "| name | price |\n|---|---|\n| Alder | 349 |\n| Birch | 587 |\n",
    "labelled numbers": "Alder: 349\nBirch: 587",
    "labelled items": "- Alder: 349\n- Birch: 587",
    "paragraphs": "name: Alder\nprice: 349\n\nname: Birch\nprice: 587\n",
    "sentences": "Alder costs 349 a month. Birch costs 587 a month.",
}


@pytest.mark.parametrize("result", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize(
    "answer",
    [
        "Alder costs ${} and Birch costs ${}.",
        "Alder: ${}\nBirch: ${}",
        "There are {} at Alder and {} at Birch.",
        "${} (Alder), ${} (Birch)",
        "Alder (${}), Birch (${})",
        "Alder costs ${}.",
        "- **Alder** \u2013 ${}\n- **Birch** \u2013 ${}",
        "| Alder | ${} |\n| Birch | ${} |",
        "You pay ${} for Alder and ${} for Birch.",
    ],
)
def test_a_value_belongs_to_the_row_that_an_answer_names(answer: str, result: Any) -> None:
    """A value is missing if it belongs to another row than the one named."""
    assert [] == missing(answer.format(349, 587), result)
    assert missing(answer.format(587, 349), result)


@pytest.mark.parametrize(
    "result",
    [
        [{"name": "Alder", "rooms": 3}, {"name": "Birch", "rooms": 5}],
        {"Alder": {"rooms": 3}, "Birch": {"rooms": 5}},
        "name,rooms\nAlder,3\nBirch,5\n",
        "Alder has 3 rooms. Birch has 5 rooms.",
    ],
)
def test_swapped_small_counts_are_missing(result: Any) -> None:
    """A small count needs no evidence unless it belongs to another row than the one named."""
    assert [] == missing("Alder has 3 rooms and Birch has 5.", result)
    assert ["5", "3"] == missing("Alder has 5 rooms and Birch has 3.", result)
    assert [] == missing("I compared 2 houses: Alder and Birch. The larger has 5 rooms.", result)


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("Birch costs $238 more than Alder.", TABLES["records"]),
        ("Alder is cheaper; the other one costs $587.", TABLES["records"]),
        ("In total it is $936: Alder costs $349 and Birch $587.", TABLES["numbers under names"]),
        ("The price is $349 and the fee $12.", {"Price": 349, "Fee": 12}),
        ("Rooms cost $349 a night.", "Price: 349\nDeposit: 100\nRooms: 3"),
        ("Order A-1001 comes to $349 for 3 rooms.", "Order: A-1001\nTotal: 349\nRooms: 3"),
        ("It leaves Boston at 10:00 and lands at 12:00.",
         {"departure": {"city": "Boston", "time": "10:00"},
          "arrival": {"city": "Bern", "time": "12:00"}}),
        ("Alder has 85 rooms; 95 people work there.", "Alder has 85 rooms. It has 95 staff."),
    ],
)  # fmt: skip
def test_computed_values_belong_to_no_row(answer: str, result: Any) -> None:
    """Differences, sums and other fields of a record belong to no row."""
    assert [] == missing(answer, result)


def test_counts_are_bound_to_the_record_that_a_sentence_names():
    """A count is missing if it belongs to another record than the one named."""

    assert ["88%", "120"] == missing("db-03 is at 88% with 120 GB free.", HOSTS)
    assert [] == missing("db-03 is at 94% with 31 GB free.", HOSTS)


@pytest.mark.parametrize(
    ("answer", "result", "text"),
    [
        ("It weighs 412.5 lb.", {"weight_kg": 412.5}, "412.5"),
        ("It uses 1,843 GiB.", {"unit": "MiB", "series": [{"value": 1843}]}, "1,843"),
        ("You got 6,760.00 euros.", {"paid": {"amount": "6760.00", "currency": "CZK"}}, "6,760.00"),
        ("It costs $0.18.", {"call": {"per_minute": 0.18}, "currency": "GBP"}, "$0.18"),
    ],
)
def test_a_number_in_another_unit_contradicts(answer, result, text):
    """A number contradicts the evidence if it has another unit or currency."""
    (report,) = opinions(answer, result)

    assert "another unit" in report.contradicted
    assert text in report.missing[0].text


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("It weighs 412.5 kg.", {"weight_kg": 412.5}),
        ("It uses 1.8 GiB.", {"unit": "MiB", "series": [{"value": 1843}]}),
        ("It runs at 48.2 Mbit/s.", {"down_kbps": 48210}),
        ("It costs $18.00.", {"price": 18.0, "currency": "AUD"}),
        ("They weigh 412.5 kg and 388 kg: 800.5 kg in all, or 0.8 tonnes.", [
            {"weight_kg": 412.5}, {"weight_kg": 388},
        ]),
    ],
)  # fmt: skip
def test_a_number_may_be_written_in_another_unit(answer, result):
    """A number converted to another unit is present."""

    assert [] == missing(answer, result)


@pytest.mark.parametrize(
    ("answer", "result", "texts"),
    [
        ("Your balance is $120.50.", {"balance": -120.5}, ["$120.50"]),
        ("Your balance is $-120.50.", {"balance": -120.5}, []),
        ("Your balance is $-120.50.", {"balance": 120.5}, ["$-120.50"]),
        ("Your balance is minus $120.50.", {"balance": -120.5}, []),
        ("Your balance is minus $120.50.", {"balance": 120.5}, ["$120.50"]),
        ("Your balance is -$120.50.", {"balance": -120.5}, []),
        ("You are overdrawn by $120.50.", {"balance": -120.5}, []),
        ("It is 5 degrees.", {"temperature": -5}, ["5"]),
        ("It is -5 degrees.", {"temperature": 5}, ["-5"[1:]]),
        ("It is minus 5 degrees.", {"temperature": -5}, []),
    ],
)
def test_sign_of_a_number_is_compared(answer, result, texts):
    """A number with the opposite sign is missing unless a word states the sign."""

    assert texts == missing(answer, result)


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("Revenue grew by 20%.", []),
        ("Revenue fell by 20%.", ["20%"]),
        ("Revenue growth was 20%, while costs fell.", []),
        ("Churn dropped by 3%.", []),
        ("Churn rose by 3%.", ["3%"]),
    ],
)
def test_direction_of_a_change_is_compared(answer, texts):
    """A stated fall does not match a field whose name says growth."""
    assert texts == missing(answer, {"revenue_growth_pct": 20, "churn_decrease_pct": 3})


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("Two nights cost $241.", []),
        ("Two nights cost $251.", ["$251"]),
        ("Sales grew by 20%.", []),
        ("Sales grew by 25%.", ["25%"]),
        ("Sales grew by 16.7%.", ["16.7%"]),
        ("Sales were 16.7% lower in 2022.", []),
        ("Sales in 2022 were 83.3% of those in 2023.", []),
    ],
)
def test_arithmetic_on_a_short_text(answer, texts):
    """A multiple or growth that follows from one sentence is present."""
    prose = "A night costs $120.50. Sales were $10 million in 2022, and $12 million in 2023."

    assert texts == missing(answer, prose)


@pytest.mark.parametrize(
    ("answer", "result", "texts"),
    [
        ("You get $465 of the $615. The missing $150 is not covered.", {
            "paid": 465, "claimed": 615}, []),
        ("The rent is €985 for 74.5 m², around €13.22 per square metre.", {
            "rent": 985, "area_m2": 74.5}, []),
        ("It is €2,955, in three instalments of €985.", {"deposit": 2955}, []),
        ("It is €2,955, in three instalments of €975.", {"deposit": 2955}, ["€975"]),
        ("Coverage went from 87.1% to 89.3%, an increase of 2.2 points.", [
            {"rate": 0.871}, {"rate": 0.893}], []),
        ("- Lamp: $49.00\n- 2 bulbs at $6.50: $13.00\n- Shipping: $4.95\n\nTotal: $66.95", {
            "lamp_cents": 4900, "bulb_cents": 650, "shipping_cents": 495}, []),
        ("Last weekend brought 3,518 visitors.", {
            "counts": {"2026-05-02": 1841, "2026-05-03": 2206,
                       "2026-05-09": 1530, "2026-05-10": 1988}}, []),
    ],
)  # fmt: skip
def test_computed_numbers_are_present(answer, result, texts):
    """Differences, quotients, products and sums of figures of a result are present."""

    assert texts == missing(answer, result)


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("There are around 3,400 of them.", []),
        ("There are 3,400 of them.", ["3,400"]),
        ("There are around 3,600 of them.", ["3,600"]),
        ("There are about 3,000 of them.", ["3,000"]),
    ],
)
def test_about_rounds_as_far_as_a_twentieth(answer, texts):
    """A number that the answer calls approximate may differ by a twentieth."""

    assert texts == missing(answer, {"visitors": 3410})


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("Report it within 48 hours.", {"conditions": ["police_report_within_48h"]}),
        ("There were four faults in the past 30 days.", {"faults_30d": 4}),
        ("Il reste 2 871 kWh.", {"kwh": 2871}),
        ("Valid from 2026\u5e744\u670812\u65e5 to 4\u670815\u65e5.",
         {"from": "2026-04-12", "until": "2026-04-15"}),
        ("It is 18p a minute.", {"per_minute": 0.18, "currency": "GBP"}),
        ("- \u20ac14.99 for the plan", {"items": [{"cents": 1499}], "currency": "EUR"}),
    ],
)  # fmt: skip
def test_value_in_another_format_is_present(answer: str, result: Any) -> None:
    """A value is present if the result has it in a name, in groups or in cents."""
    assert [] == missing(answer, result)


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("Report it within 72 hours.", ["72"]),
        ("Il reste 2 872 kWh.", ["872"]),
        ("It is 19p a minute.", ["19"]),
        ("Valid until 4\u670816\u65e5.", ["4\u670816\u65e5"]),
    ],
)
def test_wrong_value_in_another_format_is_missing(answer: str, texts: list[str]) -> None:
    """A wrong value is missing in each of these formats."""
    result = {
        "conditions": ["report_within_48h"], "kwh": 2871, "per_minute": 0.18, "currency": "GBP",
        "until": "2026-04-15",
    }  # fmt: skip

    assert texts == missing(answer, result)


def test_share_of_an_argument_is_present() -> None:
    """A share that follows from the arguments of a call is present; another one is missing."""
    session = Session()
    session.user("What would I pay a month?")
    call = ToolCall("mortgage", {"price": 412_000, "down_payment": 82_400}, "c1")
    session.add([
        {"role": "assistant", "tool_calls": [
            {"id": call.id, "name": call.name, "arguments": dict(call.arguments)}]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"loan": 329600, "monthly": 1712.56}'},
    ])  # fmt: skip
    right, wrong = (
        facts([Claim(text, 0, len(text))], evidence_of(session), answer=text)[0]
        for text in ("With 20% down you borrow $329,600.", "With 15% down you borrow $329,600.")
    )

    assert isinstance(right, Opinion)
    assert isinstance(wrong, Opinion)
    assert not right.missing
    assert ["15%"] == [one.text for one in wrong.missing]


def test_apr_is_not_april():
    """ "APR" is not read as April."""

    assert [] == missing("Your loan has an APR of 6.9%.", {"apr": 6.9})


def test_a_number_with_blanks_between_its_groups():
    """A number with commas matches one with spaces between its groups."""

    assert [] == missing("It made more than 1,000 TWh.", "The plants made more than 1 000 TWh.")


SLOTS = {"slots": ["2025-10-14", "2025-10-16"]}
STAY = {"check_in": "2025-10-13", "check_out": "2025-10-19"}


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("You paid with the card ending in 7781.", []),
        ("Ihre Karte mit der Endung 7781 wurde belastet.", []),
        ("La tarjeta que termina en 7781 se ha cargado.", []),
        ("You paid with the card ending in 7718.", ["7718"]),
        ("You paid with the card 7781.", ["7781"]),
    ],
)
def test_the_end_of_a_longer_number(answer, texts):
    """The last digits of a number are present only if the answer calls them that."""
    assert texts == missing(answer, {"iban": "DE89370400440532017781"})


@pytest.mark.parametrize(
    ("answer", "result", "user", "texts"),
    [
        ("You can come on Friday, October 17.", SLOTS, "When?", ["October 17"]),
        ("You can come on October 17.", SLOTS, "When?", ["October 17"]),
        ("You can come on Thursday, October 16.", SLOTS, "When?", []),
        ("Breakfast on Friday, October 17, is free.", STAY, "When?", []),
        ("Breakfast on Monday, October 17, is free.", STAY, "When?", ["October 17"]),
        ("Friday is October 17.", {"today": "2025-10-14"}, "Is Friday free?", []),
        ("That is October 24.", {"today": "2025-10-14"}, "Is Friday free?", ["October 24"]),
        ("Tomorrow is October 15.", {"today": "2025-10-14"}, "And tomorrow?", []),
        ("It is due on October 17, three days after October 14.", SLOTS, "When?", []),
    ],
)
def test_computed_days_are_present(answer, result, user, texts):
    """A day in a stated range, of the user, or a stated duration later is present."""

    assert texts == missing(answer, result, user=user)


def test_a_value_that_a_newer_result_replaced():
    """A replaced value is missing unless the answer speaks of the past."""
    session = Session()
    session.user("How much data is left?")
    for number, left in enumerate((20480, 25600)):
        call = ToolCall(name="usage", arguments={"customer": "C-9081"}, id=f"c{number}")
        record_of(session).record_event(Proposed((call,)))
        record_of(session).record_event(Returned("usage", {"included_mb": left}, call.id))
    evidence = evidence_of(session)

    def absent(answer: str) -> list[str]:
        report = facts([Claim(answer, 0, len(answer))], evidence, answer=answer)
        return [one.text for some in report if isinstance(some, Opinion) for one in some.missing]

    assert ["20,480"] == absent("Your allowance is 20,480 MB.")
    assert [] == absent("Your allowance is 25,600 MB.")
    assert [] == absent("Your allowance was 20,480 MB before.")


PRICES = {"price": 420, "items": [{"price": 3}, {"price": 4}]}


def _calls(answer: str, result: Any) -> int:
    """Return the function calls that a check of *answer* takes: the same on every machine."""
    count = 0

    def counted(_frame: object, event: str, _given: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        missing(answer, result)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "unit", ["$1 ", "- a: $1\n", "total of $1 each ", "5% of 30 ", "on Friday, May 3, ", "A-1 "]
)
def test_the_work_grows_with_the_text(unit):
    """Checking twice the text takes about twice the calls."""
    few, many = _calls(unit * 2_000, PRICES), _calls(unit * 4_000, PRICES)

    assert many <= 2.2 * few


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("It takes place in 2018-19.", "It takes place in 2018-2019."),
        ("He was third in the 2017-2018 season.", "He was third in the 2017\u201318 season."),
        (
            "In 2011 he joined the 24-hour show.",
            "- In 2011 he joined the show.\n- The show is called 24 hours, and it has 24 parts.",
        ),
    ],
)
def test_running_text_contradicts_no_value_that_it_has(answer, text):
    """A value of running text is neither missing nor contradicted."""
    assert [] == missing(answer, text)
    assert not any(one.contradicted for one in opinions(answer, text))
