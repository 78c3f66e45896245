"""Readable names of error codes: ``Entity mismatch`` for ``ENTITY_MISMATCH``."""

from __future__ import annotations

import re
from functools import lru_cache

from abs_shield.text.safe_display import capitalised, escaped

_WORD = re.compile(r"[^\W_]+")
_ACRONYMS = frozenset(
    "bic eu gdpr iban id imei ip isin itin mac mrn nhs nino npi phi pii spc ssn swift uk url us "
    "uuid vat vin".split()
)
_PHRASES = {
    "rule": "Rule violated",
    "repeated": "Repeated call",
    "missed": "Missed by every check",
    "unsupported": "Unsupported claim",
    "contradicted": "Contradicted claim",
    "divergent": "Divergent claim",
    "rejected": "Rejected by the judge",
    "unseen": "Value never mentioned",
    "prose_only": "Value mentioned in prose only",
    "not_read": "Written without being read",
    "other_kind": "Value of another kind",
    "undone": "Action undone in the same run",
    "removed": "Used after its removal",
}
"""Phrases for codes that are not descriptive."""
_LONGEST = 80  # a code is a word or a few; a custom check may use any text


# a log has few codes and many findings
@lru_cache(maxsize=4096)
def error_words(code: str) -> str:
    """
    Return a code as words.

    >>> error_words("ENTITY_MISMATCH"), error_words("unknown_tool"), error_words("US_SSN")
    ('Entity mismatch', 'Unknown tool', 'US SSN')
    """
    lower = code.lower()
    if lower in _PHRASES:
        return _PHRASES[lower]
    words = [word.upper() if word in _ACRONYMS else word for word in _WORD.findall(lower)]
    text = escaped(" ".join(words), limit=_LONGEST)
    return capitalised(text) if text else "Fault without a code"
