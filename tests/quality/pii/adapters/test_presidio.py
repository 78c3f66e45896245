"""Presidio finds, behind the same Protocol, what the table finds of what it knows."""

from __future__ import annotations

import pytest

pytest.importorskip("presidio_analyzer", reason="needs the extra `pii`")

from abs_shield.quality.pii.adapters.presidio import NAMES, PresidioDetector
from abs_shield.quality.pii.detector import TableDetector, detect, gaps

from ..cases import CASES, Case  # noqa: TID252

KNOWN = [case for case in CASES if case.name in NAMES.values()]


@pytest.fixture(scope="module")
def detector() -> PresidioDetector:
    """Return one engine for all tests."""
    return PresidioDetector()


@pytest.mark.parametrize("case", KNOWN, ids=str)
def test_a_record_is_of_the_same_form(detector: PresidioDetector, case: Case):
    """Names of the table, offsets of the text, and nothing of the value."""
    text = case.sentence.format(case.value)
    found = detector.detect(text)

    assert {one.name for one in found} <= set(NAMES.values())
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert [] == [one for one in found for character in one.masked if character.isalnum()]


@pytest.mark.parametrize(
    "name", ["EmailAddress", "CreditCardNumber", "SSN", "IBAN", "NHSNumber", "PESEL", "Aadhaar"]
)
def test_what_both_know_is_found(detector: PresidioDetector, name: str):
    """In the first case of the name."""
    case = next(case for case in CASES if case.name == name)

    assert name in [one.name for one in detector.detect(case.sentence.format(case.value))]


def test_both_together_count_once(detector: PresidioDetector):
    """The surer one."""
    found = detect("Her SSN is 219-44-0178.", [TableDetector(), detector])

    assert ["SSN"] == [one.name for one in found]


def test_a_long_text_is_analysed_in_parts(detector: PresidioDetector):
    """Offsets are those of the whole."""
    text = "word " * 25_000 + "jo@mail.org"

    assert [(125_000, 125_011)] == [(one.start, one.end) for one in detector.detect(text)]


def test_gaps_are_those_of_the_models(detector: PresidioDetector):
    """Biometrics are never detected."""
    assert "Biometric" in gaps([TableDetector(), detector])
