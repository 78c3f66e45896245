"""Correct answers are emitted, and wrong ones that differ little from them are not."""

from __future__ import annotations

import json

import pytest

from abs_shield import AnswerConfig
from abs_shield.answer import Faithfulness
from abs_shield.answer.check_pipeline import Checked, checked
from abs_shield.session import Session

BANK = (
    [
        {"account": "Checking", "last4": "8810", "balance": 2431.77},
        {"account": "Savings", "last4": "4402", "balance": 10250.0},
    ],
    [
        {"date": "2025-04-25", "text": "GROCERIES", "amount": -60.4},
        {"date": "2025-04-28", "text": "SALARY ACME", "amount": 3120.5},
    ],
)


PARCEL = {"id": "P-20418", "carrier": "Northpost", "state": "in transit", "weight_kg": 2.4}


def after(
    *results: object, answer: str, question: str = "Please look it up.", **config: object
) -> Checked:
    """Return the check of an answer in a run with these results."""
    session = Session()
    session.user(question)
    for number, result in enumerate(results):
        session.tool_result("look_up", result, call_id=f"c{number}")
    return checked(answer, session=session, config=AnswerConfig(**config))


TRIP = {"gate": 12, "seat": 14, "day": 2, "date": "2026-05-05", "dose": "1½ tablets"}


@pytest.mark.parametrize(
    "answer",
    [
        "Day 2 – 5 May 2026.",
        "Seat 14 - 5 May 2026.",
        "Seat 14 and 5 May 2026 fit.",
        "Gate 12 - 5 May.",
        "Take one and a half tablets twice a day.",
        "A thirty-year mortgage is offered.",
        "About two dozen people came.",
    ],
)
def test_a_number_before_a_date_and_a_number_in_words(answer):
    """A number before a date, or written as a word, is emitted."""
    assert "emit" == after(TRIP, answer=answer).report.action


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        ("Didn't the parcel leave on May 3? It did.", "The parcel did leave on May 3."),
        ("Isn't the ticket refundable? Yes.", "The ticket is refundable."),
        (
            "The country doesn't match your account.",
            "1. Verify that the country matches your account.",
        ),
    ],
)
def test_a_question_and_a_request_deny_nothing(answer, evidence):
    """A negative question in the answer, or a request in the evidence, contradicts nothing."""
    report = checked(answer, evidence=evidence)

    assert "contradicted" not in {one.status for one in report.report.claims}


@pytest.mark.parametrize(
    ("answer", "evidence", "least"),
    [
        ("What is your order number for the $900 TV?", "The TV costs $100.", "block"),
        ("When will you pay the $900 fee?", "The fee is $100.", "block"),
        ("It is 2026-05-03T18:30:00-08:00.", "It is 2026-05-03T18:30:00+02:00.", "revise"),
        ("It is 2026-05-03T18:30:59.", "It is 2026-05-03T18:30:00.", "revise"),
        ("I asked the sales rep. The museum is open on Mondays.",
         "The museum is closed on Mondays.", "block"),
    ],
)  # fmt: skip
def test_a_question_an_offset_and_a_rank_hide_no_falsehood(answer, evidence, least):
    """A wrong value in a question, another UTC offset and a claim after `rep.` are not emitted."""
    assert least == checked(answer, evidence=evidence).report.action


def test_a_sum_behind_many_figures_is_not_absent():
    """A sum after many figures is emitted, but an invented figure there is not."""
    rows = [{"item": f"B{n}", "qty": 3, "price": round(5.13 + n, 2)} for n in range(250)]
    table = "\n".join(f"{row['item']}: ${row['price']:.2f} x 3" for row in rows)
    total = rows[-1]["price"] + rows[-2]["price"]

    assert (
        "emit" == after(rows, answer=f"{table}\nTogether they come to ${total:.2f}.").report.action
    )
    assert "emit" != after(rows, answer=f"{table}\nThe B999 costs $9999.41.").report.action


