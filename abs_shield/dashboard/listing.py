"""The decisions listed for a cell of the heatmap."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from abs_shield.core import Decision
from abs_shield.report.layer_report import LayerCase
from abs_shield.report.report_rows import OTHERS, STAGES, cases_of
from abs_shield.text.safe_display import encodable


class ListFilter(StrEnum):
    """Filters of the decisions of a cell."""

    FINDINGS = "findings"
    UNLABELLED = "unlabelled"
    ALL = "all"


@dataclass(frozen=True, kw_only=True)
class CellListing:
    """
    A cell of the heatmap, and a filter of its decisions.

    Attributes:
        row: The row; empty for all rows.
        check: The column.
        listed: Decisions with a finding or an error of the check, unlabelled ones that its
            findings would block, or all.
        rows: The rows of the report, which define the row of other tools.
    """

    row: str
    check: str
    listed: ListFilter = ListFilter.FINDINGS
    rows: Collection[str] = ()

    def admits(self, decision: Decision) -> bool:
        """Return whether a decision is listed, regardless of its label."""
        return any(
            encodable(check) == self.check and self._is_row(row) and self._is_listed(case)
            for row, check, case in cases_of(decision, None)
        )

    def _is_row(self, row: str) -> bool:
        if not self.row:
            return not row.startswith(STAGES)  # the row of outputs includes its stages
        if self.row == OTHERS:
            return row not in self.rows
        return encodable(row) == self.row

    def _is_listed(self, case: LayerCase) -> bool:
        match self.listed:
            case ListFilter.FINDINGS:
                return case.speaks
            case ListFilter.UNLABELLED:
                return case.finding_blocks
        return True
