"""All kinds of contradiction over one reading of a text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from abs_shield.quality.consistency.kinds import KINDS
from abs_shield.quality.reading import read_text
from abs_shield.quality.types import OutputFinding

_MOST = 2_000
"""Relations of a text that one kind checks."""


@dataclass(frozen=True, slots=True)
class ConsistencyReport:
    """
    How far the statements of a text agree.

    Attributes:
        checked: How many relations between statements were compared.
        findings: Those that do not hold, in the order of the text.
    """

    checked: int = 0
    findings: tuple[OutputFinding, ...] = ()


def contradictions(text: str) -> ConsistencyReport:
    """
    Compare the statements of a text with each other.

    Only what the text itself relates is compared: a total with its parts, a change with its base,
    a share with its whole, a duration with its dates, an age with a birth, comparisons, the same
    quantity in two places, differences, ratios and the items of a list. Figures that are hedged or
    part of a range, and sentences that deny, suppose or ask, are left out.

    Args:
        text: The text; the first 100,000 characters are read.

    Returns:
        How many relations were compared, and a finding for each that does not hold.

    >>> said = "Q1 revenue was $50M. That is a 10% increase. Last year's Q1 revenue was $55M."
    >>> [one.detail for one in contradictions(said).findings]
    ['a 10% increase to "$50M" means a prior value of 45.45 million, not "$55M"']
    """
    reading = read_text(text)
    checked = 0
    findings: list[OutputFinding] = []
    for kind in KINDS.values():
        for relation in islice(kind(reading), _MOST):
            checked += 1
            if relation is not None:
                findings.append(relation)
    findings.sort(key=lambda one: (one.start, one.end, one.code))
    return ConsistencyReport(checked, _distinct(findings))


def _distinct(findings: list[OutputFinding]) -> tuple[OutputFinding, ...]:
    """Return findings without those that lie within one of the same kind before them."""
    found: list[OutputFinding] = []
    for one in findings:
        if not any(one.code == other.code and one.end <= other.end for other in found[-20:]):
            found.append(one)
    return tuple(found)
