"""How far the evidence supports a claim: one file a scorer."""

from __future__ import annotations

from abs_shield.answer.checks.hard import hard
from abs_shield.answer.scorers.words import lexical

SCORERS = {"lexical": lexical, "hard": hard}
"""The scorers that need nothing but the claims and the evidence."""