@pytest.mark.parametrize(
    "answer",
    [
        "Done!",
        "It is on its way to you with Northpost.",
        "Your parcel is being carried by Northpost and should be fine.",
        "Someone will have to be at home when it comes.",
        "I haven't opened a dispute about P-20418 yet.",
    ],
)
def test_paraphrase_of_a_result_is_emitted(answer):
    """A paraphrase of a result is emitted in a run, whatever its lexical score."""
    result = after(PARCEL, answer=answer)

    assert "emit" == result.report.action
    assert all(0 <= one.words <= 1 for one in result.claims)
    assert {"grounded"} >= {one.status for one in result.report.claims}


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("Your parcel P-20418 weighs 4.2 kg.", "revise"),
        ("Your parcel P-20481 is in transit.", "revise"),
        ("I have cancelled parcel P-20418.", "block"),
    ],
)
def test_value_or_action_without_evidence_is_not_emitted(answer, action):
    """A figure or id without evidence is revised, and an action without a call blocked."""
    assert action == after(PARCEL, answer=answer).report.action


def test_words_may_gate_a_run():
    """With `words="gate"` the lexical score gates a run as it does documents."""
    answer = "Your parcel is on a bicycle tour through Patagonia."

    assert "emit" == after(PARCEL, answer=answer).report.action
    assert "revise" == after(PARCEL, answer=answer, words="gate").report.action
    assert "revise" == checked(answer, evidence="Parcel P-20418 is in transit.").report.action


@pytest.mark.parametrize(("probability", "action"), [(0.95, "emit"), (0.05, "block")])
def test_paraphrase_is_sent_to_the_verifier(probability, action):
    """A verifier decides a claim that shares few words with the evidence."""
    requests: list[str] = []

    def verifier(premise: str, claims: list[str]) -> list[float]:
        requests.extend(claims)
        return [probability] * len(claims)

    answer = "It is on a bicycle tour through Patagonia."
    result = after(PARCEL, answer=answer, verifier=verifier)

    assert [answer] == [*dict.fromkeys(requests)]
    assert action == result.report.action


def test_amounts_of_two_records_in_one_answer():
    """Amounts of two results in one answer are not contradicted."""
    result = after(
        *BANK,
        question="What is my balance, and is my salary in?",
        answer="Your checking account (8810) has €2,431.77. Your salary came in on 28 April:"
        " €3,120.50.",
    )

    assert [] == [one.contradicted for one in result.claims if one.contradicted]
    assert [] == [
        miss.text for one in result.claims for miss in one.missing if miss.kind == "money"
    ]
    assert "block" != result.report.action


@pytest.mark.parametrize(
    ("field", "amount"),
    [("prix", "8,00 €"), ("preis", "8,00 €"), ("cena", "8,00 zł"), ("금액", "8.00 €")],
)
def test_an_amount_under_a_field_in_another_language(field, amount):
    """A field in another language has amounts of money, and another amount is not emitted."""
    result = {field: "8,00"}

    assert "emit" == after(result, answer=f"AD: {amount}.").report.action
    assert "emit" != after(result, answer=f"AD: {amount.replace('8', '9')}.").report.action


def test_an_amount_with_a_code_behind_it():
    """An amount may have a currency sign and a currency code."""
    fares = {"fares": [{"class": "basic", "price": "60 EUR"}, {"class": "bag", "price": "35 EUR"}]}
    result = after(fares, answer="The basic fare is €60, and a bag is another €35.")

    assert [] == [
        miss.text for one in result.claims for miss in one.missing if miss.kind == "money"
    ]


def test_a_wrong_amount_is_contradicted_by_its_record():
    """A wrong amount contradicts its record, and the message contains the record's amount."""
    result = after(*BANK, answer="The balance of account 8810 is €2,413.77.")

    assert "2431.77" in result.claims[0].contradicted
    assert "block" == result.report.action


def names_missed(answer: str, evidence: object) -> list[str]:
    """Return the names of *answer* that its documents do not contain."""
    report = checked(answer, evidence=json.dumps(evidence))
    return [miss.text for one in report.claims for miss in one.missing if miss.kind == "name"]


def test_a_name_behind_a_title_is_a_name():
    """A name after a title is judged, and the title is not part of it."""
    visit = {"doctor": "Ada Okafor", "room": "2.14"}

    assert ["Okonkwo"] == names_missed("You'll see Dr. Okonkwo in room 2.14.", visit)
    assert [] == names_missed("You'll see Dr. Okafor in room 2.14.", visit)
    assert [] == names_missed("You'll see Prof. Okafor in room 2.14.", visit)
    assert ["Okonkwo"] == names_missed("You'll see Capt. Okonkwo in room 2.14.", visit)
    assert [] == names_missed("On Monday Prof. Okafor is in room 2.14.", visit)


