"""The cost of reading figures, in executed lines of Python."""

from __future__ import annotations

import pytest

from abs_shield.text.tokens import tokens
from abs_shield.text.values.figure_reader import figures, separate_numbers
from tests.hostile.steps import steps


@pytest.mark.parametrize("piece", ["1,", "1\t", "17; ", "| 2 | 3 "])
def test_a_plain_number_takes_few_steps(piece: str) -> None:
    """Its meanings are read once for all occurrences, and impossible forms are not tried."""
    text = piece * 500
    count = len(figures(text))

    assert 500 <= count
    assert steps(lambda: figures(text)) <= 40 * count + 400


def test_numbers_in_one_run_are_parted_piece_by_piece() -> None:
    """Each is read from the run itself: a copy of the run for each takes the square of it."""
    text = "1," * 200_000

    assert "1;" * 199_999 + "1," == separate_numbers(text)


def test_ids_in_one_run_are_read_one_by_one() -> None:
    """To look from each of them to the end of the run takes the square of it: half a minute."""
    values = figures("id:12345/" * 20_000)

    assert {12345} == {int(figure.text) for figure in values if figure.text.isdigit()}


@pytest.mark.parametrize("piece", ["word ", "1 ", "Word 12, "])
def test_a_word_takes_few_steps(piece: str) -> None:
    """The properties of a word are computed once for all its places."""
    text = piece * 500
    count = len(tokens(text, most=2_000))

    assert 500 <= count
    assert steps(lambda: tokens(text, most=2_000)) <= 45 * count + 300
