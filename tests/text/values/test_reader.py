"""Every figure of a text is found with its value and its place."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.text.values.figure import DATE, ID, MONEY, NUMBER, TIME, Day, Minute, figures_agree
from abs_shield.text.values.figure_reader import figures

TEXTS = st.text(max_size=200) | st.lists(
    st.sampled_from(
        "$ € % 1 12 1,200 2.5 million May 15 th 2024 - : 6 pm am # W-77 [2] twenty five . , \n ( )"
        " 2024-05-15T10:00 https://x.org a@b.org passage 3 Uhr 年 月 １２ \u2013 \u00a0 \\n".split(
            " "
        )
    ),
    max_size=40,
).map(" ".join)


def only(text):
    """The one figure of a text."""
    values = figures(text)

    assert 1 == len(values), values
    return values[0]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("$1,200", MONEY, Decimal(1200)),
        ("1.2 million", NUMBER, Decimal(1_200_000)),
        ("25%", NUMBER, Decimal(25)),
        ("25 percent", NUMBER, Decimal(25)),
        ("twenty-five", NUMBER, Decimal(25)),
        ("one hundred and fifty", NUMBER, Decimal(150)),
        ("12k", NUMBER, Decimal(12_000)),
        ("1.200,50 €", MONEY, Decimal("1200.50")),
        ("€1.200", MONEY, Decimal(1200)),
        ("1 200,50 EUR", MONEY, Decimal("1200.50")),
        ("EUR 30", MONEY, Decimal(30)),
        ("20 dollars", MONEY, Decimal(20)),
        ("$1.2 billion", MONEY, Decimal(1_200_000_000)),
        ("１,２００", NUMBER, Decimal(1200)),
        ("6pm", TIME, Minute(18 * 60)),
        ("6:30 p.m.", TIME, Minute(18 * 60 + 30)),
        ("12:05 AM", TIME, Minute(5)),
        ("18:30", TIME, Minute(18 * 60 + 30, whole=True)),
        ("18 Uhr", TIME, Minute(18 * 60, whole=True)),
        ("noon", TIME, Minute(12 * 60)),
        ("May 15", DATE, Day(None, 5, 15)),
        ("May 15th, 2024", DATE, Day(2024, 5, 15)),
        ("15 May 2024", DATE, Day(2024, 5, 15)),
        ("15. Mai 2024", DATE, Day(2024, 5, 15)),
        ("2024-05-15", DATE, Day(2024, 5, 15)),
        ("15.05.2024", DATE, Day(2024, 5, 15)),
        ("2024年5月15日", DATE, Day(2024, 5, 15)),
        ("2024년 5월 15일", DATE, Day(2024, 5, 15)),
        ("5월 15일", DATE, Day(None, 5, 15)),
        ("June\n   10th 2024", DATE, Day(2024, 6, 10)),
        ("May 2024", DATE, Day(2024, 5, None)),
        ("#W2378156", ID, "w2378156"),
        ("tx_12345", ID, "tx12345"),
        ("3FRNFB", ID, "3frnfb"),
        ("mia.li@x.org", ID, "mia.li@x.org"),
        ("https://www.x.org/a/", ID, "x.org/a"),
        ("report-final.pdf", ID, "report-final.pdf"),
        ("+1 415 555 2671", ID, "14155552671"),
    ],
)
def test_a_figure_has_a_kind_and_a_value(text, kind, value):
    """Worked examples of every form."""
    result = only(text)

    assert (kind, value) == (result.kind, result.value)
    assert not result.soft


@pytest.mark.parametrize(
    ("text", "times"),
    [("Alarms since 22:00: WT07", ["22:00"]), ("At 12:34:56:78", [])],
)
def test_a_colon_behind_a_time_is_punctuation(text, times):
    """A time may stand before a colon, and four groups of digits are no time."""
    assert times == [figure.text for figure in figures(text) if figure.kind == TIME]


@pytest.mark.parametrize(
    "text",
    [
        "3 bags",
        "two films",
        "the 10th",
        "1. First",
        "12 people",
        "COVID-19",
        "MP3",
        "Q4",
        "the 1990s",
    ],
)
def test_what_anybody_counts_is_soft(text):
    """Counts, ordinals, numbers of a list, counting words and words with a digit."""
    assert all(figure.soft for figure in figures(text))
    assert figures(text)


@pytest.mark.parametrize("text", ["2 hours", "5 miles", "13 people", "8%", "thirteen"])
def test_a_measure_is_not_a_count(text):
    """Hours, miles, people, percentages and numbers above twelve are not soft counts."""
    assert not only(text).soft


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("10-12 May", [(None, 5, 10), (None, 5, 12)]),
        ("from 10 to 12 May 2026", [(2026, 5, 10), (2026, 5, 12)]),
        ("the 3rd and 4th of May", [(None, 5, 3), (None, 5, 4)]),
        ("10\u201312 May 2026", [(2026, 5, 10), (2026, 5, 12)]),
        ("2026-05-12 May", [(2026, 5, 12)]),
        ("3/12 May", []),
    ],
)
def test_days_that_share_a_month(text, days):
    """Days of a range or a list have the month that follows the last one."""
    assert days == [tuple(one.value) for one in figures(text) if one.kind == "date"]


@pytest.mark.parametrize(
    "text", ["It rains [2].", "It rains (passage 3).", "See [1, 3-5].", "As source 2 says."]
)
def test_a_citation_is_not_a_figure(text):
    """Numbers of cited sources are not figures."""
    assert [] == figures(text)


def test_an_iso_date_time_is_a_date_and_a_time():
    """A date-time has two figures, which are checked separately."""
    day, at = figures("at 2024-05-28T06:05:00Z")

    assert (Day(2024, 5, 28), Minute(365, whole=True)) == (day.value, at.value)


def test_a_range_of_days_is_two_dates():
    """The month is written once."""
    assert [(None, 5, 20), (None, 5, 22)] == [f.value for f in figures("May 20-22")]
    assert [(None, 5, 20), (2024, 5, 22)] == [f.value for f in figures("May 20-22, 2024")]


def test_the_last_year_of_a_range_may_have_two_digits():
    """The 19 in ``2018-19`` is 2019 or 19; the 25 in ``pages 120-25`` is 25."""
    last = figures("the year 2018-19")[-1]

    assert [Decimal(2019), Decimal(19)] == [*last.values]
    assert [Decimal(25)] == [*figures("pages 120-25")[-1].values]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("a 54,000-seat stadium", 54_000, "seat"),
        ("some 1,200-page book", 1_200, "page"),
        ("20\u00b0C", 20, "\u00b0c"),
        ("20 \u00ba F today", 20, "\u00b0f"),
        ("at 20 degrees Celsius", 20, "\u00b0c"),
        ("at 20 degrees", 20, "degrees"),
    ],
)
def test_the_unit_of_a_number(text, value, unit):
    """A unit may follow a hyphen, and degrees may be written in any form."""
    (one,) = figures(text)

    assert (value, unit) == (one.numbers[0], one.unit)


def test_a_decade_is_soft():
    """With or without an apostrophe."""
    assert [True, True] == [one.soft for one in figures("the 1970s and the 70's")]


def test_a_day_that_can_be_read_two_ways_keeps_both():
    """In numeric dates the month may be either number."""
    assert (Day(2024, 5, 6), Day(2024, 6, 5)) == only("05/06/2024").values


@pytest.mark.parametrize(
    ("said", "stands", "agree"),
    [
        ("1.2 million", "1,234,567", True),
        ("1.2 million", "1,334,567", False),
        ("$79", "79.43", True),
        ("$79.00", "79.43", False),
        ("$20", "-20", True),
        ("$20", "€20", False),
        ("$25", "25%", False),
        ("25%", "0.25", True),
        ("May 15", "2024-05-15", True),
        ("May 15, 2023", "2024-05-15", False),
        ("May 2024", "2024-05-15", True),
        ("May 15", "May 2024", False),
        ("6 PM", "18:00:00", True),
        ("6:00", "18:00:00", True),
        ("6 AM", "18:00:00", False),
        ("2024", "2024-05-15", True),
        ("#W-77120", "w77120", True),
    ],
)
def test_two_figures_are_the_same_as_far_as_the_first_goes(said, stands, agree):
    """Rounding to the digits shown, open years and halves of the day; no other unit."""
    assert agree is figures_agree(only(said), only(stands))


@given(TEXTS)
def test_offsets_are_those_of_the_text(text):
    """For any text the figures are sorted, do not overlap and have correct offsets."""
    values = figures(text)

    assert [figure.text for figure in values] == [text[f.start : f.end] for f in values]
    assert all(one.end <= other.start for one, other in pairwise(values))
    assert all(figure.values for figure in values)


@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "piece",
    ["9", "9,", "1.", "a.", "$", "May ", "1:", "a_1-", "[1,", "twenty ", "@a", "www.a", "\n1. "],
)
def test_long_texts_of_one_piece_are_read(piece, count):
    """Repetitions of any piece are read in linear time."""
    assert isinstance(figures(piece * count), list)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3,54.20", ["3", "54.20"]),
        ("0.31,127.88", ["0.31", "127.88"]),
        ("MT-00451,2026-01,412.5,0.31,127.88", ["412.5", "0.31", "127.88"]),
        ("2,1,200.50,7.5", ["2", "1,200.50", "7.5"]),
        ("52.5200,13.4050", ["52.5200", "13.4050"]),
        ("1,200.50 and 12,5 and 1.200,50", ["1,200.50", "12,5", "1.200,50"]),
        ("1,20,000 and 1,234,567", ["1,20,000", "1,234,567"]),
    ],
)
def test_numbers_that_a_comma_parts(text, found):
    """Thousands come in threes: what does not is several numbers."""
    assert found == [one.text for one in figures(text) if one.kind == "number"]


@pytest.mark.parametrize("length", [40_000, pytest.param(200_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("piece", ["1,2.", "1,", "123,456", ",1"])
def test_endless_rows_of_numbers_are_read(piece, length):
    """Rows of numbers of any length are read in one pass."""
    text = piece * (length // len(piece))
    assert all(text[one.start : one.end] == one.text for one in figures(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("half an hour", ["0.5 hour"]),
        ("an hour and a half", ["1.5 hour"]),
        ("two and a half days", ["2.5 days"]),
        ("two days and a half", ["2.5 days"]),
        ("three quarters of an hour", ["0.75 hour"]),
        ("for an hour", ["1 hour"]),
        ("2h 20m", ["140 minutes"]),
        ("PT1H30M", ["90 minutes"]),
        ("PT90M and $20m", ["90 minutes", "20000000 USD"]),
        ("an hourly rate, an honour, half of it", []),
    ],
)
def test_durations_in_words_and_letters(text, found):
    """A duration has its unit, or minutes if it has hours and minutes."""
    assert found == [f"{one.value.normalize():f} {one.unit}" for one in figures(text)]


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("half past six", 6 * 60 + 30),
        ("at a quarter past seven", 7 * 60 + 15),
        ("at a quarter to nine", 8 * 60 + 45),
        ("quarter to one", 45),
        ("twenty-five past 5", 5 * 60 + 25),
        ("at ten to twelve", 11 * 60 + 50),
    ],
)
def test_times_in_words(text, minutes):
    """A time in words may be in the morning or in the afternoon."""
    (time,) = (one for one in figures(text) if one.kind == "time")

    assert (minutes, True) == (time.value.minutes, time.value.half)


@pytest.mark.parametrize("text", ["ten to twelve people", "half past 13", "a quarter to 9.5 %"])
def test_other_words_than_a_time(text):
    """A range, an hour that does not exist, and a part of a number are no times."""
    assert [] == [one for one in figures(text) if one.kind == "time"]
