"""Detection of personal data in a text by a table of recognisers."""

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
"""All recognisers; of two with equal confidence for the same characters, the first one wins."""
