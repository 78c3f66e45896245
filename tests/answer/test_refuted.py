"""What the nearest sentence says otherwise: negations, opposites, counts, names."""

from __future__ import annotations

import pytest

from abs_shield.answer.faithfulness.refuted import refuted


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("Lockers may be used overnight.", "Lockers may not be used overnight."),
        ("The pass does not cover ferries.", "The pass covers trams and ferries."),
        ("Der Kurs wurde nicht abgesagt.", "Der Kurs wurde am Montag abgesagt."),
        ("Dogs aren't allowed on deck.", "Dogs are allowed on deck."),
        ("The pool closes at 7 in May.", "The pool opens at 7 in May."),
        ("The dose was increased by half.", "The dose was decreased by half."),
        ("The hall has three exits.", "The hall has two exits and a ramp."),
        ("Parcels are kept for 4 weeks.", "Parcels are kept for 4 days."),
        ("Oslo is the seat of the court.", "Bergen is the seat of the court."),
        ("The tram was designed by Ida Holm.", "The tram was designed by Ida Berg."),
    ],
)
def test_a_sentence_that_says_otherwise(statement, sentence):
    """The same words but one, and that one turns it."""

    assert refuted(statement, sentence)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("Lockers may not be used overnight.", "Lockers can't be used overnight."),
        ("Avoid hot water on wool.", "Do not use hot water on wool."),
        ("No, the pass covers ferries.", "The pass covers ferries."),
        ("The pass covers ferries.", "The pass covers not only trams but ferries."),
        ("Note that dogs are allowed.", "Dogs are allowed."),
        ("Parcels are free.", "Parcels are free, but letters are not."),
        ("If you cannot log in, reset it.", "If you are unable to log in, reset it."),
        ("The hall has two exits.", "The hall has two exits and three ramps."),
        ("Select two frames of one size.", "Choose two frames of one size."),
        ("The road is closed; the old gate is open.", "The gate is open and the road is closed."),
        ("", "Anything."),
        ("Anything.", ""),
    ],
)
def test_a_sentence_that_does_not(statement, sentence):
    """The same in other words, and denials of something else, are no contradiction."""

    assert "" == refuted(statement, sentence)


@pytest.mark.parametrize("piece", ["not ", "a", "9 days ", "Ida ", "\ud800", "open close "])
def test_it_is_bounded(piece):
    """Whatever stands there, one line comes back."""
    text = piece * 50_000

    assert "\n" not in refuted(text, text[1:])
    assert "\n" not in refuted(text, "The 9 days are not open.\n")
