"""The report on an answer, written to the decision log beside its decision."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from abs_shield.core import Decision
from abs_shield.core.digest import canonical
from abs_shield.shield.run_redaction import Redact
from abs_shield.stores import Store

if TYPE_CHECKING:
    from abs_shield.answer.report_assembly import Checked

logger = logging.getLogger("abs_shield")


class ReportLog:
    """
    Writes reports to the store, if it has a method `append_report`.

    A report quotes the answer, the tools' results and the arguments. These quotes are written,
    redacted, only if runs are recorded; otherwise an outline of scores, statuses and offsets is
    written.

    Args:
        store: The decision log.

    Attributes:
        quotes: Whether the quotes are written.
        redact: The redaction of the recording; None without one.
    """

    def __init__(self, store: Store) -> None:
        self._append = getattr(store, "append_report", None)
        self.quotes = False
        self.redact: Redact | None = None

    def write(self, decision: Decision, result: Checked) -> None:
        """Write the report of a decision about an answer; a failure is logged."""
        if self._append is None:
            return
        try:
            self._append(decision, self._body(decision, result))
        # Only the exception's type is logged, because its text may quote the report.
        except Exception as error:
            logger.error("abs_shield could not store a report: %s", type(error).__name__)

    def _body(self, decision: Decision, result: Checked) -> dict[str, Any]:
        if self.quotes:
            report = result.report.to_dict()
            if self.redact is None:
                return report
            ids = {"run_id": decision.run_id, "session_id": decision.session_id}
            line = {**ids, "tools": [], "messages": [], "answers": [report]}
            # A copy, because a hook may modify its argument.
            changed = self.redact(json.loads(canonical(line)))
            # If the hook returns None or removes the report, only the outline is written.
            if changed is not None and changed.get("answers"):
                body: dict[str, Any] = changed["answers"][0]
                return body
        return outline_of(result)


def outline_of(result: Checked) -> dict[str, Any]:
    """Return a report without any text of the answer, the evidence or a call."""
    report = result.report
    return {
        "run_id": report.run_id,
        "claims": [
            {
                "start": one.claim.start,
                "end": one.claim.end,
                "evidence_spans": [
                    {
                        "source": span.source, "message": span.message, "pointer": span.pointer,
                        "start": span.start, "end": span.end,
                    }
                    for span in claim.evidence_spans
                ],
                "score": claim.score,
                "critical": claim.critical,
                "status": claim.status,
            }
            for claim, one in zip(report.claims, result.claims, strict=True)
        ],
        "tool_call_validations": [
            {"tool": call.tool, "status": call.status} for call in report.tool_call_validations
        ],
        "consistency_probes": [
            {"answers": len(probe.probe_answers), "agreement": probe.agreement}
            for probe in report.consistency_probes
        ],
        "overall_score": report.overall_score,
        "action": report.action,
        "version": report.version,
    }  # fmt: skip
