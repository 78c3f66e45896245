"""One piece of personal data in a text, without the value itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CHARACTER = re.compile(r"[^\W_]")
LONGEST_MASK = 48
"""Characters of a masked form; an address of 300 characters needs no more to be recognised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pii:
    """
    One piece of personal data.

    Attributes:
        name: What it is, such as `SSN` or `BankAccountNumber`.
        start: Offset of its first character in the text.
        end: Offset behind its last character.
        masked: Its layout: each letter and digit is an asterisk.
        confidence: How sure its recogniser is, in [0, 1].
        recogniser: Where it comes from, such as `US.SSN` or `presidio.US_SSN`.
    """

    name: str
    start: int
    end: int
    masked: str
    confidence: float
    recogniser: str


def mask(value: str) -> str:
    """
    Return the layout of a value, without any letter or digit of it.

    >>> mask("078-05-1120"), mask("jo.doe@mail.org")
    ('***-**-****', '**.***@****.***')
    """
    return _CHARACTER.sub("*", value[:LONGEST_MASK])
