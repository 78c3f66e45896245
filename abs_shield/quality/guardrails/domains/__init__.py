"""The guardrails that need no data, one row per rule."""

from abs_shield.quality.guardrails.domains.financial import (
    basis_points,
    confidence_interval,
    date_range,
)
from abs_shield.quality.guardrails.domains.legal import (
    case_citation,
    regulatory_reference,
    statute_format,
)
from abs_shield.quality.guardrails.domains.product import product_guardrails
from abs_shield.quality.guardrails.guardrail_rule import Guardrail

GUARDRAILS: tuple[Guardrail, ...] = (
    confidence_interval,
    basis_points,
    date_range,
    statute_format,
    case_citation,
    regulatory_reference,
)

__all__ = ["GUARDRAILS", "product_guardrails"]
