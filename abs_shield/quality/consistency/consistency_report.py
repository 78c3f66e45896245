"""Check of a text for all kinds of contradiction, one row per kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from abs_shield.quality.consistency.consecutive_sentences import sequels
from abs_shield.quality.consistency.date_durations import durations
from abs_shield.quality.consistency.growth_rates import growth
from abs_shield.quality.consistency.list_counts import counts
from abs_shield.quality.consistency.part_totals import parts
from abs_shield.quality.consistency.percentage_shares import shares
from abs_shield.quality.consistency.person_ages import ages
from abs_shield.quality.consistency.rank_orders import orders
from abs_shield.quality.consistency.repeated_values import frames, repeats
from abs_shield.quality.consistency.share_allocations import allocations
from abs_shield.quality.consistency.text_relations import Relations
from abs_shield.quality.consistency.value_differences import differences
from abs_shield.quality.consistency.value_ratios import ratios
from abs_shield.quality.marked_sentences import Reading, read_text
from abs_shield.quality.quality_types import OutputFinding

KINDS: dict[str, Callable[[Reading], Relations]] = {
    "parts": parts,
    "growth": growth,
    "shares": shares,
    "durations": durations,
    "ages": ages,
    "orders": orders,
    "repeats": repeats,
    "differences": differences,
    "ratios": ratios,
    "counts": counts,
    "frames": frames,
    "sequels": sequels,
    "allocations": allocations,
}
"""Each kind, by the name of its function."""


_MOST = 2_000  # more than any report holds; a text of figures alone would take seconds
"""Maximum number of relations per kind."""


@dataclass(frozen=True, slots=True)
class ConsistencyReport:
    """
    The contradictions of a text.

    Attributes:
        checked: Number of compared relations between statements.
        findings: The relations that do not hold, in the order of the text.
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
        The number of compared relations, and a finding for each that does not hold.

    >>> text = "Q1 revenue was $50M. That is a 10% increase. Last year's Q1 revenue was $55M."
    >>> [one.detail for one in contradictions(text).findings]
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
    """Return findings without those inside an earlier one of the same kind."""
    distinct: list[OutputFinding] = []
    for one in findings:
        # only the last few: the findings are sorted, and a text of findings would take quadratic
        # time
        if not any(one.code == other.code and one.end <= other.end for other in distinct[-20:]):
            distinct.append(one)
    return tuple(distinct)
