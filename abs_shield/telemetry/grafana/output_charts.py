"""The panels about outputs: the quality cascade."""

from __future__ import annotations

from abs_shield.telemetry import semconv
from abs_shield.telemetry.grafana import promql
from abs_shield.telemetry.grafana.panel_chart import (
    IN_SERVICE,
    Chart,
    PanelQuery,
    curve,
    growth_query,
    legend_of,
    percentile,
)
from abs_shield.telemetry.grafana.promql import select

_IN_AGENT = (IN_SERVICE, f'{semconv.LABEL_AGENT}=~"$agent"')
_BY_AGENT = (semconv.LABEL_AGENT, semconv.LABEL_TASK_TYPE, semconv.LABEL_MODEL)

OUTPUTS = (
    Chart(
        title="Outputs held back",
        meaning="Outputs that the quality cascade held back, by the stage that did.",
        queries=(
            growth_query(select(semconv.METRIC_QUALITY_BLOCKS, IN_SERVICE), semconv.LABEL_REASON),
        ),
    ),
    Chart(
        title="Stages that failed or were unavailable",
        meaning="Stages of the quality cascade that could not check an output, by outcome.",
        queries=(
            growth_query(
                select(semconv.METRIC_QUALITY_FAILURES, IN_SERVICE),
                semconv.LABEL_STAGE,
                semconv.LABEL_OUTCOME,
            ),
        ),
    ),
    Chart(
        title="Quality score",
        meaning=(
            "Moving average of the score, 0 to 100, by agent, task type and model. One output in"
            " ten scores below the last curve."
        ),
        queries=(
            PanelQuery(
                f"avg by ({', '.join(_BY_AGENT)})"
                f" ({select(semconv.METRIC_QUALITY_AVERAGE, *_IN_AGENT)})",
                legend_of(*_BY_AGENT),
            ),
            PanelQuery(
                percentile(0.1, semconv.METRIC_QUALITY_SCORE, within=_IN_AGENT),
                "10th percentile",
            ),
        ),
        most=100,
    ),
    Chart(
        title="Shifts of the quality score",
        meaning=(
            "Times that the scores of an agent, task type and model moved away from their usual"
            " level, up or down. A new model or prompt is the usual cause."
        ),
        queries=(growth_query(select(semconv.METRIC_QUALITY_SHIFTS, *_IN_AGENT), *_BY_AGENT),),
    ),
    Chart(
        title="Hallucination score, 95th percentile",
        meaning="In percent; one output in 20 scores higher.",
        queries=(
            PanelQuery(
                percentile(0.95, semconv.METRIC_HALLUCINATION_SCORE, within=(IN_SERVICE,)),
                "95th percentile",
            ),
        ),
        unit="percent",
        width=8,
        most=100,
    ),
    Chart(
        title="False positives",
        meaning=(
            "Share of the labelled outputs that were held back although they were right; empty"
            " without labels."
        ),
        queries=(
            PanelQuery(
                f"max by ({promql.JOB}) ({select(semconv.METRIC_FALSE_POSITIVES, IN_SERVICE)})",
                legend_of(promql.JOB),
            ),
        ),
        unit="percentunit",
        width=8,
        most=1,
    ),
    Chart(
        title="Cost of judges per hour",
        meaning="About, in US dollars: four characters are counted as a token.",
        queries=(
            PanelQuery(
                f"3600 * {curve(select(semconv.METRIC_JUDGE_COST, IN_SERVICE), promql.JOB)}",
                legend_of(promql.JOB),
            ),
        ),
        unit="currencyUSD",
        width=8,
    ),
    Chart(
        title="Time of a stage, 95th percentile",
        meaning="One output in 20 takes longer in the stage.",
        queries=(
            PanelQuery(
                percentile(
                    0.95, semconv.METRIC_STAGE_DURATION, semconv.LABEL_STAGE, within=(IN_SERVICE,)
                ),
                legend_of(semconv.LABEL_STAGE),
            ),
        ),
        unit="s",
    ),
    Chart(
        title="Not judged or scored in the background",
        meaning="Outputs that left without a judge or a score because the queue was full.",
        queries=(growth_query(select(semconv.METRIC_QUALITY_DROPPED, IN_SERVICE), promql.JOB),),
    ),
)
