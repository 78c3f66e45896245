"""Values for cloze probes: found as the hard checks find them, and compared by value."""

from __future__ import annotations

from itertools import pairwise

import pytest

from abs_shield.answer.claim_types import Claim
from abs_shield.answer.consistency_probes import GAP, ClozeGap, gaps, values_in

ALIKE = [
    ("$1,200", "1200 USD"),
    ("1.2 million", "1,200,000"),
    ("25%", "25 percent"),
    ("twenty-five", "25"),
    ("two hundred and five", "205"),
    ("May 5, 2024", "2024-05-05"),
    ("5 May", "2024-05-05"),
    ("05/04/2024", "2024-04-05"),
    ("6:30 pm", "18:30"),
    ("6pm", "18:00"),
    ("W-77120", "#w77120"),
    ("$1.2k", "$1,200"),
    ("3 lakh rupees", "300,000 INR"),
    ("15. Mai 2024", "2024-05-15"),
    ("2.5k EUR", "2,500 EUR"),
    ("mia.li@x.org", "MIA.LI@X.ORG"),
]
UNLIKE = [
    ("$1,200", "$1,300"),
    ("1.2 million", "1.2 billion"),
    ("May 5, 2024", "2024-05-06"),
    ("May 5, 2023", "2024-05-05"),
    ("6:30 pm", "06:30"),
    ("12pm", "12am"),
    ("W-77120", "W-77121"),
    ("$20", "2024-05-20"),
]


def agrees(one: str, other: str) -> bool:
    """Return whether the value *other* agrees with an answer that contains *one*."""
    return ClozeGap(GAP, values_in(f"it is {one}")[0]).agrees(other)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_equal_values_agree(one, other):
    """The same value in two notations agrees."""

    assert agrees(one, other)
    assert agrees(other, one)


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_different_values_do_not_agree(one, other):
    """Two values with similar notations do not agree."""

    assert not agrees(one, other)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Gustave Eiffel", "Eiffel", True),
        ("Mia Li", "MIA LI", True),
        ("Mia Li", "Mia Wong", False),
        ("Paris", "Berlin", False),
    ],
)
def test_a_name_agrees_with_a_shorter_form(one, other, expected):
    """A name agrees with a part of it, but not with a name that has another word."""

    assert expected == agrees(one, other)


def test_values_have_their_offsets():
    """Values are in the order of the text, do not overlap, and have their offsets."""
    text = "On May 5 Mia paid twenty dollars (order W-77) at 6pm, 3.5% of $1.2 million."
    values = values_in(text)

    assert all(text[one.start : one.end] == one.text for one in values)
    assert all(a.end <= b.start for a, b in pairwise(values))


@pytest.mark.parametrize("piece", ["9", "9,", "twenty ", "May ", "A", "$", "1:", "x-9"])
def test_hostile_texts_are_read(piece):
    """Long repetitions give at most 1,000 values and raise nothing."""
    values = values_in(piece * 20_000)

    assert len(values) <= 1_000
    assert all(isinstance(ClozeGap(GAP, one).agrees(one.text), bool) for one in values[:20])


@pytest.mark.parametrize("value", ["$1.2k", "3 lakh rupees", "15. Mai 2024", "2.5k EUR", "6:30 pm"])
def test_a_gap_replaces_a_whole_value(value):
    """A value with a unit or a month has one gap and no remainder."""
    text = f"The fee or the day is {value}."

    assert [f"The fee or the day is {GAP}."] == [
        gap.text for gap in gaps(Claim(text, 0, len(text)), text)
    ]


def test_a_date_time_has_a_gap_for_the_date_and_one_for_the_time():
    """The gap of the time includes the seconds; the offset is no part of it."""
    text = "It leaves at 2026-05-01T18:30:00+02:00."

    assert [f"It leaves at {GAP}T18:30:00+02:00.", f"It leaves at 2026-05-01T{GAP}+02:00."] == [
        gap.text for gap in gaps(Claim(text, 0, len(text)), text)
    ]