@pytest.mark.parametrize("word", ["APR", "MAR", "JAN", "DEC", "SEP"])
def test_apr_is_not_read_as_april(word):
    """ "APR" as a percentage rate is not read as April."""
    evidence = {word.lower(): 6.9, "loan": "L-20418"}

    assert [] == names_missed(f"Loan L-20418 has an {word} of 6.9%.", evidence)


@pytest.mark.parametrize("day", ["5 APR 2024", "APR 5, 2024", "Apr. 5, 2024", "APR 2024"])
def test_capital_month_in_a_date_is_a_month(day):
    """A month in capitals beside a day or a year is read as a month."""
    assert [] == names_missed(f"The loan began on {day}.", {"loan": "L-20418", "on": "2024-04-05"})


@pytest.mark.parametrize(
    "answer",
    [
        "You know I'd take the visit on Thursday.",
        "The visit is on Thursday, October 16, at 9:00 UTC.",
        "Note that it'd be closed on Sundays.",
    ],
)
def test_contractions_and_weekdays_are_no_names(answer):
    """Contractions and weekdays are not names."""
    visit = {"visit": "2025-10-16T09:00:00Z", "closed": "weekends"}

    assert [] == names_missed(answer, visit)


SPELLINGS = [
    ("There were two hundred and six guests.", "There were 206 guests."),
    ("The crossing takes 2 hours.", "The crossing takes 120 minutes."),
    ("The crossing takes 120 minutes.", "The crossing takes 2 hours."),
    ("The parcel weighs 1500 g.", "The parcel weighs 1.5 kg."),
    ("The parcel weighs 1.5 kg.", "The parcel weighs 1500 g."),
    ("The ferry leaves at 6:30 pm.", "The ferry leaves at 18:30."),
    ("The ferry leaves at 18:30.", "The ferry leaves at 6:30 pm."),
    ("It was built on 5 May 2024.", "It was built on 2024-05-05."),
    ("The pass costs $1,200.", "The pass costs 1200 USD."),
    ("The box holds a dozen eggs.", "The box holds 12 eggs."),
    ("The box holds 12 eggs.", "The box holds a dozen eggs."),
    ("You get half a dozen tickets.", "You get 6 tickets."),
    ("The box holds 24 eggs.", "The box holds two dozen eggs."),
    ("The crossing takes one and a half hours.", "The crossing takes 90 minutes."),
    ("The crossing takes 1.5 hours.", "The crossing takes one and a half hours."),
    ("The fair is open from May 10 to May 12.", "The fair is open from 10 to 12 May."),
]


@pytest.mark.parametrize(("answer", "evidence"), SPELLINGS)
def test_a_figure_in_another_spelling(answer, evidence):
    """A figure in another spelling is emitted beside documents and in a run."""
    beside = checked(answer, evidence=evidence)
    guard = Faithfulness(provider="lexical", context=evidence).check(answer)

    assert ("emit", "emit") == (beside.report.action, after(evidence, answer=answer).report.action)
    assert [()] == [one.missing for one in beside.claims]
    assert guard.passed


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("There were two hundred and six guests, and Mia Borg sang.", "Mia Borg"),
        ("Mia sang for two hundred and six guests until 23:45.", "23:45"),
    ],
)
def test_offsets_are_right_beside_another_spelling(answer, text):
    """A missing value has the right offsets beside a figure in another spelling."""
    (claim,) = checked(answer, evidence="There were 206 guests.").claims[-1:]

    assert text in {answer[miss.start : miss.end] for miss in claim.missing}
    assert all(answer[miss.start : miss.end] == miss.text for miss in claim.missing)


