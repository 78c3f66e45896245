"""Self-contradiction: comparison of the statements of one text with each other."""

from abs_shield.quality.consistency.consistency_report import ConsistencyReport, contradictions

__all__ = ["ConsistencyReport", "contradictions"]
