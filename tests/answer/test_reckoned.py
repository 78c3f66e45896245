"""Totals of unit prices, and shares, durations and temperatures that an answer computes."""

from __future__ import annotations

import sys

import pytest

from abs_shield.answer.check_pipeline import checked
from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.checks.derived_numbers import _parts
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.session import Session

ORDER = {
    "order": "O-71",
    "lines": [
        {"sku": "A-1", "qty": 3, "unit_price": 19.99},
        {"sku": "B-2", "qty": 2, "unit_price": 5.5},
    ],
}
RAID = {"guild": "Ashen", "cleared": 7, "bosses": 9}


def _misses(answer: str, result: object) -> list[str]:
    session = Session()
    session.user("Tell me about it.")
    session.tool_result("get_it", result)
    scored = hard(claims_of(answer), evidence_of(session), answer=answer)
    return [miss.text for one in scored for miss in getattr(one, "missing", ())]


@pytest.mark.parametrize(
    ("answer", "missed"),
    [
        ("The total is $70.97.", []),
        ("The total for the three is $59.97.", []),
        ("The total is $71.97.", ["$71.97"]),
        ("The total is $25.49.", []),
    ],
)
def test_total_of_unit_prices_is_present(answer, missed):
    """A total of quantities times unit prices is present."""

    assert missed == _misses(answer, ORDER)


@pytest.mark.parametrize(
    ("answer", "missed"),
    [
        ("They cleared 7 of 9, or 78%.", []),
        ("They cleared 7 out of 9 bosses (77.8%).", []),
        ("They cleared seven of the nine bosses, about 78%.", []),
        ("They cleared 7/9, which is 22% short.", []),
        ("They cleared 7 of 9, or 87%.", ["87%"]),
        ("They cleared 87% of all.", ["87%"]),
    ],
)
def test_share_of_counts_in_the_answer_is_present(answer, missed):
    """A percentage of two counts that the answer contains is present."""

    assert missed == _misses(answer, RAID)


@pytest.mark.parametrize("text", ["1 of " * 60_000, "twenty " * 40_000, "9 a" * 80_000, "1/0"])
def test_number_of_parts_is_bounded(text):
    """A text has at most 24 parts."""

    assert len([*_parts(text)]) <= 24


PRICES = {"price": 420, "items": [{"price": 3}, {"price": 4}]}


