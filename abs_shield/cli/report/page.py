"""A report as one self-contained HTML page: no script, nothing fetched."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from xml.etree.ElementTree import Element

from abs_shield.cli.heat import LEGEND, parts_of
from abs_shield.cli.report.nodes import html, node
from abs_shield.cli.report.printed import (
    JUDGED,
    NOTHING_SAFE,
    SAID,
    TITLES,
    figures,
    judged,
    said,
    speaks,
)
from abs_shield.cli.report.summary import Summary, counted, interval, place_name
from abs_shield.replay.heat import HeatRow
from abs_shield.replay.report import Place, Standing, Step

MOST_TOOLS = 200
"""Tools in the page's heatmap, the hottest; and rows in its table of tools."""
_TITLE = "abs_shield: risk heatmap and readiness"


def page(summary: Summary) -> str:
    """Give the page."""
    style = (files("abs_shield.cli.report") / "page.css").read_text(encoding="utf-8")
    sealed = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{sealed}'; base-uri 'none'; form-action 'none'"
    styled = Element("style")
    styled.text = style
    head = node(
        "head",
        Element("meta", {"charset": "utf-8"}),
        Element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        node("meta", name="viewport", content="width=device-width, initial-scale=1"),
        node("meta", name="referrer", content="no-referrer"),
        node("title", _TITLE),
        styled,
    )
    body = node("body", node("main", *_parts(summary)))
    return "<!doctype html>\n" + html(node("html", head, body, lang="en")) + "\n"


def _parts(summary: Summary) -> Iterator[Element]:
    yield node("h1", _TITLE)
    yield node("p", summary.log, class_="log")
    yield node("ul", *(node("li", text) for text in summary.totals()), class_="totals")
    if not summary.report.layers():
        return
    yield from _heatmap(summary)
    for standing in TITLES:
        yield from _listed(summary.standing(standing), standing)
    if line := summary.modes_line():
        yield node("h2", "Add to your policy")
        made = Element("pre")
        made.text = line
        yield made
    yield from _muted(summary)
    yield from _silenced(summary)
    yield node("h2", "Layers")
    yield _scrolled(_table(["layer"], _layer_rows(summary)))
    yield from _tools(summary)
    yield node("h2", "The rule")
    yield node("p", "A layer is safe to enforce where all of this holds:")
    yield node("ol", *(node("li", text) for text in summary.rule.sentences()))


def _heatmap(summary: Summary) -> Iterator[Element]:
    layers, heat = summary.report.layers(), summary.report.heat()
    yield node("h2", "Risk heatmap")
    yield node("p", "Findings that weigh, by tool and layer, the hottest tool first. ", _legend())
    heads = [node("th", name, scope="col") for name in ("tool", "calls")]
    # a name breaks where its words do
    heads += [node("th", layer.replace("_", " "), scope="col", title=layer) for layer in layers]
    rows = [_heat_row(row, summary, layers) for row in heat[:MOST_TOOLS]]
    table = node("table", node("thead", node("tr", *heads)), node("tbody", *rows), class_="heat")
    yield _scrolled(table)
    if len(heat) > MOST_TOOLS:
        yield node("p", f"And {counted(len(heat) - MOST_TOOLS, 'tool')} more, which are cooler.")


def _legend() -> Element:
    return node("span", LEGEND, class_="legend")


def _heat_row(row: HeatRow, summary: Summary, layers: list[str]) -> Element:
    drawn = []
    for layer in layers:
        cell = row.cells[layer]
        parts = [*parts_of(cell)]
        tip = _tip(row.tool, layer, summary.report.place(layer, row.tool))
        text = " ".join(part.text for part in parts)
        drawn.append(node("td", text, class_=f"{parts[0].kind} shade{cell.shade}", title=tip))
    head = node("th", _cut(row.tool), scope="row", title=row.tool)
    return node("tr", head, node("td", f"{row.calls:,}", class_="number"), *drawn)


