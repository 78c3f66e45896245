"""Entity verification: comparison of an output's claims with facts."""

from abs_shield.quality.facts.fact_comparison import check_facts
from abs_shield.quality.facts.fact_table import Fact, Facts, FactsUnavailable, FactTable
from abs_shield.quality.facts.sparql_facts import SparqlFacts

__all__ = ["Fact", "FactTable", "Facts", "FactsUnavailable", "SparqlFacts", "check_facts"]
