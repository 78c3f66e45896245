"""Exclusion of published test numbers and examples."""

from __future__ import annotations

import re

_TEST_CARDS = frozenset(
    "4242424242424242 4000056655665556 4111111111111111 4012888888881881 4000000000000002 "
    "4000000000003220 4000002500003155 4000000000009995 4000002760003184 4222222222222 "
    "4012000033330026 4917610000000000 4988438843884305 4003830171874018 4444333322221111 "
    "4462030000000000 4000020000000000 5555555555554444 5105105105105100 5200828282828210 "
    "2223003122003222 2223000048400011 5454545454545454 5425233430109903 5500000000000004 "
    "5555341244441115 378282246310005 371449635398431 378734493671000 370000000000002 "
    "374245455400126 6011111111111117 6011000990139424 6011000000000004 6011981111111113 "
    "3056930009020004 30569309025904 38520000023237 36227206271667 36006666333344 "
    "3566002020360505 3530111333300000 3566111111111113 6200000000000005 6759649826438453 "
    "6304000000000000 5019717010103742 6555900000604105".split()
)
"""Test numbers published by payment providers."""
_TEST = re.compile(
    r"(?<![^\W_])(?:test(?:s|ing)?|sandbox|dummy|fake|demo|mock"
    r"|(?:example|sample)[ _-](?:[a-z]+[ _-])?(?:cards?|numbers?))(?![^\W_])",
    re.IGNORECASE,
)
_TEST_BEFORE, _TEST_BEHIND = 80, 40  # characters: the clause before, and some words after
_IN_CODE = re.compile(
    r"(?:[=(,]\s*|\breturn\s+)[\"'`]\Z|\b(?:assert\w*|expect|const|let|var|def|is_?valid\w*|luhn\w*"
    r"|validate\w*)\b[^\n]*\Z",
    re.IGNORECASE,
)
"""Text before a literal in program code."""
_TEST_SSNS = frozenset("123456789 078051120 219099999 457555462".split())
"""Numbers from advertisements and examples."""
_FORM = re.compile(
    r"(?<![^\W_])(?:such as|like|e\.? ?g\b|for (?:example|instance)|examples?|formats?|formatted"
    r"|form|pattern|regex|placeholder|sample|dummy|test|mask(?:ed|s)?|matches|looks)(?![^\W_])",
    re.IGNORECASE,
)


def is_real(text: str, start: int, end: int) -> bool:
    """Return whether a card number is not a provider's test number in a test or in code."""
    if "".join(filter(str.isdigit, text[start:end])) not in _TEST_CARDS:
        return True
    if _TEST.search(text, max(0, start - _TEST_BEFORE), end + _TEST_BEHIND):
        return False
    line = text.rfind("\n", max(0, start - _TEST_BEFORE), start) + 1
    return _IN_CODE.search(text[max(line, start - _TEST_BEFORE) : start]) is None


def is_real_ssn(text: str, start: int, end: int) -> bool:
    """Return whether a social security number is not a published example."""
    if "".join(filter(str.isdigit, text[start:end])) not in _TEST_SSNS:
        return True
    return _FORM.search(text, max(0, start - _TEST_BEFORE), end + _TEST_BEHIND) is None