MEETINGS = [
    {"title": "Standup", "start": "2025-05-05T09:00", "end": "2025-05-05T09:15"},
    {"title": "Budget review", "start": "2025-05-05T14:00", "end": "2025-05-05T15:30"},
]
TRAINS = [
    {"train": "ICE 599", "dep": "08:05", "arr": "12:07", "platform": 5},
    {"train": "ICE 701", "dep": "10:05", "arr": "14:02", "platform": 7},
]
VISITS = [
    {"id": "A-1", "doctor": "Dr. Keller", "at": "2025-10-14T09:30", "room": "2.14"},
    {"id": "A-2", "doctor": "Dr. Novak", "at": "2025-10-16T15:00", "room": "1.02"},
]
SHIPS = [
    {"ship": "MV Stena Spirit", "eta": "2026-11-27T07:15", "draught": 6.7},
    {"ship": "Maersk Hidalgo", "eta": "2026-11-27T09:40", "draught": 12.4},
]
INVOICES = [
    {"invoice": "INV-1", "customer": "Acme Corp", "due": "2025-05-01", "days_late": 12},
    {"invoice": "INV-2", "customer": "Beta LLC", "due": "2025-05-20", "days_late": 0},
]


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (MEETINGS, "There is the standup at 9:00 and the budget review from 2 to 3:30 pm."),
        (MEETINGS, "Standup ends at 9:15. Your next meeting starts at 14:00."),
        (MEETINGS, "The budget review is at 14:00, hours after the standup."),
        (TRAINS, "Take ICE 599 at 08:05. If you miss it, there is another one at 10:05."),
        (TRAINS, "If you take ICE 701, you leave at 10:05 instead of 08:05."),
        (TRAINS, "ICE 599 leaves at 08:05. At 10:05 there is a later train."),
        (VISITS, "You can move A-2 to any day after October 14."),
        (VISITS, "You see Dr. Keller on October 14. The dentist comes later, on October 16."),
        (VISITS, "Dr. Keller ist am 14. Oktober frei. Der Zahnarzt erst am 16. Oktober."),
        (SHIPS, "Two ships come: Stena Spirit (07:15) and Maersk Hidalgo (09:40)."),
        (INVOICES, "Acme Corp is 12 days late. The other invoice is due on May 20."),
        (INVOICES, "Beta LLC's invoice is due 19 days after the first one (May 1)."),
        (BANK, "You spent $60.40 on groceries. Your salary of $3,120.50 came in on April 28."),
    ],
)  # fmt: skip
def test_moments_of_two_records(result, answer):
    """A date that a sentence relates to another record does not block."""
    results = result if isinstance(result, tuple) else (result,)

    assert "block" != after(*results, answer=answer).report.action


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (MEETINGS, "The Budget review begins at 9:00."),
        (TRAINS, "ICE 599 leaves at 10:05."),
        (SHIPS, "Maersk Hidalgo comes at 07:15 and Stena Spirit at 09:40."),
        (TRAINS, "- ICE 599: leaves at 10:05\n- ICE 701: leaves at 08:05"),
        (VISITS, "Dr. Keller sees you on October 16."),
    ],
)
def test_a_moment_of_another_record(result, answer):
    """A date of another record is revised or blocked."""
    assert after(result, answer=answer).report.action in ("revise", "block")


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("Breakfast is not included.", "Breakfast is included."),
        ("Pets are not allowed.", "Pets are allowed."),
        ("Sales fell by 12 %.", "Sales rose by 12 %."),
        ("The invoice has not been paid.", "The invoice has been paid."),
        ("The payment failed.", "The payment succeeded."),
        ("Your flight is not confirmed.", "Your flight is confirmed."),
    ],
)
def test_short_contradiction_is_not_emitted(sentence, claim):
    """A two-word claim that negates the evidence is not emitted."""
    assert "emit" != after(sentence, answer=claim).report.action
    assert "emit" == after(sentence, answer=sentence).report.action


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("The pool is closed for repairs until June 1.", "After June 1 the pool is open again."),
        ("Check-in opens at 15:00.", "Until 15:00 check-in is closed."),
        ("Breakfast is not included in the basic rate.", "Breakfast is included in the flex rate."),
    ],
)
def test_states_that_change(sentence, answer):
    """A state that the evidence limits to a time or a condition does not block."""
    assert "block" != after(sentence, answer=answer).report.action


HOTELS = "The Alder hotel has 85 rooms. The Birch hotel has 95 rooms. Both hotels have 180 rooms."


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("The Alder hotel has 85 rooms.", True),
        ("The Alder hotel has 85 rooms, and the Birch hotel has 95 rooms.", True),
        ("Both hotels have 180 rooms.", True),
        ("The Alder hotel has 95 rooms.", False),
        ("The Birch hotel has 85 rooms.", False),
    ],
)
def test_numbers_of_running_text(answer, emitted):
    """A number is emitted only if the sentence of the evidence on that subject has it."""
    assert emitted == (after(HOTELS, answer=answer).report.action == "emit")


