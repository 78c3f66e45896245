"""Presidio finds, behind the same Protocol, what the table finds of what it knows."""

from __future__ import annotations

import pytest

from abs_shield.quality.pii.adapters.presidio import NAMES, PresidioDetector
from abs_shield.quality.pii.pii_detector import TableDetector, detect, gaps

from ..cases import CASES, Case  # noqa: TID252

pytest.importorskip("presidio_analyzer", reason="needs `pip install abs-shield[pii]`")
spacy = pytest.importorskip("spacy", reason="needs `pip install abs-shield[pii]`")

MODELS = [one for one in spacy.util.get_installed_models() if one.startswith("en_")]
KNOWN = [case for case in CASES if case.name in NAMES.values()]


@pytest.fixture(scope="module")
def detector() -> PresidioDetector:
    """Return one engine for all tests."""
    return PresidioDetector()


@pytest.mark.parametrize("case", KNOWN, ids=str)
def test_a_record_is_of_the_same_form(detector: PresidioDetector, case: Case):
    """Names of the table, offsets of the text, and nothing of the value."""
    text = case.sentence.format(case.value)
    findings = detector.detect(text)

    assert {one.name for one in findings} <= set(NAMES.values())
    assert all(0 <= one.start < one.end <= len(text) for one in findings)
    assert [] == [one for one in findings for character in one.masked if character.isalnum()]


@pytest.mark.parametrize(
    "name", ["EmailAddress", "CreditCardNumber", "SSN", "IBAN", "NHSNumber", "PESEL", "Aadhaar"]
)
def test_what_both_know_is_found(detector: PresidioDetector, name: str):
    """In the first case of the name."""
    case = next(case for case in CASES if case.name == name)

    assert name in [one.name for one in detector.detect(case.sentence.format(case.value))]


def test_both_together_count_once(detector: PresidioDetector):
    """The surer one."""
    results = detect("Her SSN is 219-44-0178.", [TableDetector(), detector])

    assert ["SSN"] == [one.name for one in results]


def test_a_long_text_is_analysed_in_parts(detector: PresidioDetector):
    """Offsets are those of the whole."""
    text = "word " * 25_000 + "jo@mail.org"

    assert [(125_000, 125_011)] == [(one.start, one.end) for one in detector.detect(text)]


def test_names_and_places_are_claimed_only_with_a_model(detector: PresidioDetector):
    """Biometrics never."""
    missing = gaps([TableDetector(), detector]).keys()

    assert ({"Biometric"} if MODELS else {"Biometric", "Person", "Location"}) == missing


@pytest.mark.skipif(not MODELS, reason="needs a model: python -m spacy download en_core_web_sm")
def test_a_model_finds_names_and_places(detector: PresidioDetector):
    """Presidio with a model finds the names and places of an ordinary sentence."""
    findings = detector.detect("Maria Schmidt from the accounts team lives in Paris, France.")

    assert {"Person", "Location"} <= {one.name for one in findings}


@pytest.mark.skipif(
    bool(MODELS), reason="needs spaCy without an English model, in another environment"
)
def test_without_a_model_no_name_is_found(detector: PresidioDetector):
    """Without a model the adapter reports no person and no location."""
    assert () == detector.detect("Maria Schmidt lives in Paris, France.")