def _calls(answer: str) -> int:
    """Function calls that a check of *answer* takes: the same on every machine."""
    count = 0

    def counted(_frame: object, event: str, _given: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    session = Session()
    session.tool_result("get_it", PRICES)
    session.user("Tell me about it.")
    sys.setprofile(counted)
    try:
        checked(answer, session=session)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", ["$1 ", "- a: $1\n", "total of $1 each "])
def test_the_work_grows_with_the_figures_and_not_with_their_pairs(unit):
    """Twice as many figures take about twice the calls."""
    few, many = _calls(unit * 200), _calls(unit * 400)

    assert many < 2.5 * few


def test_figures_behind_the_500th_are_looked_up():
    """An invented figure after the 500th is missing, and the report notes the cut."""
    session = Session()
    session.tool_result("get_it", PRICES)
    report = checked("It costs $420. " * 500 + "It costs $77. It costs $420.", session=session)
    short = checked("It costs $420. " * 499 + "It costs $77.", session=session)

    assert "figures_cut" in report.notes
    assert "figures_cut" not in short.notes
    assert ["$77"] == [miss.text for one in report.claims for miss in one.missing]
    assert ["$77"] == [miss.text for one in short.claims for miss in one.missing]


def test_a_total_behind_the_500th_figure_is_reckoned():
    """A total after the 500th figure is present up to a number of absent figures."""
    session = Session()
    session.tool_result("get_it", {"prices": [420, 80]})
    list_schema = "One costs $420, one $80. " * 250
    total = "The total is $500. "
    report = checked(list_schema + total, session=session)
    many = checked(list_schema + total * 501, session=session)

    assert [] == [miss.text for one in report.claims for miss in one.missing]
    assert ["$500"] == [miss.text for one in many.claims for miss in one.missing]


EVENTS = [
    {"title": "Team Sync", "start": "2024-05-15T10:00", "end": "2024-05-15T11:00"},
    {"title": "Tasting", "start": "2024-05-15T12:30", "end": "2024-05-15T13:30"},
    {"title": "Dance", "start": "2024-05-15T20:00", "end": "2024-05-16T00:00"},
    {"title": "Night Watch", "start": "2024-05-15T22:00", "end": "2024-05-16T06:00"},
]


@pytest.mark.parametrize(
    ("answer", "missed"),
    [
        ("The day runs from 10:00 AM to 1:30 PM.", []),
        ("I moved it from 4 pm to 1:30 PM.", ["4 pm"]),
        ("You're free from 6:00 AM to 10:00 AM the next day.", []),
        ("You are free from 11:00 to 12:30.", []),
        ("Night Watch lasts from 22:00 to 06:00.", []),
        ("Somebody is there from 10 AM until 12:00 AM.", []),
        ("Nobody is in at 1:30 PM, nor at 12:30 PM.", []),
        ("Everything is quiet from 22:00 to 10:00.", []),
        ("The first day ends at 1:30 PM, to be followed by 11:00 AM.", []),
        ("You have two hours from 13:30 until 11:00.", ["13:30", "11:00"]),
        ("- **Time:** 1:30 PM \u2013 11:00 AM", ["1:30 PM", "11:00 AM"]),
        ("That leaves 12:30 - 11:00 = 1:30.", []),
        ("It runs for 23 hours, from 11:00 AM to 10:00 AM.", []),
        ("Everybody meets from 11:00 AM to 11:00 AM.", ["11:00 AM", "11:00 AM"]),
    ],
)
def test_period_that_ends_before_it_begins(answer, missed):
    """Times of a period that ends before it begins are missing, unless it may end the next day."""

    assert missed == _misses(answer, EVENTS)


WEATHER = {"city": "Oslo", "temp_c": 20.4, "low": {"temperature": 41, "unit": "fahrenheit"}}


@pytest.mark.parametrize(
    ("answer", "missed"),
    [
        ("It is 20.4\u00b0C in Oslo.", []),
        ("It is 69 \u00b0F (20.4 \u00b0C).", []),
        ("It is 68.7 degrees Fahrenheit.", []),
        ("The low is 5\u00b0C, or 41\u00b0 F.", []),
        ("It is 2\u00b0C warmer than the usual 4 \u00b0C.", []),
        ("Bake it at 41 to 41\u00b0F.", []),
        ("It is 72\u00b0F.", ["72"]),
        ("The low is 18\u00b0C.", ["18"]),
        ("The low is 41\u00b0C.", ["41"]),
    ],
)
def test_a_temperature_in_the_other_unit(answer, missed):
    """A temperature converted and rounded is present; the number with the wrong unit is not."""

    assert missed == _misses(answer, WEATHER)


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("It is 5 \u00b0F.", {"temp_c": -15}),
        ("It is -4 \u00b0F.", {"temp_c": -20}),
        ("The freezer is at -18 \u00b0C, that's 0 \u00b0F.", {"temp_c": -18}),
        ("It is -10 \u00b0C.", {"temp_f": 14}),
    ],
)
def test_a_temperature_below_zero_in_the_other_unit(answer, result):
    """A converted temperature may have another sign."""

    assert [] == _misses(answer, result)


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("Your departure changed from 14:10 to 13:55.", [{"old": "14:10"}, {"new": "13:55"}]),
        ("The outage lasted from 23:40 to 00:25.",
         [{"event": "down", "at": "2026-03-04T23:40"}, {"event": "up", "at": "2026-03-05T00:25"}]),
        ("The train runs from 20:13 to 08:34.",
         {"stops": [{"station": "Wien", "dep": "20:13"}, {"station": "Venezia", "arr": "08:34"}]}),
        ("Quiet hours are 22:00 to 07:00.", "quiet hours start: 22:00\nquiet hours end: 07:00"),
        ("The room is yours from 3 PM until 11 AM.",
         "Check-in: 3 PM to 11 PM\nCheck-out: until 11 AM"),
        ("You're free from 6 pm to 9 am.",
         [{"start": "09:00", "end": "10:00"}, {"start": "17:00", "end": "18:00"}]),
        ("It is set back from 22:00 to 06:00.", [{"at": "06:00"}, {"at": "22:00"}]),
        ("On call is from 08:00 to 08:00 the next day.", {"handover_time": "08:00"}),
        ("Your pace improved from 05:32 to 04:58.", [{"pace": "05:32"}, {"pace": "04:58"}]),
    ],
)  # fmt: skip
def test_period_over_midnight_or_changed_time_is_present(answer, result):
    """A period over midnight, and a change to an earlier time, are present."""

    assert [] == _misses(answer, result)
