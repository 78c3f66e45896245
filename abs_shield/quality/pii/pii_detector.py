"""Detectors of personal data, their gaps, masking, and public values that are not personal."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol

from abs_shield.quality.pii import RECOGNISERS
from abs_shield.quality.pii.phone_numbering import phonenumbers
from abs_shield.quality.pii.pii_entity import Pii, without_overlaps
from abs_shield.quality.pii.recogniser import Recogniser
from abs_shield.quality.pii.scan import scan, unmarked

_NO_MODEL = "not detected: no language model is installed"


class PiiDetector(Protocol):
    """A detector of personal data: this package's table, or an adapter of another library."""

    @property
    def name(self) -> str:
        """The name of the detector, such as `presidio`."""

    def detect(self, text: str) -> Sequence[Pii]:
        """Return the personal data in a text."""

    def gaps(self) -> Mapping[str, str]:
        """Return the kinds of data that it does not find, or only in part, with reasons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDetector:
    """
    The table of recognisers.

    Attributes:
        recognisers: Its rows.
        jurisdictions: ISO 3166 codes of the countries whose identifiers are detected; None for
            all.
        name: The name of the detector.
    """

    recognisers: tuple[Recogniser, ...] = RECOGNISERS
    jurisdictions: Collection[str] | None = None
    name: str = "table"

    def detect(self, text: str) -> tuple[Pii, ...]:
        """Return the personal data in a text."""
        return scan(text, recognisers=self.recognisers, jurisdictions=self.jurisdictions)

    def gaps(self) -> dict[str, str]:
        """Return the kinds of data that need a model or another package, or are never found."""
        gaps = {"Person": _NO_MODEL, "Location": _NO_MODEL, "Biometric": "never detected"}
        if phonenumbers() is None:
            gaps["PhoneNumber"] = (
                "only with a country's code, or as written in North America: "
                "`phonenumbers` is not installed"
            )
        return gaps


def detect(text: str, detectors: Iterable[PiiDetector]) -> tuple[Pii, ...]:
    """Return the findings of detectors; of overlapping ones, the one with higher confidence."""
    entities = sorted(
        (entity for detector in detectors for entity in detector.detect(text)),
        # the longer one of equals: a part of an identifier would leave the rest visible
        key=lambda entity: (-entity.confidence, entity.start - entity.end),
    )
    return without_overlaps(entities)


def gaps(detectors: Iterable[PiiDetector]) -> dict[str, str]:
    """Return the kinds of data that no detector finds completely, with reasons."""
    listed = [detector.gaps() for detector in detectors]
    return {
        name: reason
        for name, reason in (listed[0] if listed else {}).items()
        if all(name in other for other in listed)
    }


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


_NUMBER = re.compile(r"\+?[\d\s./()-]+")
_DIGITS = re.compile(r"\d+")
_LEAST, _MOST = 7, 15
"""Digits of a telephone number with its country's code (ITU-T E.164)."""
_LONGEST_CODE = 3  # digits of a country's code (ITU-T E.164)


def is_allowed(value: str, patterns: Iterable[str]) -> bool:
    """
    Return whether a value matches one of *patterns*: values or globs in lower case.

    Telephone numbers are compared by their digits, with and without a country's code.

    >>> is_allowed("Mia.Li@ACME.com", ["*@acme.com"]), is_allowed("a@b.org", ["*@acme.com"])
    (True, False)
    >>> is_allowed("(212) 555-0100", ["+1 212 555 0100"])
    True
    """
    value = unmarked(value).text
    folded = value.casefold()
    return any(fnmatchcase(folded, one) or _is_one_number(folded, one) for one in patterns)


def _is_one_number(value: str, pattern: str) -> bool:
    if not (_NUMBER.fullmatch(value.strip()) and _NUMBER.fullmatch(pattern.strip())):
        return False
    one, other = sorted((_dialled(value), _dialled(pattern)), key=len)
    # fewer digits would match many numbers
    if not (_LEAST <= len(one) and len(other) <= _MOST):
        return False
    if one == other:
        return True
    if (value + pattern).count("+") != 1 and "00" not in (value[:2], pattern[:2]):
        return False  # neither has a country code, or they have different ones
    national = one.removeprefix("0")  # the trunk prefix is not dialled after a country's code
    return other.endswith(national) and 0 < len(other) - len(national) <= _LONGEST_CODE


def _dialled(number: str) -> str:
    digits = "".join(_DIGITS.findall(number))
    return digits.removeprefix("00")
