"""The alert rules, and their text as a rule file of Prometheus."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import indent, wrap

from abs_shield.core import Action, Outcome
from abs_shield.telemetry import semconv
from abs_shield.telemetry.grafana import promql
from abs_shield.telemetry.grafana.promql import growth, rate_before, select, share, sum_by

BLOCK_RATE_RISE = 0.1
"""Rise of the block rate, as a share of all decisions, that fires: 2 of the `LEAST` decisions."""
COVERAGE_FALL = 0.2
"""Fall of the share of checks that ran that fires: twice as much, as runs without messages vary."""
LEAST = 20
"""Minimum number of decisions or checks: below it, one call moves a rate by more than 5 points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """
    One alert rule.

    Attributes:
        name: The name of the alert.
        comment: The condition in words, and the numbers to change.
        expression: PromQL; each series that it returns is an alert.
        duration: How long it must return the series before the alert fires.
        severity: ``warning`` or ``critical``.
        summary: One line, a Prometheus template.
        description: The meaning, and what to do.
    """

    name: str
    comment: str
    expression: str
    duration: str
    severity: str
    summary: str
    description: str


_BY_TOOL = (promql.JOB, promql.SUBJECT, promql.TOOL)
_BY_CHECK = (promql.JOB, promql.CHECK)
_BY_STAGE = (promql.JOB, semconv.LABEL_STAGE)
_BLOCKED = select(promql.DECISIONS, f'{promql.ACTION}="{Action.BLOCK}"')
_RAN = select(promql.COVERAGE, f'{promql.OUTCOME}="{Outcome.RAN}"')
_ERROR = select(promql.COVERAGE, f'{promql.OUTCOME}="{Outcome.ERROR}"')
_STAGE_ERROR = select(semconv.METRIC_QUALITY_FAILURES, f'{semconv.LABEL_OUTCOME}="{Outcome.ERROR}"')


def _as_check(stages: str) -> str:
    """Return series of stages with the label of checks: a Shield reports a stage as a check."""
    renamed = f'"{promql.CHECK}", "$1", "{semconv.LABEL_STAGE}", "(.+)"'
    return sum_by(_BY_CHECK, f"label_replace({stages}, {renamed})")


# recorded, because the alerts would repeat each part several times in their expressions
RECORDINGS = {
    "abs_shield:blocked:15m": sum_by(_BY_TOOL, growth(_BLOCKED, "15m")),
    "abs_shield:decisions:15m": sum_by(_BY_TOOL, growth(promql.DECISIONS, "15m")),
    "abs_shield:blocked:day_before": sum_by(_BY_TOOL, rate_before(_BLOCKED, "15m")),
    "abs_shield:decisions:day_before": sum_by(_BY_TOOL, rate_before(promql.DECISIONS, "15m")),
    "abs_shield:block_rate:15m": share("abs_shield:blocked:15m", "abs_shield:decisions:15m"),
    "abs_shield:block_rate:day_before": share(
        "abs_shield:blocked:day_before", "abs_shield:decisions:day_before"
    ),
    "abs_shield:ran:30m": sum_by(_BY_CHECK, growth(_RAN, "30m")),
    "abs_shield:checks:30m": sum_by(_BY_CHECK, growth(promql.COVERAGE, "30m")),
    "abs_shield:ran:day_before": sum_by(_BY_CHECK, rate_before(_RAN, "30m")),
    "abs_shield:checks:day_before": sum_by(_BY_CHECK, rate_before(promql.COVERAGE, "30m")),
    "abs_shield:coverage:30m": share("abs_shield:ran:30m", "abs_shield:checks:30m"),
    "abs_shield:coverage:day_before": share(
        "abs_shield:ran:day_before", "abs_shield:checks:day_before"
    ),
    "abs_shield:check_errors:10m": sum_by((*_BY_CHECK, promql.TOOL), growth(_ERROR, "10m")),
    "abs_shield:stage_errors:10m": _as_check(sum_by(_BY_STAGE, growth(_STAGE_ERROR, "10m"))),
    "abs_shield:log_dropped:15m": sum_by(
        (promql.JOB, promql.INSTANCE), growth(promql.LOG_DROPPED, "15m")
    ),
}
"""Recording rules that the alerts use, in evaluation order: name to expression."""

_TOOL = f"{{{{ $labels.{promql.TOOL} }}}}"
_CHECK = f"{{{{ $labels.{promql.CHECK} }}}}"
_SUBJECT = f"{{{{ $labels.{promql.SUBJECT} }}}}"
# Prometheus templates; the braces above are doubled for the f-strings
_SHARE = "{{ $value | humanizePercentage }}"
_COUNT = "{{ $value | humanize }}"