def _tip(tool: str, layer: str, place: Place) -> str:
    counts = place.counts
    why = ", ".join(f"{reason} ({n:,})" for (_, reason), n in place.reasons.most_common(2))
    tip = [
        f"{layer} on {_cut(tool)}",
        f"judged {counts.ran:,} of {counted(counts.calls, 'call')}",
        f"{counts.hallucinated:,} HALLUCINATED and {counts.suspicious:,} SUSPICIOUS findings",
        f"would block {counts.would_block:,}: {interval(counts.stops) or 'never looked'}",
    ]
    if counts.precision.of:
        tip.append(f"labelled precision {interval(counts.precision)}")
    return "; ".join([*tip, f"not judged: {why}"] if why else tip)


def _listed(steps: list[Step], standing: Standing) -> Iterator[Element]:
    if not steps and standing is Standing.ENFORCED:
        return
    yield node("h2", TITLES[standing])
    if not steps:
        yield node("p", NOTHING_SAFE)
        return
    yield node("ul", *map(_item, steps), class_=f"steps {standing.value}")


def _item(step: Step) -> Element:
    lines = [node("li", reason.told) for reason in step.reasons]
    lines += [node("li", f"next: {todo}") for todo in step.todos]
    if step.look_at:
        ids = (node("code", name) for name in step.look_at)
        lines.append(node("li", "look at ", *(part for one in ids for part in (one, " "))))
    lines += [node("li", f"note: {caveat}") for caveat in step.caveats]
    made = node("li", node("b", place_name(step)), f": {figures(step)}")
    if lines:
        made.append(node("ul", *lines))
    return made


def _muted(summary: Summary) -> Iterator[Element]:
    if summary.muted:
        yield node("h2", "Muted")
        yield node("p", "These say nothing, whatever a call does:")
        yield node(
            "ul", *(node("li", node("b", k), f": {why}") for k, why in summary.muted.items())
        )


def _silenced(summary: Summary) -> Iterator[Element]:
    told = [*summary.silenced()]
    if told:
        yield node("h2", "Findings that a suppression silences")
        rows = (node("li", node("b", _cut(k)), f": {v}") for k, v in told[:MOST_TOOLS])
        yield node("ul", *rows)
    if len(told) > MOST_TOOLS:
        yield node("p", f"And {counted(len(told) - MOST_TOOLS, 'row')} more.")


def _layer_rows(summary: Summary) -> Iterator[Element]:
    for layer in summary.report.layers():
        yield _row([layer], summary.report.place(layer))


def _tools(summary: Summary) -> Iterator[Element]:
    report = summary.report
    rows = [
        _row([tool, layer], place)
        for tool in report.tools()
        for layer in report.layers()
        if (tool, layer) in report and speaks(place := report.place(layer, tool))
    ]
    if rows:
        yield node("h2", "Tools and layers with findings, errors or misses")
        yield _scrolled(_table(["tool", "layer"], iter(rows[:MOST_TOOLS])))
    if len(rows) > MOST_TOOLS:
        yield node("p", f"And {counted(len(rows) - MOST_TOOLS, 'row')} more.")


def _table(names: list[str], rows: Iterator[Element]) -> Element:
    heads = [node("th", name, scope="col") for name in (*names, *JUDGED, *SAID)]
    return node("table", node("thead", node("tr", *heads)), node("tbody", *rows), class_="counts")


def _row(names: list[str], place: Place) -> Element:
    heads = [node("th", _cut(name), scope="row", title=name) for name in names]
    return node(
        "tr",
        *heads,
        *(node("td", text, class_="number") for text in (*judged(place), *said(place))),
    )


def _scrolled(table: Element) -> Element:
    return node("div", table, class_="scrolled", tabindex="0", role="region")


def _cut(name: str) -> str:
    return name if len(name) <= 60 else name[:60] + "..."
