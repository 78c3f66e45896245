"""The risk heatmap of the page: a grid of tools and layers."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from abs_shield.cli.heat_table import cell_parts
from abs_shield.cli.report.finding_details import FindingDetails
from abs_shield.cli.report.html_nodes import cut, more, node, scrolled
from abs_shield.cli.report.report_summary import ReportSummary
from abs_shield.cli.report.report_text import interval, location_text, row_name
from abs_shield.core import Subject
from abs_shield.replay.heat_rows import SHADES, Cell, HeatRow
from abs_shield.report import CHECKS, LayerReport, noun_of, percent
from abs_shield.text.safe_display import quantity

MOST_TOOLS = 200
"""Maximum number of heatmap rows; the hottest come first."""
_SIGNS = {
    "error": "E internal error, not judged",
    "hallucinated": "! HALLUCINATED",
    "suspicious": "? SUSPICIOUS",
    "clean": ". judged, no finding",
    "blind": "- no data to judge by",
}


def heatmap(summary: ReportSummary, details: FindingDetails) -> Iterator[Element]:
    """Yield the heatmap with its legend."""
    yield node("h2", "Risk heatmap")
    yield node(
        "p", "Findings that count towards the verdict, by tool and layer; the most serious first."
    )
    yield _legend()
    for layers, heat in summary.report.grids():
        yield scrolled(_table(layers, heat[:MOST_TOOLS], summary, details))
        yield from more(len(heat) - MOST_TOOLS, "cooler tool")


def _table(
    layers: list[str], heat: list[HeatRow], summary: ReportSummary, details: FindingDetails
) -> Element:
    texts = any(layer in CHECKS and CHECKS[layer] is not Subject.RESULT for layer in layers)
    names = ("text", "number") if texts else ("tool", "calls")
    heads = [node("th", name, scope="col") for name in names]
    # spaces let the browser break a long name
    heads += [node("th", layer.replace("_", " "), scope="col", title=layer) for layer in layers]
    rows = [_row(row, summary, layers, details) for row in heat]
    return node("table", node("thead", node("tr", *heads)), node("tbody", *rows), class_="heat")


def _legend() -> Element:
    signs = (node("span", text, class_=f"key {kind} shade3") for kind, text in _SIGNS.items())
    ends = [percent(share) for share in SHADES]
    texts = [f"under {ends[0]}", *(f"from {end}" for end in ends)]
    shades = (
        node("span", text, class_=f"key hallucinated shade{n}") for n, text in enumerate(texts, 1)
    )
    return node("p", *signs, " stronger by the share of calls: ", *shades, class_="legend")


def _row(
    row: HeatRow, summary: ReportSummary, layers: list[str], details: FindingDetails
) -> Element:
    name = row_name(row.tool)
    head = node("th", cut(name), scope="row", title=name)
    cells = [_cell(row, layer, summary, details) for layer in layers]
    return node("tr", head, node("td", f"{row.calls:,}", class_="number"), *cells)


def _cell(row: HeatRow, layer: str, summary: ReportSummary, details: FindingDetails) -> Element:
    cell = row.cells.get(layer)
    if cell is None:
        return node("td")
    place = summary.report.place(layer, row.tool)
    title = _tip(row.tool, layer, place)
    parts = [*cell_parts(cell)]
    text = " ".join(part.text for part in parts)
    content = details.to_findings(row.tool, layer, text)
    return node("td", content, class_=_class(parts[0].kind, cell), title=title)


def _class(kind: str, cell: Cell) -> str:
    return f"{kind} shade{cell.shade}" if cell.shade else kind


def _tip(row: str, layer: str, place: LayerReport) -> str:
    counts = place.counts
    why = ", ".join(f"{reason} ({n:,})" for (_, reason), n in place.reasons.most_common(2))
    tip = [
        cut(location_text(layer, row)),
        f"judged {counts.ran:,} of {quantity(counts.calls, noun_of(layer))}",
        f"{counts.hallucinated:,} HALLUCINATED and {counts.suspicious:,} SUSPICIOUS findings",
        f"would block {counts.would_block:,}: {interval(counts.stops) or 'never judged'}",
    ]
    if counts.errors:
        tip.append(f"failed to judge {counts.errors:,}")
    if counts.precision.of:
        tip.append(f"labelled precision {interval(counts.precision)}")
    return "; ".join([*tip, f"not judged: {why}"] if why else tip)
