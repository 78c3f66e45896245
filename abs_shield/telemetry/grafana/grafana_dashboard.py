"""The dashboard as Grafana's JSON, built with `grafana-foundation-sdk`."""

from __future__ import annotations

from typing import Any

from grafana_foundation_sdk.builders.common import (
    ReduceDataOptions,
    StackingConfig,
    VizLegendOptions,
    VizTooltipOptions,
)
from grafana_foundation_sdk.builders.dashboard import (
    Dashboard,
    DashboardLink,
    DatasourceVariable,
    FieldColor,
    QueryVariable,
    Row,
    TextBoxVariable,
    ThresholdsConfig,
)
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.builders.stat import Panel as Stat
from grafana_foundation_sdk.builders.table import Panel as Table
from grafana_foundation_sdk.builders.timeseries import Panel as Timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import (
    BigValueColorMode,
    BigValueGraphMode,
    LegendDisplayMode,
    LegendPlacement,
    SortOrder,
    StackingMode,
    TableCellBackgroundDisplayMode,
    TableColoredBackgroundCellOptions,
    TooltipDisplayMode,
)
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DashboardLinkType,
    DataSourceRef,
    DataTransformerConfig,
    DynamicConfigValue,
    FieldColorModeId,
    Threshold,
    ThresholdsMode,
    ValueMap,
    ValueMappingResult,
    VariableOption,
    VariableRefresh,
    VariableSort,
)
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from abs_shield.telemetry import semconv
from abs_shield.telemetry.grafana import promql
from abs_shield.telemetry.grafana.decision_charts import CHECKS, LOG, OVERVIEW, RISK, VERDICTS
from abs_shield.telemetry.grafana.output_charts import OUTPUTS
from abs_shield.telemetry.grafana.panel_chart import NOT_RUN, Chart, ColourSteps

ROWS = {
    "Overview": OVERVIEW,
    "Where the agents hallucinate": RISK,
    "Verdicts": VERDICTS,
    "Checks": CHECKS,
    "Outputs: the quality cascade": OUTPUTS,
    "Decision log": LOG,
}
"""Title of a row to its panels."""


UID = "abs-shield"
"""Never changed, so that a newer dashboard replaces an older one."""
_SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
_PAGE = "http://127.0.0.1:8321"
"""The default address of `abs-shield dashboard`."""
_CELL = (
    "${page:raw}/cell?row=${__data.fields[0]:percentencode}&check=${__field.name:percentencode}"
    "&since=${__from:date:iso}&until=${__to:date:iso}"
)
# in rows of Grafana's grid: numbers need no axis, the heatmap a line for each tool
_HEIGHTS = {"number": 4, "curves": 8, "heatmap": 12}

Panel = Stat | Table | Timeseries
VARIABLES = {
    "job": ("Service", f"label_values({promql.DECISIONS}, {promql.JOB})"),
    "tool": ("Tool", f'label_values({promql.COVERAGE}{{job=~"$job"}}, {promql.TOOL})'),
    "mode": ("Mode", f'label_values({promql.DECISIONS}{{job=~"$job"}}, {promql.MODE})'),
    "agent": (
        "Agent (quality scores)",
        f'label_values({semconv.METRIC_QUALITY_AVERAGE}{{job=~"$job"}}, {semconv.LABEL_AGENT})',
    ),
}
"""Dashboard variables queried from Prometheus: name to label and query."""


def dashboard_text() -> str:
    """Return the dashboard as JSON."""
    # sorted, so that a new version of the SDK changes few lines of the file
    return JSONEncoder(sort_keys=True, indent=2).encode(_dashboard().build()) + "\n"


def _dashboard() -> Dashboard:
    built = (
        Dashboard("abs_shield: where agents hallucinate")
        .uid(UID)
        .description("Decisions, findings and checks of abs_shield, from its OpenTelemetry metrics")
        .tags(["abs-shield", "agents"])
        .time("now-24h", "now")
        .timezone("browser")
        .refresh("1m")  # as often as the SDK exports metrics by default
        .editable()
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .link(_page_link())
        .with_variable(DatasourceVariable("datasource").label("Data source").type("prometheus"))
    )
    for name, (label, query) in VARIABLES.items():
        built.with_variable(_variable(name, label, query))
    built.with_variable(_page_variable())
    number = 0
    for title, charts in ROWS.items():
        built.with_row(Row(title).id(number := number + 1))
        for chart in charts:
            built.with_panel(_panel(chart).id(number := number + 1))
    return built


def _page_link() -> DashboardLink:
    return (
        DashboardLink("Risk heatmap page")
        .type(DashboardLinkType.LINK)
        .url("${page:raw}/")
        .tooltip("The page of `abs-shield dashboard`, for single decisions")
        .target_blank(True)
    )


