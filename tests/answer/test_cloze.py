"""Values that are asked about: read as the hard checks read them, compared by what they mean."""

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
    """Return whether a model that finds *other* agrees with an answer that says *one*."""
    return ClozeGap(GAP, values_in(f"it is {one}")[0]).agrees(other)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_alike(one, other):
    """The same value, written in two ways."""

    assert agrees(one, other)
    assert agrees(other, one)


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_unlike(one, other):
    """Two values, however near they look."""

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
def test_names(one, other, expected):
    """A name may be written shorter, not with another word in it."""

    assert expected == agrees(one, other)


def test_places_are_those_of_the_text():
    """Each value stands where it says, in order, none inside another."""
    text = "On May 5 Mia paid twenty dollars (order W-77) at 6pm, 3.5% of $1.2 million."
    values = values_in(text)

    assert all(text[one.start : one.end] == one.text for one in values)
    assert all(a.end <= b.start for a, b in pairwise(values))


@pytest.mark.parametrize("piece", ["9", "9,", "twenty ", "May ", "A", "$", "1:", "x-9"])
def test_hostile_texts_are_read(piece):
    """Long repetitions give few values, and no error."""
    values = values_in(piece * 20_000)

    assert len(values) <= 1_000
    assert all(isinstance(ClozeGap(GAP, one).agrees(one.text), bool) for one in values[:20])


@pytest.mark.parametrize("value", ["$1.2k", "3 lakh rupees", "15. Mai 2024", "2.5k EUR", "6:30 pm"])
def test_a_gap_holds_a_whole_value(value):
    """No part of it is left beside the gap, or asked about alone."""
    text = f"The fee or the day is {value}."

    assert [f"The fee or the day is {GAP}."] == [
        gap.text for gap in gaps(Claim(text, 0, len(text)), text)
    ]


def test_a_date_time_is_asked_for_as_its_day_and_its_time():
    """Seconds that are none belong to the time; an offset is another value."""
    text = "It leaves at 2026-05-01T18:30:00+02:00."

    assert [f"It leaves at {GAP}T18:30:00+02:00.", f"It leaves at 2026-05-01T{GAP}+02:00."] == [
        gap.text for gap in gaps(Claim(text, 0, len(text)), text)
    ]
