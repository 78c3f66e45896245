"""Masking of personal data in texts."""

from __future__ import annotations

from collections.abc import Iterable

from abs_shield.quality.pii.detector import PiiDetector, TableDetector, detect

TABLE = TableDetector()


def mask_text(text: str, detectors: Iterable[PiiDetector] = (TABLE,)) -> str:
    """
    Return a text with each letter and digit of personal data replaced by an asterisk.

    >>> mask_text("Her SSN is 219-44-0178.")
    'Her SSN is ***-**-****.'
    """
    parts, behind = [], 0
    for one in sorted(detect(text, detectors), key=lambda entity: entity.start):
        parts += [text[behind : one.start], one.masked]
        behind = max(behind, one.end)
    return "".join((*parts, text[behind:]))
