"""Contacts that anybody may read are known in every way of writing them."""

from __future__ import annotations

import pytest

from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline
from abs_shield.quality.pii.pii_detector import is_allowed


@pytest.mark.parametrize(
    "value",
    ["+1 212 555 0100", "(212) 555-0100", "+1-212-555-0100", "212.555.0100", "0012125550100"],
)
def test_a_number_is_known_by_its_digits(value: str):
    """With the country's code and without it, whichever was declared."""
    assert is_allowed(value, ["+1 212 555 0100"])
    assert is_allowed("+1 212 555 0100", [value])


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        ("(212) 555-0101", "+1 212 555 0100"),
        ("555-0100", "+1 212 555 0100"),
        ("+44 212 555 0100", "+1 212 555 0100"),
        ("3 212 555 0100", "212 555 0100"),
        ("jo@acme.com", "+1 212 555 0100"),
    ],
)
def test_another_number_is_not_allowed(value: str, pattern: str):
    """A number with another country code or other digits does not match."""
    assert not is_allowed(value, [pattern])


def test_a_trunk_zero_is_ignored():
    """The zero of a number dialled within its country is no part of the number."""
    assert is_allowed("020 7946 0018", ["+44 20 7946 0018"])


@pytest.mark.parametrize("written", ["(212) 555-0100", "+1-212-555-0100", "+1 212 555 0100"])
def test_an_output_may_give_a_public_number(written: str):
    """However it writes it."""
    config = QualityConfig(public_contacts=("+1 212 555 0100",))
    result = QualityPipeline(config).run(AgentOutput(text=f"Mia is at {written}."))

    assert "ship" == result.action