CLASS = {"title": "Yoga flow", "start_time": "18:15", "duration_min": 75}
FLIGHTS = [
    {"flight": "SK 1472", "dep": "07:05", "duration": "1h 55m", "price": 129},
    {"flight": "DY 931", "dep": "12:40", "duration": "2h05m", "price": 98},
]


@pytest.mark.parametrize(
    ("evidence", "answer"),
    [
        (CLASS, "It ends at 19:30."),
        ({"starts": "18:15", "length": "three quarters of an hour"}, "It is 18:15 to 19:00."),
        ({"film": "Dune", "starts": "20:15", "runtime": "2h 35m"}, "Dune ends at 22:50."),
        ({"room": "Oak", "start": "14:00", "duration": "PT1H30M"}, "Oak is free at 15:30."),
        ({"trip": "an hour and a half"}, "The trip takes 90 minutes."),
        ({"trip": "PT2H20M"}, "The trip takes 2 hours 20 minutes."),
        ({"wait": "half an hour"}, "You wait 30 minutes."),
        (FLIGHTS, "SK 1472 leaves at 07:05 and lands at 09:00. DY 931 leaves at 12:40."),
        (FLIGHTS, "DY 931 leaves at 12:40 and lands at 14:45."),
    ],
)
def test_the_end_of_a_start_and_a_duration(evidence, answer):
    """An end time follows from a start and a duration; another time does not."""
    assert "emit" == after(evidence, answer=answer).report.action


@pytest.mark.parametrize(
    ("evidence", "answer"),
    [
        (CLASS, "It ends at 19:35."),
        ({"starts": "18:15", "length": "three quarters of an hour"}, "It is 18:15 to 19:15."),
        ({"trip": "an hour and a half"}, "The trip takes 80 minutes."),
        (FLIGHTS, "SK 1472 lands at 14:45."),
    ],
)
def test_another_end_than_that_of_the_duration(evidence, answer):
    """An end time of another duration, or of another record, is not emitted."""
    assert "emit" != after(evidence, answer=answer).report.action


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("Po przelewie saldo: 3 310,22 zł.", True),
        ("Na koncie jest 1 234 567,89 zł, zostało 3 310,22.", True),
        ("Po przelewie saldo: 3 310,32.", False),
    ],
)
def test_groups_of_a_number_with_decimals(answer, emitted):
    """A number in groups with blanks keeps its decimals."""
    evidence = {"saldo": 3310.22, "konto": 1234567.89}

    assert emitted == (after(evidence, answer=answer).report.action == "emit")


LOANS = {
    "loans": [
        {"loan_id": "L551", "title": "The Overstory", "due": "2026-11-30"},
        {"loan_id": "L560", "title": "Piranesi", "due": "2026-12-19"},
    ]
}


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("I see The Overstory: it is now due on December 21.", True),
        ("The Overstory is extended. It is now due on December 21.", True),
        ("The Overstory is due on December 21, Piranesi on December 19.", True),
        ("Piranesi is due on December 21.", False),
        ("The Overstory is extended; Piranesi is due on December 21.", False),
    ],
)
def test_a_record_that_a_later_result_changed(answer, emitted):
    """The new value of a record is found in a later result with its id, or of a call with it."""
    for result, arguments in (
        ({"loan_id": "L551", "due": "2026-12-21"}, {}),
        ({"id": "L551", "due": "2026-12-21", "fee": 0.0}, {}),
        ({"due": "2026-12-21", "renewals": "one"}, {"loan_id": "L551"}),
    ):
        call = {"name": "renew_loan", "arguments": json.dumps(arguments)}
        session = Session()
        session.user("Please look it up.")
        session.tool_result("list_loans", LOANS, call_id="c0")
        session.add(
            [
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "c1", "type": "function", "function": call}],
                },
                {"role": "tool", "tool_call_id": "c1", "content": json.dumps(result)},
            ]
        )
        check = checked(answer, session=session, config=AnswerConfig())

        assert emitted == (check.report.action == "emit"), result


