"""Self-contradiction: whether the statements of one text agree with each other."""

from abs_shield.quality.consistency.check import ConsistencyReport, contradictions

__all__ = ["ConsistencyReport", "contradictions"]
