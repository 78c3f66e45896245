"""Expandable details of the page: findings of each cell, and decisions."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from abs_shield.cli.layers_command import scenario
from abs_shield.cli.report.html_nodes import cut, more, node, scrolled
from abs_shield.cli.report.report_summary import ReportSummary
from abs_shield.cli.report.report_text import interval, location_text
from abs_shield.cli.time_options import format_time
from abs_shield.core import LAYER_NAMES, Decision, Finding, Outcome
from abs_shield.report import FindingKind, LayerReport, noun_of
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
