"""The normal form of any text is found in linear time and is not much longer than the text."""

from __future__ import annotations

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
