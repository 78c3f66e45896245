"""Check of an output's text by the guardrails of its domain, one row per rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise

from abs_shield.quality.guardrails.financial_rules import (
    basis_points,
    confidence_interval,
    date_range,
)
from abs_shield.quality.guardrails.guardrail_rule import Guardrail
from abs_shield.quality.guardrails.legal_rules import (
    case_citation,
    regulatory_reference,
    statute_format,
)
from abs_shield.quality.guardrails.product_catalogue import ProductCatalogue
from abs_shield.quality.guardrails.product_rules import product_guardrails
from abs_shield.quality.marked_sentences import read_text
from abs_shield.quality.quality_types import OutputFinding
from abs_shield.text.nearest import nearest

GUARDRAILS: tuple[Guardrail, ...] = (
    confidence_interval,
    basis_points,
    date_range,
    statute_format,
    case_citation,
    regulatory_reference,
)


_MOST = 200  # each is a finding in the log; one is enough to hold the output
"""Maximum number of reported violations per rule."""
_WORDS = re.compile(r"[^a-z0-9]+")
_SYNONYMS = {
    "finance": "financial", "finances": "financial", "financials": "financial", "fin": "financial",
    "investment": "financial", "law": "legal", "laws": "legal", "lawyer": "legal",
    "products": "product",
}  # fmt: skip
"""Synonyms of domains with a different spelling."""
_LIKE = 0.75  # one or two letters of a word; less suggests unrelated domains
_EXCLUDED = frozenset("non not no without except excluding anti".split())
"""Words that exclude the domain after them: `non-financial`."""


def guardrail_violations(
    text: str,
    task_type: str,
    *,
    rules: Sequence[Guardrail] = (),
    catalogue: ProductCatalogue | None = None,
) -> tuple[OutputFinding, ...]:
    """
    Return the violations of the rules for a task type.

    Args:
        text: The output.
        task_type: Its kind of task; a rule applies if one of its words is the rule's domain.
        rules: Custom rules, in addition to the built-in ones.
        catalogue: The data of the product; without it, the product rules do not run.

    Returns:
        The violations in the order of the text.

    >>> [one.code for one in guardrail_violations("Our market share is 23%.", "financial")]
    ['FINANCIAL_CONFIDENCE_INTERVAL']
    >>> guardrail_violations("Our market share is 23%.", "support")
    ()
    """
    some = [one for one in guardrails_of(rules, catalogue) if is_for(one, task_type)]
    if not some:
        return ()
    reading = read_text(text)
    violations = [one for rule in some for one in islice(rule.violations(reading), _MOST)]
    return tuple(sorted(violations, key=lambda one: (one.start, one.end, one.code)))


def guardrails_of(
    rules: Sequence[Guardrail], catalogue: ProductCatalogue | None
) -> tuple[Guardrail, ...]:
    """Return the built-in rules, those of a product, and the custom ones."""
    return (*GUARDRAILS, *(product_guardrails(catalogue) if catalogue is not None else ()), *rules)


def is_for(rule: Guardrail, task_type: str) -> bool:
    """Return whether a rule applies to a task type: `financial_report` includes `financial`."""
    return names_domain(task_type, rule.task_type)


def names_domain(task_type: str, domain: str) -> bool:
    """
    Return whether a task type includes a domain as a word that is not excluded.

    >>> names_domain("Financial Report", "financial"), names_domain("non-financial", "financial")
    (True, False)
    """
    words = ["", *_WORDS.split(task_type.casefold())]
    wanted = domain.casefold()
    return any(word == wanted and before not in _EXCLUDED for before, word in pairwise(words))


def domain_near(task_type: str, domains: Iterable[str]) -> str:
    """
    Return the domain that a task type may mean; empty if none is similar.

    It is only suggested: rules hold an output only if its domain is declared exactly.

    >>> domain_near("Finance", ["financial", "legal"]), domain_near("law", ["financial", "legal"])
    ('financial', 'legal')
    """
    choices = sorted(domains)
    for word in _WORDS.split(task_type.casefold()):
        if (meant := _SYNONYMS.get(word, word)) in choices:
            return meant
    near = nearest(task_type, choices, floor=_LIKE)
    return near[0] if near else ""
