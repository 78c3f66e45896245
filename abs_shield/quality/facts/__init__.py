"""Entity verification: the claims of an output against facts that are known to hold."""

from abs_shield.quality.facts.check import check_facts
from abs_shield.quality.facts.sparql import SparqlFacts
from abs_shield.quality.facts.table import FactTable
from abs_shield.quality.facts.types import Fact, Facts, FactsUnavailable

__all__ = ["Fact", "FactTable", "Facts", "FactsUnavailable", "SparqlFacts", "check_facts"]
