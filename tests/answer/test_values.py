"""Values of a text: found, and compared by what they mean."""

from __future__ import annotations

from itertools import pairwise

import pytest

from abs_shield.answer.values import said_in, same

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


def first(text):
    return said_in(f"it is {text}")[0]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_alike(one, other):
    """The same value, written in two ways."""

    assert same(first(one), first(other))
    assert same(first(other), first(one))


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_unlike(one, other):
    """Two values, however near they look."""

    assert not same(first(one), first(other))


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

    assert expected == same(first(one), first(other))


def test_places_are_those_of_the_text():
    """Each value stands where it says, in order, none inside another."""
    text = "On May 5 Mia paid twenty dollars (order W-77) at 6pm, 3.5% of $1.2 million."
    found = said_in(text)

    assert all(text[one.start : one.end] == one.text for one in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


@pytest.mark.parametrize("piece", ["9", "9,", "twenty ", "May ", "A", "$", "1:", "x-9"])
def test_hostile_texts_are_read(piece):
    """Long repetitions give few values, and no error."""
    found = said_in(piece * 20_000)

    assert len(found) <= 1_000
    assert all(isinstance(same(one, one), bool) for one in found[:20])
