"""The metrics of decisions: findings, retries, durations."""

from __future__ import annotations

from opentelemetry.metrics import Meter

from abs_shield.core import Decision, Finding
from abs_shield.telemetry import semconv
from abs_shield.telemetry.decision_attributes import DecisionAttributes
from abs_shield.telemetry.decision_counters import (
    DecisionCounters,
    clear_measurements,
    restart_in_children,
)
from abs_shield.text.safe_display import escaped

_MOST_CHECKS = 100  # a custom layer may have any name; each is multiplied by tools and verdicts
# from 10 us, because a check takes tens of microseconds and OpenTelemetry's default buckets begin
# at 5 s; the last ones are for checks that ask a model
_SECONDS = (1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 0.1, 1.0, 10.0)


class MetricInstruments:
    """The metric instruments of one meter."""

    def __init__(self, meter: Meter, counts: DecisionCounters) -> None:
        self._counts = counts
        self._checks: set[str] = set()
        self._findings = meter.create_counter(
            semconv.METRIC_FINDINGS, unit="{finding}", description="Findings of checks"
        )
        self._retries = meter.create_counter(
            semconv.METRIC_RETRIES,
            unit="{decision}",
            description="Blocked calls sent back to the model under a retry budget",
        )
        self._duration = meter.create_histogram(
            semconv.METRIC_DURATION,
            unit="s",
            description="Duration of the checks of one decision",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )
        restart_in_children(self)

    def restart(self) -> None:
        """Reset the measurements in a forked child."""
        clear_measurements((self._findings, self._retries, self._duration))

    def record(self, decision: Decision, attributes: DecisionAttributes) -> None:
        """Record the metrics of *decision*, if an SDK reads them."""
        # the bare API accepts measurements, too, but each would cost a call time for nothing
        if not self._counts.has_reader:
            return
        self._counts.add(attributes.labels, decision.coverage, tool=attributes.tool)
        self._duration.record(decision.elapsed_ms / 1_000, attributes.duration)
        for finding in decision.findings:
            self._findings.add(1, self._labels(finding, attributes.tool))
        if decision.blocked and decision.attempts_left is not None:
            self._retries.add(1, {semconv.ATTRIBUTE_TOOL: attributes.tool})

    def _labels(self, finding: Finding, tool: str) -> dict[str, str]:
        return {
            semconv.ATTRIBUTE_FINDING_CHECK: self._bounded_name(finding.check),
            semconv.ATTRIBUTE_TOOL: tool,
            semconv.ATTRIBUTE_FINDING_VERDICT: finding.verdict.value,
        }

    def _bounded_name(self, check: str) -> str:
        """Return a check's name; `_other` beyond the limit: a custom layer may have any name."""
        if check not in self._checks:
            if len(self._checks) >= _MOST_CHECKS:
                return semconv.VALUE_OTHER
            self._checks.add(check)
        return escaped(check)
