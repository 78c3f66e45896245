"""The lists of decisions behind the cells of the heatmap."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from abs_shield.core import Decision
from abs_shield.replay.report.layer_report import LayerCase
from abs_shield.replay.report.report_rows import OTHERS, STAGES, cases_of
from abs_shield.text.show import encodable


class ListFilter(StrEnum):
    """The decisions of a cell that a list shows."""

    FINDINGS = "findings"
    UNLABELLED = "unlabelled"
    ALL = "all"


@dataclass(frozen=True, kw_only=True)
class CellListing:
    """
    A cell of the heatmap, and which of its decisions are listed.

    Attributes:
        row: A row; empty for all of them.
        check: A column.
        listed: Those in which the check finds something or fails, those that its findings would
            block and that have no label, or all.
        rows: The rows of the report, which tell what the row of the other tools has.
    """

    row: str
    check: str
    listed: ListFilter = ListFilter.FINDINGS
    rows: Collection[str] = ()

    def admits(self, decision: Decision) -> bool:
        """Return whether a decision is listed, with a label or without."""
        return any(
            encodable(check) == self.check and self._is_row(row) and self._is_listed(case)
            for row, check, case in cases_of(decision, None)
        )

    def _is_row(self, row: str) -> bool:
        if not self.row:
            return not row.startswith(STAGES)  # the output as a whole is there already
        if self.row == OTHERS:
            return row not in self.rows
        return encodable(row) == self.row

    def _is_listed(self, case: LayerCase) -> bool:
        match self.listed:
            case ListFilter.FINDINGS:
                return case.speaks
            case ListFilter.UNLABELLED:
                return case.found_block
        return True