def _page_variable() -> TextBoxVariable:
    return (
        TextBoxVariable("page")
        .label("Page of abs-shield dashboard")
        .description("The address to which cells of the heatmap link")
        .default_value(_PAGE)
        .current(VariableOption(text=_PAGE, value=_PAGE))
    )


def _variable(name: str, label: str, query: str) -> QueryVariable:
    # `.*` instead of all values, so that All includes series without the label: outputs, answers
    return (
        QueryVariable(name)
        .label(label)
        .query(query)
        .datasource(_SOURCE)
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(VariableSort.ALPHABETICAL_CASE_INSENSITIVE_ASC)
        .multi(True)
        .include_all(True)
        .all_value(".*")
        .current(VariableOption(text="All", value="$__all"))
    )


def _panel(chart: Chart) -> Panel:
    kinds = {"number": _stat, "curves": _timeseries, "heatmap": _table}
    panel: Any = kinds[chart.kind](chart)
    panel.title(chart.title).description(chart.meaning).unit(chart.unit).datasource(_SOURCE)
    panel.span(chart.width).height(_HEIGHTS[chart.kind])
    for place, query in enumerate(chart.queries):
        target = Dataquery().expr(query.expression).ref_id(chr(ord("A") + place))
        target.datasource(_SOURCE)
        if query.legend:
            target.legend_format(query.legend)
        if chart.kind == "curves":
            target.range()
        else:
            target.instant()  # one value for the whole range
        if chart.kind == "heatmap":
            target.format(PromQueryFormat.TABLE)
        panel.with_target(target)
    built: Panel = panel
    return built


def _stat(chart: Chart) -> Stat:
    return (
        Stat()
        .reduce_options(ReduceDataOptions().calcs(["lastNotNull"]))
        .graph_mode(BigValueGraphMode.NONE)
        .color_mode(BigValueColorMode.VALUE)
        .color_scheme(FieldColor().mode(FieldColorModeId.THRESHOLDS))
        .thresholds(_steps(chart.steps or {None: "text"}))
        .decimals(1 if chart.unit == "percentunit" else 0)
        .no_value("no data")
    )


def _timeseries(chart: Chart) -> Timeseries:
    panel = (
        Timeseries()
        .min(0)
        .fill_opacity(60 if chart.stacked else 10)
        .span_nulls(False)  # a gap is a process that was down, not a straight line
        .color_scheme(FieldColor().mode(FieldColorModeId.PALETTE_CLASSIC))
        .legend(
            VizLegendOptions()
            .show_legend(True)
            .display_mode(LegendDisplayMode.TABLE)
            .placement(LegendPlacement.BOTTOM)
            .calcs(["lastNotNull", "max"])
        )
        .tooltip(VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING))
    )
    if chart.most is not None:
        panel.max(chart.most)
    if chart.stacked:
        panel.stacking(StackingConfig().mode(StackingMode.NORMAL))
    for name, colour in (chart.colours or {}).items():
        fixed = {"mode": FieldColorModeId.FIXED, "fixedColor": colour}
        panel.override_by_name(name, [DynamicConfigValue(id_val="color", value=fixed)])
    return panel


def _table(chart: Chart) -> Table:
    matrix = {
        "rowField": promql.TOOL,
        "columnField": promql.CHECK,
        "valueField": "Value",
        "emptyValue": "null",
    }
    not_run = ValueMappingResult(text="not run", color="#8a8a8a", index=0)
    first_column = [
        DynamicConfigValue(id_val="displayName", value="Tool"),
        DynamicConfigValue(id_val="custom.cellOptions", value={"type": "auto"}),
        DynamicConfigValue(id_val="custom.minWidth", value=160),
        DynamicConfigValue(id_val="links", value=[]),
    ]
    return (
        Table()
        .with_transformation(DataTransformerConfig("groupingToMatrix", options=matrix))
        .cell_options(TableColoredBackgroundCellOptions(mode=TableCellBackgroundDisplayMode.BASIC))
        .color_scheme(FieldColor().mode(FieldColorModeId.THRESHOLDS))
        .thresholds(_steps(chart.steps or {}))
        .mappings([ValueMap(options={str(NOT_RUN): not_run})])
        .data_links([DashboardLink("Show the decisions").url(_CELL).target_blank(True)])
        .override_by_regexp(f"/^{promql.TOOL}/", first_column)
        .decimals(1)
    )


def _steps(steps: ColourSteps) -> ThresholdsConfig:
    return (
        ThresholdsConfig()
        .mode(ThresholdsMode.ABSOLUTE)
        .steps([Threshold(value=bound, color=colour) for bound, colour in steps.items()])
    )
