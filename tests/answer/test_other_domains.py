"""Honest answers in runs of a hospital, a carrier, a utility, an employer and a library."""

from __future__ import annotations

import pytest

from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.claim_types import Claim, Opinion
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.session import Session
from abs_shield.text.sentences import sentence_spans

WARD = {
    "patients": [
        {
            "patient_id": "PT-40817",
            "name": "Rosa Lindqvist",
            "admitted_on": "2026-03-02",
            "surgery": {"date": "2026-03-09", "start": "07:45", "end": "10:15", "theatre": "OT3"},
            "weight_kg": 68.4,
            "heart_rate": 72,
            "dose_mg": 250,
            "doses_per_day": 3,
        },
        {
            "patient_id": "PT-40822",
            "name": "Omar Beaulieu",
            "admitted_on": "2026-03-04",
            "surgery": {"date": "2026-03-10", "start": "13:30", "end": "15:00", "theatre": "OT1"},
            "weight_kg": 91.0,
            "heart_rate": 88,
            "dose_mg": 500,
            "doses_per_day": 2,
        },
    ]
}
FREIGHT = {
    "consignment": "CN-558210",
    "carrier": "NordCargo",
    "pieces": 14,
    "gross_weight_kg": 1820.5,
    "legs": [
        {
            "leg": 1,
            "vessel": "MS Aurelia",
            "from": "Gdansk",
            "to": "Rotterdam",
            "etd": "2026-05-03T22:10:00Z",
            "eta": "2026-05-06T06:40:00Z",
            "freight_eur": 1240.0,
        },
        {
            "leg": 2,
            "vessel": "MS Petrel",
            "from": "Rotterdam",
            "to": "Bilbao",
            "etd": "2026-05-08T15:00:00Z",
            "eta": "2026-05-11T04:20:00Z",
            "freight_eur": 985.5,
        },
    ],
    "customs_eur": 117.25,
}
STAFF = {
    "team": "T-9",
    "members": [
        {
            "employee_id": "E20931",
            "name": "Ines Varga",
            "annual_days": 28,
            "taken_days": 19,
            "salary": 54600,
            "hired": "2019-09-01",
        },
        {
            "employee_id": "E20977",
            "name": "Tobias Rehn",
            "annual_days": 30,
            "taken_days": 11,
            "salary": 61250,
            "hired": "2021-02-15",
        },
    ],
}
LIB = {
    "card": "LC-77150",
    "loans": [
        {
            "barcode": "30112004417",
            "title": "The Salt Roads",
            "due": "2026-06-12",
            "renewals_left": 2,
            "fine": 0.0,
        },
        {
            "barcode": "30112009981",
            "title": "Winter Orchards",
            "due": "2026-05-29",
            "renewals_left": 0,
            "fine": 3.6,
        },
        {
            "barcode": "30112001203",
            "title": "A Map of Tides",
            "due": "2026-06-01",
            "renewals_left": 1,
            "fine": 1.2,
        },
    ],
    "opening": {"monday": "09:00-18:30", "saturday": "10:00-14:00"},
}
GRID = """- meter: MTR-00731
  month: 2026-01
  usage_kwh: 412.6
  tariff_eur_per_kwh: 0.31
  bill_eur: 127.91
- meter: MTR-00731
  month: 2026-02
  usage_kwh: 371.3
  tariff_eur_per_kwh: 0.31
  bill_eur: 115.10
"""
RESULTS = {"ward": WARD, "freight": FREIGHT, "grid": GRID, "staff": STAFF, "lib": LIB}
HONEST = [
    ("ward", "Rosa is in theatre from 7:45; two hours later, at 9:45, her family may call."),
    ("ward", "Rosa (07:45 to 10:15) is in theatre for 2 hours and 30 minutes (02:30)."),
    ("lib", "The Salt Roads is due on June 12; three days before, on June 9, we remind you."),
    (
        "ward",
        "Rosa Lindqvist (PT-40817) is scheduled for Monday, March 9, from 7:45 to 10:15 in OT3.",
    ),
    ("ward", "Omar Beaulieu goes to theatre on 10 March at 1:30 pm and should be out by 3 pm."),
    ("ward", "Rosa's operation takes two and a half hours, Omar's an hour and a half."),
    ("ward", "Rosa receives 250 mg three times a day, 750 mg in total."),
    ("ward", "Rosa weighs 68.4 kg and Omar 91 kg, a difference of 22.6 kg."),
    ("ward", "1. PT-40817: 9 March, 07:45\n2. PT-40822: 10 March, 13:30"),
    ("ward", "On average the two weigh about 79.7 kg."),
    ("ward", "Both operations are in the week of the 9th."),
    ("ward", "Omar was admitted on 03/04/2026, six days before his operation."),
    ("ward", "Omar's heart rate is 88, about 22% higher than Rosa's 72."),
    ("ward", "There are 2 patients."),
    (
        "ward",
        "Rosa was admitted on Monday, March 2nd, and Omar two days later, on Wednesday, March 4.",
    ),
    (
        "freight",
        "Your consignment CN-558210 (14 pieces, 1,820.5 kg) leaves Gdansk on 3 May at 22:10 UTC.",
    ),
    ("freight", "It reaches Rotterdam on May 6 at 6:40 AM and Bilbao on May 11 at 4:20 AM."),
    (
        "freight",
        "The freight costs €1,240.00 + €985.50 = €2,225.50, plus €117.25 customs: €2,342.75 in total.",  # noqa: E501
    ),
    (
        "freight",
        "Die Fracht kostet 1.240,00 € für den ersten und 985,50 € für den zweiten Abschnitt.",
    ),
    ("freight", "The total is EUR 2,342.75."),
    ("freight", "MS Petrel sails on 2026-05-08 at 15:00 and arrives three days later."),
    ("freight", "It waits in Rotterdam from 6 May to 8 May, about two days."),
    ("freight", "Leg 1 costs roughly 1.2 thousand euros."),
    (
        "freight",
        "| Leg | Vessel | ETD | Cost |\n|---|---|---|---|\n| 1 | MS Aurelia | 03.05.2026 22:10 | €1,240.00 |\n| 2 | MS Petrel | 08.05.2026 15:00 | €985.50 |",  # noqa: E501
    ),
    (
        "grid",
        "Meter MTR-00731 used 371.3 kWh in February 2026, 41.3 kWh less than in January (412.6 kWh).",  # noqa: E501
    ),
    ("grid", "That is a drop of about 10%."),
    ("grid", "February's usage of 371.3 kWh is 10% below January's 412.6 kWh."),
    ("grid", "The bill fell from €127.91 to €115.10, a saving of €12.81."),
    ("grid", "Both months together come to €243.01 for 783.9 kWh."),
    ("grid", "January and February: €243.01 in all."),
    ("grid", "Janvier et février : 243,01 € en tout."),
    ("grid", "At 31 cents per kWh, the January bill is €127.91."),
    ("staff", "Ines Varga (E20931) has 9 days left and Tobias Rehn (E20977) has 19 days left."),
    ("staff", "Together they have 28 days left."),
    ("staff", "Ines has taken 19 of 28 days (68%)."),
    ("staff", "Ines was hired on 1 September 2019 and earns 54,600 a year."),
    ("staff", "Tobias earns 61,250 a year, 6,650 more than Ines."),
    ("staff", "Their salaries add up to 115,850."),
    ("staff", "Ines earns 4,550 per month."),
    ("lib", "You have 3 books on loan, and you owe $4.80 in fines in total."),
    ("lib", "Winter Orchards was due on May 29 and has a fine of 3.60."),
    ("lib", "The Salt Roads is due on Friday, June 12, and can be renewed twice."),
    ("lib", "We are open on Saturdays from 10 am to 2 pm, and on Mondays from 9 to 6:30 pm."),
    (
        "lib",
        "- The Salt Roads (30112004417): due 12 June\n- A Map of Tides (30112001203): due 1 June, fine 1.20",  # noqa: E501
    ),
]
CHANGED = [
    (
        "freight",
        "\u20ac1,240.00 + \u20ac985.50 = \u20ac2,225.50; 2 x \u20ac117.25 = \u20ac254.50.",
        "\u20ac254.50",
    ),
    ("freight", "All in all \u20ac2,425.50 (\u20ac1,240.00 + \u20ac985.50).", "\u20ac2,425.50"),
    ("grid", "\u20ac127.91 - \u20ac115.10 = \u20ac12.18 less than before.", "\u20ac12.18"),
    (
        "ward",
        "Rosa is in theatre from 7:45; two hours later, at 9:15, her family may call.",
        "9:15",
    ),
    ("lib", "The Salt Roads is due on June 12; three days before, on June 8.", "June 8"),
    ("ward", "Rosa Lindqvist is operated on March 10.", "March 10"),
    ("ward", "Omar Beaulieu (PT-40828) is next.", "PT-40828"),
    ("ward", "Rosa receives 250 mg three times a day, 850 mg in total.", "850"),
    ("ward", "Rosa weighs 64.8 kg.", "64.8"),
    ("ward", "Rosa's surgery is from 7:45 to 10:45.", "10:45"),
    ("ward", "PT-40817 was admitted on March 4.", "March 4"),
    ("freight", "The freight costs €1,240.00 + €985.50 = €2,235.50.", "€2,235.50"),
    ("freight", "MS Petrel sails on May 3.", "May 3"),
    ("freight", "MS Aurelia arrives at 4:20 AM.", "4:20 AM"),
    ("freight", "CN-552810 has 14 pieces.", "CN-552810"),
    ("freight", "Customs are €171.25.", "€171.25"),
    ("grid", "The bill fell from €127.91 to €115.10, a saving of €12.18.", "€12.18"),
    ("grid", "It used 317.3 kWh in February.", "317.3"),
    ("grid", "That saves 25%.", "25%"),
    ("grid", "January and February: €234.01 in all.", "€234.01"),
    ("staff", "E20913 has 9 days left.", "E20913"),
    ("staff", "Together they have 37 days left.", "37"),
    ("lib", "You owe $5.80 in fines in total.", "$5.80"),
    ("lib", "The Salt Roads is due on May 29.", "May 29"),
    ("lib", "Winter Orchards is due on June 1.", "June 1"),
    ("lib", "We are open on Saturdays from 10 am to 3 pm.", "3 pm"),
    ("ward", "PT-40822: the surgery ends at 1:30 pm.", "1:30 pm"),
    ("freight", "MS Aurelia, ETA: May 3.", "May 3"),
    ("lib", "Card LC-77510 has three loans.", "LC-77510"),
]


