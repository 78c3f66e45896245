"""The agent is told what it exposes and where, and never the value."""

from __future__ import annotations

import pytest

from abs_shield.quality.pii.pii_detector import TableDetector, detect, gaps
from abs_shield.quality.pii.pii_entity import LONGEST_MASK, Pii, mask
from abs_shield.quality.pii.pii_feedback import feedback, pii_stage
from abs_shield.quality.pii.scan import scan
from abs_shield.quality.quality_types import AgentOutput

from .cases import CASES

TEXT = "SSN 219-44-0178; account numbers 0532013000 and 648489890."


def test_the_lines_of_the_seed():
    """The feedback has the two lines of the seed, then layouts and places instead of values."""
    assert feedback(scan(TEXT)).splitlines() == [
        "Output blocked: PII detected.",
        "Entities: SSN (1), BankAccountNumber (2)",
        "Please regenerate without exposing: SSN at 4-15 (***-**-****), "
        "BankAccountNumber at 33-43 (**********), BankAccountNumber at 48-57 (*********)",
    ]


def test_without_findings_the_feedback_is_empty():
    """A text without personal data has an empty feedback."""
    assert "" == feedback(scan("All is well."))


def test_a_long_list_is_counted():
    """A model reads no list of a hundred."""
    lines = feedback(scan("jo@mail.org, " * 100)).splitlines()

    assert "Entities: EmailAddress (100)" == lines[1]
    assert lines[2].endswith(", 80 more")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_value_is_in_findings_or_feedback(case):
    """Neither a finding nor the feedback contains the value."""
    text = case.sentence.format(case.value)
    (finding,) = pii_stage(AgentOutput(text=text))
    values = {case.value, *(part for part in case.value.split() if len(part) > 3)}

    assert [] == [v for v in values if v in repr(finding) or v in feedback(scan(text))]
    assert (case.name, True) == (finding.code, finding.critical)


def test_a_mask_is_short():
    """An address of any length."""
    assert LONGEST_MASK == len(mask("a" * 1_000))


def test_overlapping_findings_keep_the_more_confident():
    """Two detectors that find the same characters give one finding."""

    class Other:
        name = "other"

        def detect(self, text):
            return [
                Pii(name="ID", start=4, end=15, masked="*", confidence=0.6, recogniser="other"),
                Pii(name="Person", start=0, end=3, masked="*", confidence=0.6, recogniser="other"),
            ]

        def gaps(self):
            return {"Biometric": "never detected"}

    results = detect("Jo: 219-44-0178", [TableDetector(), Other()])

    assert ["Person", "SSN"] == [one.name for one in results]
    assert {"Biometric": "never detected"} == gaps([TableDetector(), Other()])


def test_gaps_are_listed():
    """Kinds that need a language model are not claimed."""
    assert {"Person", "Location", "Biometric"} <= set(gaps([TableDetector()]))


def test_a_missing_package_is_a_gap(monkeypatch):
    """Without numbering plans, numbers without a country's code are not found."""
    monkeypatch.setattr("abs_shield.quality.pii.pii_detector.phonenumbers", lambda: None)

    assert "phonenumbers" in gaps([TableDetector()])["PhoneNumber"]
