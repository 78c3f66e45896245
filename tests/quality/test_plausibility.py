"""Declared limits, orders and directions, against what is said of their own quantity."""

from __future__ import annotations

import pytest

from abs_shield import PolicyError
from abs_shield.quality.plausibility import Direction, Limit, Order, check_plausibility

RULES = [
    Limit(quantity="interest rate", minimum=0, unit="percent"),
    Limit(quantity="discount", maximum=50, unit="%"),
    Limit(quantity="delivery time", maximum=30, unit="days"),
    Order(names=("Enterprise", "Team", "Free"), quantity="price"),
    Direction(subject="Arctic sea ice", direction="falls"),
]


@pytest.mark.parametrize(
    "text",
    [
        "Steamed rice is more expensive than Free samples.",
        "Our team is cheaper than Free and Enterprise.",
        "Team is cheaper than Enterprise and more expensive than Free.",
        "Free has more bugs than Enterprise, whatever the price.",
        "Is Free more expensive than Team?",
        "Interest in Arctic sea ice is growing among researchers.",
        "Some blogs claim Arctic sea ice is growing; this is wrong.",
        "Scientists reject the idea that Arctic sea ice is growing.",
        "Arctic sea ice loss is increasing.",
        "Arctic sea ice grows every winter.",
        "Arctic sea ice grew last year before it shrank again.",
        "The interest rate fell by -0.5%.",
        "The interest rate decision sent shares down to -3%.",
        "If the interest rate were -1%, savers would pay.",
        "The delivery time is 12 days, and 40 hours of support are included.",
    ],
)
def test_honest_sentences_pass(text: str) -> None:
    """Another word, subject or quantity, and reported statements violate no rule."""
    assert () == check_plausibility(text, RULES).findings


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("Free is more expensive than Enterprise.", '"Free is more expensive than Enterprise"'),
        ("Free costs more than Team.", '"Free costs more than Team"'),
        ("Enterprise is cheaper than Free.", '"Enterprise is cheaper than Free"'),
        ("Team is less expensive than Free.", '"Team is less expensive than Free"'),
        ("The price of Free is higher than that of Team.", '"Free is higher than that of Team"'),
        ("The interest rate is -0.5%.", '"-0.5%" contradicts: interest rate is at least 0 percent'),
        ("The interest rate is minus 2 percent.", '"minus 2 percent" contradicts'),
        ("You get a discount of 60%.", '"60%" contradicts: discount is at most 50%'),
        ("We offer a 75% discount.", '"75%" contradicts'),
        ("The delivery time is 45 days.", "delivery time is at most 30 days"),
        ("Arctic sea ice extent has grown steadily.", "contradicts: Arctic sea ice falls"),
        ("The growth of Arctic sea ice continued.", "contradicts: Arctic sea ice falls"),
    ],
)
def test_implausible_sentences_are_found(text: str, detail: str) -> None:
    """The price is implied by "expensive" and "costs"; a sign is shown."""
    [finding] = check_plausibility(text, RULES).findings

    assert detail in finding.detail


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (Limit, {"quantity": "rate", "minimum": float("nan")}, "finite number"),
        (Limit, {"quantity": "rate", "maximum": float("inf")}, "finite number"),
        (Limit, {"quantity": "  ", "minimum": 0}, "no meaningful word"),
        (Limit, {"quantity": "rate", "minimum": 0, "unit": "foo bar"}, "`unit` is `foo bar`"),
        (Order, {"names": ("a", "a")}, "`names` has one name twice"),
        (Order, {"names": ("Team", "team")}, "`names` has one name twice"),
        (Order, {"names": ("a", " ")}, "`names` has an empty name"),
        (Order, {"names": ("a", "b"), "quantity": " "}, "no meaningful word"),
        (Direction, {"subject": " ", "direction": "falls"}, "no meaningful word"),
    ],
)
def test_an_invalid_rule_is_refused(kind, fields, message: str) -> None:
    """The error is raised on declaration and is one line."""
    with pytest.raises(PolicyError, match=message) as refused:
        kind(**fields)

    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("unit", ["%", "percent", "per cent", "pct"])
def test_percent_has_several_names(unit: str) -> None:
    """All of them act."""
    rule = Limit(quantity="rate", minimum=0, unit=unit)

    assert check_plausibility("The rate is -2%.", [rule]).findings


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Arctic sea ice extent is on the rise.", True),
        ("The area of Arctic sea ice is trending upwards.", True),
        ("Arctic sea ice is on the decline.", False),
        ("Interest in Arctic sea ice is on the rise.", False),
    ],
)
def test_a_direction_in_other_words(text, wrong):
    """On the rise, trending down."""
    rule = Direction(subject="Arctic sea ice", direction="falls")

    assert wrong is bool(check_plausibility(text, [rule]).findings)
