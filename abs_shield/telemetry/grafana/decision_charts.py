"""The panels about decisions, checks and the decision log."""

from __future__ import annotations

from abs_shield.core import Action, Outcome
from abs_shield.telemetry.grafana import promql
from abs_shield.telemetry.grafana.panel_chart import (
    IN_MODE,
    IN_SERVICE,
    IN_TOOL,
    NOT_RUN,
    RANGE,
    Chart,
    ColourSteps,
    PanelQuery,
    curve,
    growth_query,
    legend_of,
    percentile,
    total,
)
from abs_shield.telemetry.grafana.promql import growth, select, share, sum_by

NO_TOOL = "answers and outputs"
"""The heatmap row for answers and outputs, which belong to no tool."""
BLOCK_RATE_STEPS: ColourSteps = {None: "blue", 0.05: "orange", 0.2: "red"}
"""Colours of a block rate: 1 in 20 is worth a look; distinct with red-green colour blindness."""
ANY_STEPS: ColourSteps = {None: "blue", 1.0: "red"}
"""Colours of a count that should be 0."""

_BY_TOOL = (promql.SUBJECT, promql.TOOL)
_BY_CELL = (promql.TOOL, promql.CHECK)

_DECISIONS = select(promql.DECISIONS, *IN_MODE)
_BLOCKED = select(promql.DECISIONS, *IN_MODE, f'{promql.BLOCKED}="true"')
_WOULD_BLOCK = select(
    promql.DECISIONS,
    *IN_MODE,
    f'{promql.ACTION}="{Action.BLOCK}"',
    f'{promql.BLOCKED}="false"',
)
_ALL_CHECKS = select(promql.COVERAGE, *IN_TOOL)
_RAN = select(promql.COVERAGE, *IN_TOOL, f'{promql.OUTCOME}="{Outcome.RAN}"')
_ERRORS = select(promql.COVERAGE, *IN_TOOL, f'{promql.OUTCOME}="{Outcome.ERROR}"')
_FINDINGS = select(promql.FINDINGS, *IN_TOOL)
_LOG_DROPPED = select(promql.LOG_DROPPED, IN_SERVICE)
_LOG_WAITING = select(promql.LOG_WAITING, IN_SERVICE)


def _cells() -> str:
    """Return the query of the heatmap: findings per run of a check; `NOT_RUN` if it never ran."""
    relabel = f'"{promql.CHECK}", "$1", "{promql.FINDING_CHECK}", "(.+)"'
    findings = sum_by(_BY_CELL, f"label_replace({growth(_FINDINGS, RANGE)}, {relabel})")
    ran = sum_by(_BY_CELL, growth(_RAN, RANGE))
    requested = sum_by(_BY_CELL, growth(_ALL_CHECKS, RANGE))
    cells = f"{findings} / ({ran} > 0)\nor ({ran} > 0) * 0\nor ({requested} > 0) * 0 {NOT_RUN:+d}"
    return f'label_replace({cells}, "{promql.TOOL}", "{NO_TOOL}", "{promql.TOOL}", "")'


OVERVIEW = (
    Chart(
        title="Decisions",
        meaning="Calls, results, answers and outputs that were judged in the time shown.",
        queries=(PanelQuery(total(_DECISIONS)),),
        kind="number",
        unit="locale",
        width=4,
    ),
    Chart(
        title="Blocked",
        meaning="Share of all decisions that were blocked.",
        queries=(PanelQuery(share(total(_BLOCKED), total(_DECISIONS))),),
        kind="number",
        unit="percentunit",
        width=4,
        steps=BLOCK_RATE_STEPS,
    ),
    Chart(
        title="Strict would also block",
        meaning="Share of all decisions that audit mode allowed and strict mode would block.",
        queries=(PanelQuery(share(total(_WOULD_BLOCK), total(_DECISIONS))),),
        kind="number",
        unit="percentunit",
        width=4,
        steps=BLOCK_RATE_STEPS,
    ),
    Chart(
        title="Check errors",
        meaning=(
            "Checks that failed with an internal error. Strict mode blocks such a call, audit mode"
            " allows it. The mode is not filtered."
        ),
        queries=(PanelQuery(f"{total(_ERRORS)} or 0 * {total(_ALL_CHECKS)}"),),
        kind="number",
        unit="locale",
        width=4,
        steps=ANY_STEPS,
    ),
    Chart(
        title="Lost by the log",
        meaning=(
            "Decisions that the decision log lost because it could not be written. No data where"
            " no log is kept on disk."
        ),
        queries=(PanelQuery(total(_LOG_DROPPED)),),
        kind="number",
        unit="locale",
        width=4,
        steps=ANY_STEPS,
    ),
    Chart(
        title="Waiting for the log",
        meaning="Decisions that are not written yet; a buffer holds 10,000 by default.",
        queries=(PanelQuery(sum_by((), _LOG_WAITING)),),
        kind="number",
        unit="locale",
        width=4,
        steps={None: "blue", 1_000.0: "orange", 5_000.0: "red"},  # a tenth and half of the buffer
    ),
)

