"""One piece of personal data in a text, without the value itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CHARACTER = re.compile(r"[^\W_]")
LONGEST_MASK = 48
"""Maximum length of a masked form, enough to recognise even a long address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pii:
    """
    One piece of personal data.

    Attributes:
        name: Its kind, such as `SSN` or `BankAccountNumber`.
        start: Offset of its first character in the text.
        end: Offset after its last character.
        masked: Its layout, with each letter and digit replaced by an asterisk.
        confidence: The confidence of its recogniser, in [0, 1].
        recogniser: Its recogniser, such as `US.SSN` or `presidio.US_SSN`.
    """

    name: str
    start: int
    end: int
    masked: str
    confidence: float
    recogniser: str


def mask(value: str) -> str:
    """
    Return the layout of a value, without its letters and digits.

    >>> mask("078-05-1120"), mask("jo.doe@mail.org")
    ('***-**-****', '**.***@****.***')
    """
    # the layout stays, so that a person recognises the kind of value
    return _CHARACTER.sub("*", value[:LONGEST_MASK])