def missing_and_contradicted(run, answer):
    """Return the missing values of an answer and their contradictions."""
    session = Session()
    session.user("Please tell me what you see.")
    session.tool_result("look_up", RESULTS[run])
    spans = sentence_spans(answer)
    claims = tuple(Claim(answer[start:end], start, end) for start, end in spans)
    report = hard(claims, evidence_of(session), answer=answer)
    return [
        (miss.text, one.contradicted)
        for one in report
        if isinstance(one, Opinion)
        for miss in one.missing
    ]


@pytest.mark.parametrize(("run", "answer"), HONEST)
def test_honest_answer_has_no_missing_value(run, answer):
    """An honest answer with sums, rates, shares and rounded figures has no missing value."""
    assert [] == missing_and_contradicted(run, answer)


def test_the_amount_of_another_record_is_missed():
    """An amount is missing if it is not that of the record the sentence names."""
    assert ["\u20ac985.50"] == [
        text for text, _ in missing_and_contradicted("freight", "MS Aurelia costs \u20ac985.50.")
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "Compared with MS Aurelia, the other one costs \u20ac985.50.",
        "I looked at MS Aurelia first. It comes to \u20ac985.50 with the other ship.",
    ],
)
def test_an_amount_beside_the_record_that_a_sentence_names(answer):
    """An amount that a sentence states of something else is not missing."""
    assert [] == missing_and_contradicted("freight", answer)


def test_the_amount_of_another_record_under_a_named_field_is_missed():
    """An amount is missing if it is not that of the named field of the named record."""
    assert [("$1.20", "")] == missing_and_contradicted(
        "lib", "The fine for Winter Orchards is $1.20."
    )


@pytest.mark.parametrize(("run", "answer", "text"), CHANGED)
def test_a_changed_figure_is_missed(run, answer, text):
    """A figure of no record, another record or another field is missing."""
    assert text in {value for value, _ in missing_and_contradicted(run, answer)}


@pytest.mark.parametrize(
    ("run", "answer", "has"),
    [
        ("ward", "Rosa Lindqvist is operated on March 10.", "2026-03-0"),
        ("freight", "The freight of MS Aurelia is \u20ac958.50.", "1240.0"),
        ("lib", "The fine for Winter Orchards is $2.10.", "3.6"),
        ("lib", "Winter Orchards is due on June 1.", "2026-05-29"),
    ],
)
def test_the_value_of_its_own_record_is_reported(run, answer, has):
    """The contradiction contains the value of the record that the sentence names."""
    ((_, messages),) = missing_and_contradicted(run, answer)

    assert has in messages
