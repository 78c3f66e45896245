"""The metrics as Prometheus names them, and the parts that PromQL expressions are made of."""

from __future__ import annotations

from abs_shield.telemetry import semconv


def _flat(name: str) -> str:
    """Return a name of OpenTelemetry as the exporters write it: no dots."""
    return name.replace(".", "_")


# a counter ends in `_total`; a unit in braces leaves no trace, and `s` becomes `_seconds`
DECISIONS = f"{_flat(semconv.METRIC_DECISIONS)}_total"
FINDINGS = f"{_flat(semconv.METRIC_FINDINGS)}_total"
COVERAGE = f"{_flat(semconv.METRIC_COVERAGE)}_total"
DURATION = f"{_flat(semconv.METRIC_DURATION)}_seconds"
RETRIES = f"{_flat(semconv.METRIC_RETRIES)}_total"
LOG_DROPPED = f"{_flat(semconv.METRIC_LOG_DROPPED)}_total"
LOG_WAITING = _flat(semconv.METRIC_LOG_WAITING)

JOB = "job"
INSTANCE = "instance"
TOOL = _flat(semconv.ATTRIBUTE_TOOL)
SUBJECT = _flat(semconv.ATTRIBUTE_SUBJECT)
VERDICT = _flat(semconv.ATTRIBUTE_VERDICT)
ACTION = _flat(semconv.ATTRIBUTE_ACTION)
MODE = _flat(semconv.ATTRIBUTE_MODE)
BLOCKED = _flat(semconv.ATTRIBUTE_BLOCKED)
CHECK = _flat(semconv.ATTRIBUTE_CHECK)
OUTCOME = _flat(semconv.ATTRIBUTE_OUTCOME)
FINDING_CHECK = _flat(semconv.ATTRIBUTE_FINDING_CHECK)

_LOOKBACK = "1h"
"""How long a series must have been absent to be new: longer than a scrape that failed."""


def select(series: str, *matchers: str) -> str:
    """
    Return a selector.

    >>> select("up", 'job="shop"')
    'up{job="shop"}'
    """
    return f"{series}{{{', '.join(matchers)}}}" if matchers else series


def sum_by(labels: tuple[str, ...], expression: str) -> str:
    """
    Return the sum of an expression by labels; without labels one number.

    >>> sum_by(("job", "instance"), "up"), sum_by((), "up")
    ('sum by (job, instance) (up)', 'sum(up)')
    """
    by = f" by ({', '.join(labels)}) " if labels else ""
    return f"sum{by}({expression})"


def rate(selector: str, window: str) -> str:
    """Return the growth per second of counters."""
    return f"rate({selector}[{window}])"


def rate_before(selector: str, window: str) -> str:
    """Return the growth per second of counters in the day before a window."""
    return f"rate({selector}[1d] offset {window})"


def growth(selector: str, window: str) -> str:
    """
    Return by how much counters grew within a window, also those that are new.

    `increase` alone sees nothing of a series whose first sample is the whole of its growth: of the
    first error of a check, which is the one to see.
    """
    new = f"{selector} unless last_over_time({selector}[{_LOOKBACK}] offset {window})"
    return f"({new})\n  or increase({selector}[{window}])"


def share(part: str, whole: str) -> str:
    """Return the share of a part in a whole by the same labels: 0 where the part has no series."""
    return f"({part}\n  or 0 * {whole})\n/ ({whole} > 0)"


def bucket(histogram: str) -> str:
    """Return the series of a histogram's buckets."""
    return f"{histogram}_bucket"


def quantile(level: float, buckets: str, *labels: str, window: str) -> str:
    """Return a quantile of a histogram by labels."""
    summed = sum_by((*labels, "le"), rate(buckets, window))
    return f"histogram_quantile({level}, {summed})"
