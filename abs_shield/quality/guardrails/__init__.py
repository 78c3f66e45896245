"""Guardrails: rules for outputs of one domain."""

from abs_shield.quality.guardrails.guardrail_check import guardrail_violations
from abs_shield.quality.guardrails.guardrail_rule import Guardrail, guardrail
from abs_shield.quality.guardrails.product_catalogue import (
    Feature,
    Price,
    ProductCatalogue,
    RoadmapItem,
)

__all__ = [
    "Feature",
    "Guardrail",
    "Price",
    "ProductCatalogue",
    "RoadmapItem",
    "guardrail",
    "guardrail_violations",
]
