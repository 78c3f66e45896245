"""The risk heatmap of the page: a grid of tools and layers, with the findings of each cell."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from abs_shield.cli.heat_table import cell_parts
from abs_shield.cli.layers_command import scenario
from abs_shield.cli.report.html_nodes import cut, more, node, scrolled
from abs_shield.cli.report.report_summary import ReportSummary
from abs_shield.cli.report.report_text import interval, location_text, row_name
from abs_shield.cli.shared_options import format_time
from abs_shield.core import LAYER_NAMES, Decision, Finding, Outcome, Subject
from abs_shield.replay.heat_rows import SHADES, Cell, HeatRow
from abs_shield.report import CHECKS, FindingKind, LayerReport, noun_of, percent
from abs_shield.text.safe_display import quantity

MOST_PLACES = 300
"""Maximum number of cells with details, the hottest first: a page must open quickly."""


class FindingDetails:
    """
    Links from cells and decisions of the page to their findings.

    Anchors are numbers, so that no model's text is part of an address.

    Args:
        summary: The report; decisions outside it have no link.
        values: Whether findings show their details, which quote arguments.
    """

    def __init__(self, summary: ReportSummary, *, values: bool) -> None:
        self._summary, self._values = summary, values
        self._decisions = {name: f"d{n}" for n, name in enumerate(summary.decisions)}
        report = summary.report
        places = (
            (row.tool, layer)
            for row in report.heat()
            for layer in report.columns()
            if layer in row.cells and (row.cells[layer].findings or row.cells[layer].errors)
        )
        self._findings = {place: f"f{n}" for n, place in enumerate(places)}

    def link(self, decision_id: str) -> Element:
        """Return the id of a decision, linked to its findings."""
        text = node("code", decision_id)
        anchor = self._decisions.get(decision_id)
        return text if anchor is None else node("a", text, href=f"#{anchor}")

    def to_findings(self, row: str, layer: str, text: str) -> str | Element:
        """Return the text of a cell, linked to its findings if these are shown."""
        anchor = self._findings.get((row, layer))
        if anchor is None or int(anchor[1:]) >= MOST_PLACES:
            return text
        return node("a", text, href=f"#{anchor}")

    def findings(self) -> Iterator[Element]:
        """Yield an expandable element for each cell with findings or errors."""
        if not self._findings:
            return
        yield node("h2", "Findings")
        for (row, layer), anchor in list(self._findings.items())[:MOST_PLACES]:
            yield self._place(row, layer, anchor)
        yield from more(len(self._findings) - MOST_PLACES, "place")

    def decisions(self) -> Iterator[Element]:
        """Yield the decisions that the page refers to, with their findings."""
        if not self._summary.decisions:
            return
        yield node("h2", "Decisions")
        if not self._values:
            yield node("p", "Findings are named by their kind and place; --values adds what the"
                       " log says of them, which quotes arguments.", class_="legend")  # fmt: skip
        for decision in self._summary.decisions.values():
            yield self._decision(decision)

    def _place(self, row: str, layer: str, anchor: str) -> Element:
        place = self._summary.report.place(layer, row)
        counts, noun = place.counts, noun_of(layer)
        counted = [f": {quantity(counts.findings, 'finding')} in {quantity(counts.flagged, noun)}"]
        if counts.errors:
            counted.append(f"failed to judge {counts.errors:,}")
        if rate := interval(counts.stops, limit=self._summary.rule.max_stops):
            counted.append(f"would block {counts.would_block:,} of {counts.looked:,}, {rate}")
        name = node("b", cut(location_text(layer, row)))
        parts = [node("summary", name, ", ".join(counted))]
        if layer in LAYER_NAMES:
            parts.append(node("p", f"The layer's scenario: {scenario(layer)}", class_="note"))
        if place.kinds:
            parts.append(scrolled(self._kinds(place, noun)))
        errors = [(why, n) for (kind, why), n in place.reasons.items() if kind is Outcome.ERROR]
        if errors:
            parts.append(node("ul", *(node("li", f"{why} ({n:,})") for why, n in errors)))
        return node("details", *parts[:1], node("div", *parts[1:], id=anchor), class_="found")

    def _kinds(self, place: LayerReport, noun: str) -> Element:
        heads = (node("th", name, scope="col") for name in ("kind", "place", "verdict", f"{noun}s",
                 "newest decisions"))  # fmt: skip
        rows = (self._kind(kind, n, place) for kind, n in place.kinds.most_common())
        return node("table", node("thead", node("tr", *heads)), node("tbody", *rows))

    def _kind(self, kind: FindingKind, number: int, place: LayerReport) -> Element:
        links = [self.link(name) for name in reversed(place.newest.get(kind, ()))]
        return node(
            "tr",
            node("td", kind.code),
            node("td", node("code", kind.where or "/")),
            node("td", kind.verdict.value),
            node("td", f"{number:,}", class_="number"),
            node("td", *(part for link in links for part in (link, " "))),
        )

    def _decision(self, decision: Decision) -> Element:
        title = f" {decision.subject} {cut(decision.tool)}".rstrip()
        head = node("summary", node("code", decision.id), f"{title}, {decision.verdict}")
        facts = [f"{format_time(decision.at)} UTC", f"policy revision {decision.policy_revision}"]
        facts += [
            f"{k} {v}" for k, v in (("agent", decision.agent), ("model", decision.model)) if v
        ]
        facts += [f"session {decision.session_id}"] * bool(decision.session_id)
        facts.append(_outcome(decision))
        if truth := self._summary.labels.get(decision.id):
            facts.append(f"labelled {truth}")
        lines = [node("li", *self._words(finding)) for finding in decision.findings]
        lines += [node("li", f"internal error: {error}") for error in decision.errors]
        body = node(
            "div", node("p", ", ".join(facts), class_="note"), id=self._decisions[decision.id]
        )
        body.append(node("ul", *lines) if lines else node("p", "No finding."))
        return node("details", head, body, class_="decision")

    def _words(self, finding: Finding) -> list[str | Element]:
        weight = "" if finding.weighs else ", suppressed" if finding.suppressed else ", not counted"
        words: list[str | Element] = [
            node("b", finding.verdict.value), f" by {finding.check}: {finding.code} at ",
            node("code", finding.where or "/"), f", strength {finding.strength:.2g}{weight}",
        ]  # fmt: skip
        if self._values:
            words.append(f": {finding.detail}")
            words += [f"; {finding.hint}"] if finding.hint else []
        return words


def _outcome(decision: Decision) -> str:
    if decision.blocked:
        return "blocked"
    return "strict mode would have blocked it" if decision.would_block else "let pass"


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
