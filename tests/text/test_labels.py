"""Codes and the words that a person gives them."""

from __future__ import annotations

import random
import re
from time import process_time

from abs_shield.text.labelled_values import labelled_codes

SLOW = re.compile(r"(?<![\w@./-])(?=[\w@./#-]*\d)[\w@./#-]*\w")
"""What a code is, in one expression that tries each place of a long run."""


def test_codes_are_those_of_the_expression() -> None:
    """Signs on either side, in any order."""
    chance = random.Random(1)
    for _ in range(2_000):
        text = "".join(chance.choice("1_#@./-é") for _ in range(chance.randrange(14)))
        codes = [code[0].strip("#/.-") for code in SLOW.finditer(f"order {text}")]

        results = [code for code, _ in labelled_codes(f"order {text}")]

        assert results == codes


def test_a_long_run_of_signs_is_read_once() -> None:
    """Sixteen thousand of them took a second, and twice as many four."""
    started = process_time()

    assert [] == [*labelled_codes("#" * 200_000)]
    assert process_time() - started < 1
