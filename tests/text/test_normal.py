"""The normal form of any text is found in linear time and is not much longer than the text."""

from __future__ import annotations

import re
import sys

import pytest

from abs_shield.text import normal_form
from abs_shield.text.normal_form import normal


def test_accents_without_end_are_cut() -> None:
    """CPython sorts the accents of one letter in quadratic time: a megabyte never ended."""
    assert "a" + "\u0315" * 30 + "b" == normal("a" + "\u0315" * 100 + "b")
    assert len(normal("\u0315\u0300\u0301" * 80_000)) <= 60


def test_the_expansion_of_ligatures_is_limited() -> None:
    """A text of ligatures is cut at four times its length."""
    assert len(normal("\ufdfa" * 10_000)) <= 41_000
    assert normal("\ufdfa") * 10 == normal("\ufdfa" * 10)
    assert "1 tx_5 2" == " ".join(normal("①tx_5②").split())


def test_characters_that_are_not_translated_have_no_translation() -> None:
    """The blocks in which a translation is skipped have no invisible character and no digit."""
    usual = re.findall(f"[{normal_form._USUAL}]", "".join(map(chr, range(sys.maxunicode + 1))))

    assert [one for one in usual if one.translate(normal_form._PLAIN) != one] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tx_9한tx_8", "tx_9 한 tx_8"),
        ("订单tx_1", "订单 tx_1"),
        ("tx_1订单", "tx_1 订单"),
        ("a漢b", "a 漢 b"),
        ("संख्याa", "संख्या a"),
        ("aसंख्या", "a संख्या"),
        ("é한", "é 한"),
        ("한, a", "한, a"),
    ],
)
def test_a_change_of_script_is_set_apart(text: str, expected: str) -> None:
    """A space is between Latin letters or digits and letters of another script."""
    assert normal_form.normal(text) == expected