RATES = {"limit_kwh": 40, "price_per_kwh": 0.59, "monthly": "23,40", "unit_p": 27.4}


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("40 kWh at 0.59 per kWh cost at most 23.60.", True),
        ("40 kWh at 27.4p per kWh are £10.96.", True),
        ("Pour 23,40 € par mois (280,80 € par an).", True),
        ("40 kWh at 0.59 per kWh cost at most 26.30.", False),
        ("40 kWh at 27.4p per kWh are £19.60.", False),
        ("Pour 24,40 € par mois.", False),
        ("Pour 23,40 € par mois (292,80 € par an).", False),
    ],
)
def test_amounts_at_a_rate_and_of_a_year(answer, emitted):
    """An amount of a rate, or of twelve months, follows; another one does not."""
    assert emitted == (after(RATES, answer=answer).report.action == "emit")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("la semana del 21 de diciembre", "Del 21 al 25 de diciembre."),
        ("la semaine du 21 décembre", "Du 21 au 25 décembre."),
        ("dal 21 dicembre", "Dal 21 al 25 dicembre."),
    ],
)
def test_the_first_day_of_a_range(question, answer):
    """The first day of a range has the month of the last day in other languages, too."""
    result = {"days": 5, "until": "2026-12-25"}

    assert "emit" == after(result, question=question, answer=answer).report.action
    wrong = answer.replace("21", "20")
    assert "emit" != after(result, question=question, answer=wrong).report.action


def test_a_position_in_a_recording():
    """A position in hours, minutes and seconds is written without its hours."""
    clip = {"episode": 88, "start": "00:12:40", "end": "00:14:10"}

    assert "emit" == after(clip, answer="The clip runs from 12:40 to 14:10.").report.action
    assert "emit" != after(clip, answer="The clip runs from 12:40 to 14:20.").report.action


CODES = {"total": 148, "by_code": {"E1001": 96, "E2040": 40, "E9": 12}}
REGIONS = [
    {"region": "North", "revenue": 120500, "orders": 310},
    {"region": "South", "revenue": 98200, "orders": 275},
]


@pytest.mark.parametrize(
    ("evidence", "answer", "emitted"),
    [
        (CODES, "148 errors: 96 x E1001 (65%), 40 x E2040 (27%) and 12 x E9 (8%).", True),
        (CODES, "148 errors: 96 x E1001 (65%), 40 x E2040 (27%) and 12 x E9 (9%).", False),
        ({"sent": 12, "accepted": 9}, "9 quotes of the 12 were accepted, or 75%.", True),
        ({"sent": 12, "accepted": 9}, "9 quotes of the 12 were accepted, or 78%.", False),
        ({"sent": 160, "open": 8, "paid": 12}, "8 are open. 12 of 160 are paid (7.5%).", True),
        ({"sent": 160, "open": 8, "paid": 12}, "8 are open. 12 of 160 are paid (5%).", False),
        (REGIONS, "| Revenue | Orders | Avg. |\n|---|---|---|\n| 120,500 | 310 | 388.71 |", True),
        (REGIONS, "| Revenue | Orders | Avg. |\n|---|---|---|\n| 120,500 | 310 | 398.71 |", False),
    ],
)
def test_shares_of_small_counts_and_averages(evidence, answer, emitted):
    """The share of a small count and the average of a row follow from the row."""
    assert emitted == (after(evidence, answer=answer).report.action == "emit")


PATIENT = {"name": "Ines Roth", "born": "1979-12-02", "today": "2026-11-28"}


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("Ines Roth is 46 years old.", True),
        ("Ines Roth ist 46 Jahre alt.", True),
        ("Ines Roth is 47 years old.", False),
        ("Ines Roth has been a patient for 46 years.", False),
    ],
)
def test_an_age_follows_from_a_date_of_birth(answer, emitted):
    """An age in full years follows from two dates; another number of years does not."""
    assert emitted == (after(PATIENT, answer=answer).report.action == "emit")


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("3,5 Stunden zu 62 € (217,00 €)", True),
        ("3,5 Stunden zu 62 € (271,00 €)", False),
    ],
)
def test_a_quantity_at_a_price(answer, emitted):
    """The product of a quantity and its price follows."""
    work = {"stunden": 3.5, "preis": 62}

    assert emitted == (after(work, answer=answer).report.action == "emit")


