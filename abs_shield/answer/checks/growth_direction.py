"""Directions of change: whether a sentence and a field's name say that a number rises or falls."""

from __future__ import annotations

import re

from abs_shield.text.identifier_words import name_words

RISES = re.compile(
    r"\b(?:grew|grow|increas|rise|rising|rose|risen|climb|gain|jump|up\b|more\b|above|higher|extra"
    r"|markup|surcharge)",
    re.IGNORECASE,
)
FALLS = re.compile(
    r"\b(?:fell|fall|drop|declin|decreas|reduc|shr[aiu]nk|down\b|less\b|fewer|below|lower|off\b"
    r"|discount|sav|cheap|cut|lost|loss|short|remain|left\b|rest\b)",
    re.IGNORECASE,
)
"""Words of a sentence with a percentage by which one number is below another."""
_UP = frozenset("growth increase gain rise appreciation".split())
_DOWN = frozenset("decrease decline drop loss reduction shrinkage depreciation".split())


def reverses_growth(sentence: str, field: str) -> bool:
    """
    Return whether a sentence reports a fall where the field reports a rise, or vice versa.

    >>> reverses_growth("Revenue fell by 20%.", "revenue_growth_pct")
    True
    >>> [reverses_growth(text, "growth") for text in ("Revenue grew by 20%.", "It is 20%.")]
    [False, False]
    """
    rises, falls = RISES.search(sentence) is not None, FALLS.search(sentence) is not None
    if rises == falls:  # "fell less than it rose" says neither
        return False
    words = frozenset(name_words(field))
    against = _UP if falls else _DOWN
    # `loss_reduction` has both directions
    return not words.isdisjoint(against) and words.isdisjoint(_DOWN if falls else _UP)
