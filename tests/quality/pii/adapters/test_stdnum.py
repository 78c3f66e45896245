"""The validators of `python-stdnum` agree with those of the table."""

from __future__ import annotations

import random

import pytest

from abs_shield.quality.pii import RECOGNISERS
from abs_shield.quality.pii.adapters.stdnum import (
    MODULES,
    _validator,
    stdnum_detector,
    stdnum_recognisers,
)

from ..cases import CASES, Case  # noqa: TID252

pytest.importorskip("stdnum", reason="needs `pip install python-stdnum`")

NARROWER = {"NO.Fodselsnummer", "BE.NationalNumber", "FI.HETU", "CN.ResidentID"}
"""It refuses dates in the future, temporary numbers, and places that its lists have not."""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_same_values_are_found(case: Case):
    """Each case of the table."""
    text = case.sentence.format(case.value)

    (finding,) = stdnum_detector().detect(text)

    assert (case.name, case.value) == (finding.name, text[finding.start : finding.end])


@pytest.mark.parametrize("case", [one for one in CASES if one.broken], ids=str)
def test_the_same_values_are_refused(case: Case):
    """Each wrong check digit."""
    text = case.sentence.format(case.broken)

    assert case.name not in [one.name for one in stdnum_detector().detect(text)]


@pytest.mark.parametrize("key", sorted(MODULES))
def test_both_accept_the_same_numbers(key: str):
    """Values that differ from a valid one in some digits are accepted or refused by both."""
    rows = [row for row in RECOGNISERS if row.key == key]
    case = next(case for case in CASES if case.key == key)
    theirs = _validator(MODULES[key])
    draw = random.Random(key)
    for _ in range(400):
        value = change_digits(case.value, draw)
        ours = any(row.pattern.fullmatch(value) and row.accepts(value) for row in rows)
        if ours and key not in NARROWER:
            assert theirs(value)


def change_digits(value: str, draw: random.Random) -> str:
    """Return a value with one or two other digits."""
    digits = [n for n, one in enumerate(value) if one.isdigit()]
    characters = list(value)
    for place in draw.sample(digits, draw.choice((1, 2))):
        characters[place] = draw.choice("0123456789")
    return "".join(characters)


def test_it_brings_identifiers_of_more_countries():
    """With the same form of record."""
    names = {row.key for row in stdnum_recognisers()} - {row.key for row in RECOGNISERS}
    (finding,) = stdnum_detector().detect("Her kennitala is 120174-3399.")

    assert {"RO.CNP", "IS.Kennitala"} <= names
    assert "IS.Kennitala" == finding.recogniser
