"""Figures in another unit than the evidence."""

from __future__ import annotations

from decimal import Decimal

import pytest

from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.session import Session
from abs_shield.text.values.units import field_units, units_of

RESULT = {
    "weight_g": 1500, "duration_s": 5400, "price_cents": 1999, "energyKWh": 2345, "kb": 2048,
    "height_mm": 1830, "latencyMs": 1500, "distance (m)": 4250, "n": 7200,
    "note": "The box holds 250 cl.",
}  # fmt: skip


def missing_figures(answer: str) -> list[str]:
    session = Session()
    session.user("Tell me about it.")
    session.tool_result("get_item", RESULT)
    scored = hard(claims_of(answer), evidence_of(session), answer=answer)
    return [miss.text for one in scored for miss in getattr(one, "missing", ())]


@pytest.mark.parametrize(
    "answer",
    [
        "It weighs 1.5 kg.", "It takes 90 minutes.", "It takes 1.5 hours.", "It costs $19.99.",
        "It takes 1 hour 30 minutes.", "It takes 1 hour and 30 minutes.", "It used 2.345 MWh.",
        "It is 183 cm tall, which is 1.83 m.", "The latency is 1.5 s.", "It is 4.25 km away.",
        "It is about 4.2 kilometres away.", "It has 2 MB.", "It holds 2.5 litres of water.",
    ],
)  # fmt: skip
def test_a_converted_figure_is_supported(answer):
    """A unit in a field's name or after a number is converted."""

    assert [] == missing_figures(answer)


@pytest.mark.parametrize(
    ("answer", "missed"),
    [
        ("It weighs 1.6 kg.", ["1.6"]),
        ("It weighs 15 kg.", ["15"]),
        ("It takes 2 hours.", ["2"]),
        ("It takes 95 minutes.", ["95"]),
        ("It takes 1 hour and 40 minutes.", ["1", "40"]),
        ("It costs $19.98.", ["$19.98"]),
        ("It costs $72.00.", ["$72.00"]),
        ("It is 1.83 km tall.", ["1.83"]),
    ],
)
def test_a_wrong_conversion_is_missing(answer, missed):
    """Another figure, another kind of unit, and a field without a unit do not support a figure."""

    assert missed == missing_figures(answer)


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("weight_g", "mass"), ("durationMs", "time"), ("total_kwh", "energy"), ("minutes", "time"),
        ("lengthInMeters", "length"), ("weight (kg)", "mass"), ("min", ""), ("day", ""),
        ("speed_km_h", ""), ("yield_t_per_ha", ""), ("checked_in", ""), ("", ""), ("_" * 999, ""),
    ],
)  # fmt: skip
def test_the_unit_of_a_field_is_its_last_word(field, kind):
    """A rate has no unit, nor has a field whose last word is often not a unit."""

    assert kind == next((unit.kind for unit in field_units(field)), "")


def test_units_may_be_plural():
    """Singular and plural of a unit, in any case, are the same unit."""

    assert units_of("hour") == units_of("hours") != ()
    assert Decimal("1e3") == units_of("Litres")[0].worth
    assert () == units_of("")