RISK = (
    Chart(
        title="Risk heatmap",
        meaning=(
            "Findings for each time that a check ran, by tool and check: 5% is one finding in 20"
            " runs. A cell says `not run` where the check was requested and never could judge, and"
            " is empty where it was never requested. A click on a tool's cell opens its decisions"
            " on the page of `abs-shield dashboard`. The mode is not filtered."
        ),
        queries=(PanelQuery(_cells()),),
        kind="heatmap",
        unit="percentunit",
        width=24,
        steps={
            None: "transparent",
            0.0: "super-light-blue",
            1e-9: "super-light-orange",  # any finding at all, as opposed to none
            0.05: "light-orange",
            0.2: "dark-orange",
            0.5: "dark-red",
        },
    ),
)

VERDICTS = (
    Chart(
        title="Block rate by tool",
        meaning="Share of the decisions about a tool that were blocked.",
        queries=(
            PanelQuery(
                share(curve(_BLOCKED, *_BY_TOOL), curve(_DECISIONS, *_BY_TOOL)),
                legend_of(*_BY_TOOL),
            ),
        ),
        unit="percentunit",
        most=1,
    ),
    Chart(
        title="Strict would also block",
        meaning=(
            "Share of the decisions about a tool that were allowed and that strict mode would"
            " block: what changes for its users on the day it becomes strict."
        ),
        queries=(
            PanelQuery(
                share(curve(_WOULD_BLOCK, *_BY_TOOL), curve(_DECISIONS, *_BY_TOOL)),
                legend_of(*_BY_TOOL),
            ),
        ),
        unit="percentunit",
        most=1,
    ),
    Chart(
        title="Verdicts",
        meaning="Decisions per second by verdict.",
        queries=(PanelQuery(curve(_DECISIONS, promql.VERDICT), legend_of(promql.VERDICT)),),
        unit="cps",
        stacked=True,
        colours={"CLEAN": "blue", "SUSPICIOUS": "orange", "HALLUCINATED": "red"},
    ),
    Chart(
        title="Blocked calls returned to the model",
        meaning=(
            "Blocked calls that the model may correct, by tool. A tool whose curve rises makes the"
            " model try again and again."
        ),
        queries=(growth_query(select(promql.RETRIES, *IN_TOOL), promql.TOOL),),
    ),
)

CHECKS = (
    Chart(
        title="Findings by check",
        meaning="Findings per second, those that do not change a verdict included.",
        queries=(
            PanelQuery(curve(_FINDINGS, promql.FINDING_CHECK), legend_of(promql.FINDING_CHECK)),
        ),
        unit="cps",
    ),
    Chart(
        title="Coverage by check",
        meaning=(
            "Share of a check's decisions on which it ran. The rest it could not judge: no"
            " messages, no log-probabilities, no profile, or an error."
        ),
        queries=(
            PanelQuery(
                share(curve(_RAN, promql.CHECK), curve(_ALL_CHECKS, promql.CHECK)),
                legend_of(promql.CHECK),
            ),
        ),
        unit="percentunit",
        most=1,
    ),
    Chart(
        title="Check errors",
        meaning="Internal errors of checks and rules, by check and tool. It should be empty.",
        queries=(growth_query(_ERRORS, promql.CHECK, promql.TOOL),),
    ),
    Chart(
        title="Time to judge, 95th percentile",
        meaning="One decision in 20 takes longer. The agent waits for it.",
        queries=(
            PanelQuery(
                percentile(0.95, promql.DURATION, promql.SUBJECT, within=IN_TOOL),
                legend_of(promql.SUBJECT),
            ),
        ),
        unit="s",
    ),
)

LOG = (
    Chart(
        title="Lost by the log",
        meaning="Decisions that the decision log lost, by process. It should stay at 0.",
        queries=(growth_query(_LOG_DROPPED, promql.JOB, promql.INSTANCE),),
    ),
    Chart(
        title="Waiting for the log",
        meaning="Decisions that are not written yet, by process. What rises steadily will be lost.",
        queries=(
            PanelQuery(
                sum_by((promql.JOB, promql.INSTANCE), _LOG_WAITING),
                legend_of(promql.JOB, promql.INSTANCE),
            ),
        ),
    ),
)
