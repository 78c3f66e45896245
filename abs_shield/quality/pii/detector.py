"""Detectors of personal data, their gaps, and the masking of what they find."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from abs_shield.quality.pii import RECOGNISERS
from abs_shield.quality.pii.entity import Pii, without_overlaps
from abs_shield.quality.pii.numbering import phonenumbers
from abs_shield.quality.pii.recogniser import Recogniser
from abs_shield.quality.pii.scan import scan

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
