"""Prometheus names of the metrics, and building blocks of PromQL expressions."""

from __future__ import annotations

from abs_shield.telemetry import semconv


def _prometheus_name(name: str) -> str:
    """Return an OpenTelemetry name as exporters write it for Prometheus, without dots."""
    return name.replace(".", "_")


# exporters append `_total` to counters, drop units in braces, and write `s` as `_seconds`
DECISIONS = f"{_prometheus_name(semconv.METRIC_DECISIONS)}_total"
FINDINGS = f"{_prometheus_name(semconv.METRIC_FINDINGS)}_total"
COVERAGE = f"{_prometheus_name(semconv.METRIC_COVERAGE)}_total"
DURATION = f"{_prometheus_name(semconv.METRIC_DURATION)}_seconds"
RETRIES = f"{_prometheus_name(semconv.METRIC_RETRIES)}_total"
LOG_DROPPED = f"{_prometheus_name(semconv.METRIC_LOG_DROPPED)}_total"
LOG_WAITING = _prometheus_name(semconv.METRIC_LOG_WAITING)

JOB = "job"
INSTANCE = "instance"
TOOL = _prometheus_name(semconv.ATTRIBUTE_TOOL)
SUBJECT = _prometheus_name(semconv.ATTRIBUTE_SUBJECT)
VERDICT = _prometheus_name(semconv.ATTRIBUTE_VERDICT)
ACTION = _prometheus_name(semconv.ATTRIBUTE_ACTION)
MODE = _prometheus_name(semconv.ATTRIBUTE_MODE)
BLOCKED = _prometheus_name(semconv.ATTRIBUTE_BLOCKED)
CHECK = _prometheus_name(semconv.ATTRIBUTE_CHECK)
OUTCOME = _prometheus_name(semconv.ATTRIBUTE_OUTCOME)
FINDING_CHECK = _prometheus_name(semconv.ATTRIBUTE_FINDING_CHECK)

_LOOKBACK = "1h"
"""Absence after which a series counts as new: longer than a failed scrape."""


def select(series: str, *matchers: str) -> str:
    """
    Return a selector.

    >>> select("up", 'job="shop"')
    'up{job="shop"}'
    """
    return f"{series}{{{', '.join(matchers)}}}" if matchers else series


def sum_by(labels: tuple[str, ...], expression: str) -> str:
    """
    Return the sum of an expression by labels; a single number without labels.

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
    Return the growth of counters within a window, including new series.

    `increase` alone misses a series whose first sample is its whole growth, such as the first
    error of a check, which matters most.
    """
    new = f"{selector} unless last_over_time({selector}[{_LOOKBACK}] offset {window})"
    return f"({new})\n  or increase({selector}[{window}])"


def share(part: str, whole: str) -> str:
    """Return the ratio of a part to a whole by label; 0 if the part has no series."""
    return f"({part}\n  or 0 * {whole})\n/ ({whole} > 0)"


def bucket(histogram: str) -> str:
    """Return the series of a histogram's buckets."""
    return f"{histogram}_bucket"


def quantile(level: float, buckets: str, *labels: str, window: str) -> str:
    """Return a quantile of a histogram by labels."""
    summed = sum_by((*labels, "le"), rate(buckets, window))
    return f"histogram_quantile({level}, {summed})"
