"""Personal data in a text: a table of recognisers, and what reads it."""

from __future__ import annotations

from abs_shield.quality.pii.rows import (
    americas,
    asia,
    britain,
    cards,
    central_europe,
    contact,
    health,
    nordic,
    southern_europe,
    travel,
)

RECOGNISERS = (
    *contact.ROWS,
    *cards.ROWS,
    *americas.ROWS,
    *britain.ROWS,
    *central_europe.ROWS,
    *southern_europe.ROWS,
    *nordic.ROWS,
    *asia.ROWS,
    *travel.ROWS,
    *health.ROWS,
)
"""All rows; where two are equally sure of the same characters, the earlier one counts."""
