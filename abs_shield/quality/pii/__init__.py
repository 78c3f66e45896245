"""Detection of personal data in a text by a table of recognisers."""

from __future__ import annotations

from abs_shield.quality.pii.rows.american_and_asian_ids import AMERICAN_ROWS, ASIAN_ROWS
from abs_shield.quality.pii.rows.cards_and_accounts import CARD_ROWS
from abs_shield.quality.pii.rows.central_european_ids import CENTRAL_EUROPEAN_ROWS
from abs_shield.quality.pii.rows.contact_details import CONTACT_ROWS
from abs_shield.quality.pii.rows.health_and_travel_ids import HEALTH_ROWS, TRAVEL_ROWS
from abs_shield.quality.pii.rows.northern_european_ids import BRITISH_ROWS, NORDIC_ROWS
from abs_shield.quality.pii.rows.southern_european_ids import SOUTHERN_EUROPEAN_ROWS

RECOGNISERS = (
    *CONTACT_ROWS,
    *CARD_ROWS,
    *AMERICAN_ROWS,
    *BRITISH_ROWS,
    *CENTRAL_EUROPEAN_ROWS,
    *SOUTHERN_EUROPEAN_ROWS,
    *NORDIC_ROWS,
    *ASIAN_ROWS,
    *TRAVEL_ROWS,
    *HEALTH_ROWS,
)
"""All recognisers; of two with equal confidence for the same characters, the first one wins."""
