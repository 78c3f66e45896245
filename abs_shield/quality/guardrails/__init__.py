"""Guardrails: rules that hold for outputs of one domain."""

from abs_shield.quality.guardrails.catalogue import Feature, Price, ProductCatalogue, RoadmapItem
from abs_shield.quality.guardrails.check import guardrail_violations
from abs_shield.quality.guardrails.rule import Guardrail, guardrail

__all__ = [
    "Feature",
    "Guardrail",
    "Price",
    "ProductCatalogue",
    "RoadmapItem",
    "guardrail",
    "guardrail_violations",
]