ALERTS = (
    Alert(
        name="AbsShieldBlockRateJumps",
        comment=(
            "The share of a tool's calls (results, answers, outputs) that are blocked, or would be"
            f" in strict mode, is {BLOCK_RATE_RISE:g} above that of the day before. Without a day"
            f" before, that counts as 0. Fewer than {LEAST} decisions are not compared."
        ),
        expression=(
            "abs_shield:block_rate:15m\n"
            f"> (abs_shield:block_rate:day_before or 0 * abs_shield:decisions:15m)"
            f" + {BLOCK_RATE_RISE:g}\n"
            f"and abs_shield:decisions:15m >= {LEAST}"
        ),
        duration="5m",
        severity="warning",
        summary=f"{_SHARE} of decisions are blocked: {_SUBJECT} {_TOOL}",
        description=(
            "The share that is blocked, or would be in strict mode, is far above that of the day"
            " before. A new model, prompt or policy is the usual cause. Compare them with"
            " `abs-shield report --by revision`, then read the decisions of the tool."
        ),
    ),
    Alert(
        name="AbsShieldCoverageDrops",
        comment=(
            f"The share of a check's decisions on which it ran is {COVERAGE_FALL:g} below that of"
            f" the day before. Fewer than {LEAST} decisions are not compared."
        ),
        expression=(
            "abs_shield:coverage:30m\n"
            f"< abs_shield:coverage:day_before - {COVERAGE_FALL:g}\n"
            f"and abs_shield:checks:30m >= {LEAST}"
        ),
        duration="10m",
        severity="warning",
        summary=f"The check {_CHECK} ran on only {_SHARE} of decisions",
        description=(
            "The check ran on far more decisions the day before. Its input is missing (messages"
            " of the session, log-probabilities, a profile), the Shield is off, or the check"
            " fails. Decisions are made without it."
        ),
    ),
    Alert(
        name="AbsShieldCheckErrors",
        comment=(
            "A check, a rule or a stage of the quality cascade failed within the last 10 minutes."
            " Raise `> 0` to tolerate single errors."
        ),
        expression=("abs_shield:check_errors:10m > 0\nor abs_shield:stage_errors:10m > 0"),
        duration="0m",
        severity="critical",
        summary=f"Internal errors of the check {_CHECK}: {_COUNT}",
        description=(
            "An internal error is not a verdict: strict mode blocks the call, audit mode allows"
            " it. The log line of the decision names the failure and its place under `errors`."
        ),
    ),
    Alert(
        name="AbsShieldLogDrops",
        comment="The decision log lost a decision within the last 15 minutes.",
        expression="abs_shield:log_dropped:15m > 0",
        duration="0m",
        severity="critical",
        summary=f"The decision log of {{{{ $labels.instance }}}} lost decisions: {_COUNT}",
        description=(
            "The database is locked, full or unreachable, and the buffer is full. Reports have a"
            " gap there; `store.status.error` has the reason."
        ),
    ),
)

_HEADER = """\
# Alert rules for the metrics of abs_shield: a rule file of Prometheus.
#
# In prometheus.yml:    rule_files: [abs_shield_alerts.yaml]
# After your changes:   promtool check rules abs_shield_alerts.yaml
groups:
  - name: abs_shield
    rules:
"""


def rules_text() -> str:
    """Return the rules as the YAML of a rule file."""
    lines = [*_recordings(), *_alerts()]
    return _HEADER + indent("\n".join(lines), "      ") + "\n"


def _recordings() -> Iterator[str]:
    yield "# The parts that the alerts below compare."
    for name, expression in RECORDINGS.items():
        yield f"- record: {name}"
        yield from _expression(expression)


def _alerts() -> Iterator[str]:
    for alert in ALERTS:
        yield ""
        yield from (f"# {line}" for line in wrap(alert.comment, 90))
        yield f"- alert: {alert.name}"
        yield from _expression(alert.expression)
        yield f"  for: {alert.duration}"
        yield f"  labels: {{severity: {alert.severity}}}"
        yield "  annotations:"
        yield f"    summary: {json.dumps(alert.summary)}"  # a JSON string is valid YAML
        yield f"    description: {json.dumps(alert.description)}"


def _expression(text: str) -> Iterator[str]:
    yield "  expr: |-"
    yield from (f"    {line}" for line in text.splitlines())
