"""Personal data in a text: a table of recognisers, and what reads it."""

from __future__ import annotations

from abs_shield.quality.pii.rows import (
    americas,
    asia,
    cards,
    contact,
    europe,
    health,
    travel,
)

RECOGNISERS = (
    *contact.ROWS,
    *cards.ROWS,
    *americas.ROWS,
    *europe.ROWS,
    *asia.ROWS,
    *travel.ROWS,
    *health.ROWS,
)
"""All rows; where two are equally sure of the same characters, the earlier one counts."""