VISITS = {"name": "Ines Roth", "born": "1979-12-02", "first_visit": "2019-05-01"}


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("Ines Roth was 39 years old at her first visit on 1 May 2019.", True),
        ("Ines Roth is 39 years old.", False),
        ("Ines Roth was 7 years old on 28 November 2026.", False),
    ],
)
def test_an_age_ends_today_or_on_a_stated_date(answer, emitted):
    """The years between two dates of a record are no age unless the sentence names the later."""
    evidence = (VISITS, {"today": "2026-11-28"})

    assert emitted == (after(*evidence, answer=answer).report.action == "emit")


SCANS = [
    {"patient": "Keller", "start": "09:30", "duration_minutes": 50},
    {"patient": "Sato", "start": "10:45", "duration_minutes": 40},
]


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("Keller: 09:30 to 10:20. Sato: 10:45 to 11:25.", True),
        ("Keller: 09:30 to 11:25. Sato comes at 10:45.", False),
        ("Sato comes at 10:45. Keller: 09:30 to 11:25.", False),
    ],
)
def test_an_end_belongs_to_the_start_beside_it(answer, emitted):
    """The end of another record is not the end of this one, although the answer has its start."""
    assert emitted == (after(SCANS, answer=answer).report.action == "emit")


METER = {"meter_days": 212, "kwh": 188, "price_per_kwh": 0.29, "base": 14.5}


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("In 212 days you used 188 kWh at €0.29 per kWh, so €54.52.", True),
        ("In 212 days you used 188 kWh at €0.29 per kWh, so €39,856.00.", False),
    ],
)
def test_a_rated_amount_has_the_rate_as_a_factor(answer, emitted):
    """The product of two other numbers of the sentence is not the amount."""
    assert emitted == (after(METER, answer=answer).report.action == "emit")


PLANS = [{"name": "Basic", "price_per_month": 10.5}, {"name": "Plus", "price_per_month": 21.25}]


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("Basic is $10.50 a month. That is $126.00 per year.", True),
        ("Plus is $21.25 a month. Basic is $10.50 a month, so $126.00 per year.", True),
        ("Plus is $21.25 a month. Basic is $10.50 a month, so $255.00 per year.", False),
    ],
)
def test_the_amount_of_a_year_is_that_of_its_sentence(answer, emitted):
    """Twelve times an amount of another sentence does not follow if the sentence has its own."""
    assert emitted == (after(PLANS, answer=answer).report.action == "emit")


WEIGHTS = "Lathe: 812 kWh\nMill: 455 kWh\nPress: 690 kWh"


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("The Lathe used 812 kWh, the Mill 455 kWh.", True),
        ("The Lathe used 690 kWh, the Mill 455 kWh.", False),
        ("The three machines used 1,957 kWh in total.", True),
    ],
)
def test_one_number_is_no_sum(answer, emitted):
    """The number of another row is not the sum of that row alone."""
    assert emitted == (after(WEIGHTS, answer=answer).report.action == "emit")


PAYMENTS = "- amount: 50.5\n  payee: Spotify\n- amount: 1000.5\n  payee: Apple\n"


@pytest.mark.parametrize(
    ("answer", "emitted"),
    [
        ("Apple had $1,000.50.", True),
        ("Apple had $50.50.", False),
        ("I will send Apple $50.50, as for Spotify.", True),
    ],
)
def test_a_plan_has_new_values(answer, emitted):
    """A planned amount is not that of the record that the plan names."""
    assert emitted == (after(PAYMENTS, answer=answer).report.action == "emit")


@pytest.mark.parametrize(
    ("result", "answer", "emitted"),
    [
        ({"order": "O-3115", "address": "9 Oak St"}, "O-3115 goes to 9 Oak St.", True),
        ({"id": "PU-2", "to": "2026-06-03"}, "PU-2 to 3 June.", True),
        ({"id": "PU-2", "to": "2026-06-03"}, "From 2 to 3 June.", False),
        ({"id": "O-15", "street": "9 Oak St"}, "The address of O-15 to 9 Oak St.", True),
        ({"from": "2027-02-27", "days": 3}, "3 days from 27 February: until 2 March.", True),
        ({"from": "2027-02-27", "days": 3}, "3 days from 27 February: until 3 March.", False),
    ],
)
def test_ids_before_ranges_and_shifted_days(result, answer, emitted):
    """A number of an id begins no range, and a day is shifted in the year of the evidence."""
    assert emitted == (after(result, answer=answer).report.action == "emit")
