"""Entity verification: comparison of an output's claims with facts."""

from abs_shield.quality.facts.fact_comparison import check_facts
from abs_shield.quality.facts.fact_table import FactTable
from abs_shield.quality.facts.fact_types import Fact, Facts, FactsUnavailable
from abs_shield.quality.facts.sparql import SparqlFacts

__all__ = ["Fact", "FactTable", "Facts", "FactsUnavailable", "SparqlFacts", "check_facts"]
