"""A report as one self-contained HTML page: no script, nothing fetched."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from xml.etree.ElementTree import Element

from abs_shield.cli.report.daily_trend import charts
from abs_shield.cli.report.heatmap_grid import FindingDetails, heatmap
from abs_shield.cli.report.html_nodes import cut, html, more, node, scrolled
from abs_shield.cli.report.report_summary import ReportSummary
from abs_shield.cli.report.report_tables import (
    COUNT_COLUMNS,
    LABEL_COLUMNS,
    SWEEP_COLUMNS,
    CountTable,
    check_tables,
    count_texts,
    label_texts,
    sweep_texts,
    sweeps_of,
    tool_tables,
    unscored_text,
)
from abs_shield.cli.report.report_text import (
    NOTHING_SAFE,
    TITLES,
    figures,
    fold,
    place_name,
)
from abs_shield.core import Subject, Verdict
from abs_shield.core.label import Truth
from abs_shield.report import RolloutStep, Standing, percent
from abs_shield.text.safe_display import quantity

_HELD = {Subject.RESULT: "withheld", Subject.ANSWER: "blocked", Subject.OUTPUT: "held back"}


def tiles(summary: ReportSummary) -> Element:
    """Return the tiles."""
    return node("div", *_tiles(summary), class_="tiles")


def _tiles(summary: ReportSummary) -> Iterator[Element]:
    totals = summary.report.totals
    if calls := totals.calls:
        sessions = quantity(totals.sessions, "session")
        if totals.more_sessions:
            sessions = f"more than {sessions}"
        yield _tile("calls", calls, sessions)
        share = percent(totals.would_block / calls)
        kind = "bad" if totals.would_block else ""
        yield _tile("strict would block", totals.would_block, f"{share} of the calls", kind)
        yield _tile("blocked", totals.blocked, "enforced")
        mild = f"{totals.verdicts[Verdict.SUSPICIOUS]:,} SUSPICIOUS"
        yield _tile("HALLUCINATED", totals.verdicts[Verdict.HALLUCINATED], mild)
    yield from _others(summary)
    errors = _errors(summary)
    yield _tile("internal errors", errors, "not judged", "error" if errors else "")
    labels = totals.labels.total() + totals.other_labels.total()
    wrong = totals.labels[Truth.OK] + sum(
        n for (_, truth), n in totals.other_labels.items() if truth is Truth.OK
    )
    yield _tile("labels", labels, f"{wrong:,} of them ok")
    safe = len([step for step in summary.standing(Standing.SAFE) if not step.tool])
    if summary.report.columns():
        yield _tile("safe to enforce", safe, f"of {len(summary.report.columns()):,} layers", "good")


def _others(summary: ReportSummary) -> Iterator[Element]:
    totals = summary.report.totals
    held = {
        Subject.RESULT: totals.results.would_withhold,
        Subject.ANSWER: totals.answers.would_block,
        Subject.OUTPUT: totals.outputs.would_hold,
    }
    for subject, count in held.items():
        if of := totals.others[subject]:
            kind = "held" if count else ""
            yield _tile(f"{subject}s", of, f"strict: {count:,} {_HELD[subject]}", kind)


def _errors(summary: ReportSummary) -> int:
    report = summary.report
    return sum(report.place(layer).counts.errors for layer in report.columns())


def _tile(name: str, count: int, note: str, kind: str = "") -> Element:
    return node(
        "div",
        node("span", name, class_="name"),
        node("span", f"{count:,}", class_="figure"),
        node("span", note, class_="note"),
        class_=f"tile {kind}".strip(),
    )


MOST_ROWS = 200
"""Maximum number of table rows; the hottest come first."""
_TITLE = "abs_shield: risk heatmap and readiness"


def render_page(summary: ReportSummary, *, values: bool = False) -> str:
    """
    Return the page.

    Args:
        summary: The report.
        values: Whether decisions show the details of their findings, which quote arguments.
    """
    style = (files("abs_shield.cli.report") / "page.css").read_text(encoding="utf-8")
    # the policy admits exactly this style: markup in a model's text could not even change the
    # page's looks
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
    body = node("body", node("main", *_parts(summary, FindingDetails(summary, values=values))))
    return "<!doctype html>\n" + html(node("html", head, body, lang="en")) + "\n"


def _parts(summary: ReportSummary, details: FindingDetails) -> Iterator[Element]:
    yield node("h1", _TITLE)
    yield node(
        "p", node("span", summary.log, class_="log"), f", made {summary.created_by}", class_="made"
    )
    yield from _integrity(summary)
    yield tiles(summary)
    yield node(
        "details",
        node("summary", "The log in words"),
        node("ul", *(node("li", text) for text in summary.totals()), class_="totals"),
        class_="words",
        **({} if summary.report.totals.calls else {"open": ""}),
    )
    yield from charts(summary.report.days)
    if not summary.report.columns():
        return
    yield from heatmap(summary, details)
    for standing in TITLES:
        yield from _listed(summary, standing, details)
    if line := summary.modes_line():
        yield node("h2", "Add to your policy")
        modes = Element("pre")
        modes.text = line
        yield modes
    yield from details.findings()
    yield from _muted(summary)
    yield from _silenced(summary)
    yield from _tables(summary)
    yield from details.decisions()
    yield node("h2", "The rule")
    yield node("p", "A layer is safe to enforce if all of these conditions hold:")
    yield node("ol", *(node("li", text) for text in summary.rule.sentences()))


def _integrity(summary: ReportSummary) -> Iterator[Element]:
    if summary.integrity is not None:
        kind = "intact" if summary.integrity.is_intact else "broken"
        yield node("div", *(node("p", text) for text in summary.integrity.sentences()), class_=kind)


def _listed(
    summary: ReportSummary, standing: Standing, details: FindingDetails
) -> Iterator[Element]:
    steps, limit = summary.standing(standing), summary.rule.max_stops
    if not steps and standing is Standing.ENFORCED:
        return
    yield node("h2", TITLES[standing])
    if not steps:
        yield node("p", NOTHING_SAFE)
        return
    items = (
        node("li", step) if isinstance(step, str) else _item(step, details, max_stops=limit)
        for step in fold(steps)
    )
    yield node("ul", *items, class_=f"steps {standing.value}")


def _item(step: RolloutStep, details: FindingDetails, *, max_stops: float) -> Element:
    lines = [node("li", reason.message) for reason in step.reasons]
    lines += [node("li", f"next: {todo}") for todo in step.todos]
    if step.look_at:
        links = (details.link(name) for name in step.look_at)
        lines.append(node("li", "look at ", *(part for one in links for part in (one, " "))))
    lines += [node("li", f"note: {caveat}") for caveat in step.caveats]
    item = node("li", node("b", place_name(step)), f": {figures(step, max_stops=max_stops)}")
    if lines:
        item.append(node("ul", *lines))
    return item


def _muted(summary: ReportSummary) -> Iterator[Element]:
    if summary.muted:
        yield node("h2", "Silent layers, which cannot change a verdict")
        yield node(
            "ul",
            *(node("li", node("b", layer), f": {why}") for layer, why in summary.muted.items()),
        )


def _silenced(summary: ReportSummary) -> Iterator[Element]:
    silenced = [*summary.silenced()]
    if silenced:
        yield node("h2", "Findings that a suppression silences")
        rows = (node("li", node("b", cut(k)), f": {v}") for k, v in silenced[:MOST_ROWS])
        yield node("ul", *rows)
    yield from more(len(silenced) - MOST_ROWS, "row")


def _tables(summary: ReportSummary) -> Iterator[Element]:
    for table in (*check_tables(summary), *tool_tables(summary)):
        yield node("h2", table.title)
        yield _counts(table, max_stops=summary.rule.max_stops)
        yield from more(len(table.places) - MOST_ROWS, "row")
    yield from _sweeps(summary)


def _sweeps(summary: ReportSummary) -> Iterator[Element]:
    for check, sweep in sweeps_of(summary).items():
        yield node("h2", f"Thresholds of {check}: what each would hold back, by P(hallucination)")
        yield scrolled(
            _table([*SWEEP_COLUMNS], [node("tr", *_numbers(texts)) for texts in sweep_texts(sweep)])
        )
        if text := unscored_text(sweep):
            yield node("p", text)


def _counts(table: CountTable, *, max_stops: float) -> Element:
    """Return a table of counts, without label columns that are empty."""
    shown = dict(islice(table.places.items(), MOST_ROWS))
    texts = {key: [*label_texts(place)] for key, place in shown.items()}
    shown_columns = [
        n for n in range(len(LABEL_COLUMNS)) if any(each[n] != "-" for each in texts.values())
    ]
    heads = [
        *table.names,
        table.all_of,
        *COUNT_COLUMNS[1:],
        *(LABEL_COLUMNS[n] for n in shown_columns),
    ]
    rows = [
        node(
            "tr",
            *(node("th", cut(name), scope="row", title=name) for name in key),
            *_numbers(
                (*count_texts(place, max_stops=max_stops), *(texts[key][n] for n in shown_columns))
            ),
        )
        for key, place in shown.items()
    ]
    return scrolled(_table(heads, rows, names=len(table.names)))


def _table(heads: list[str], rows: list[Element], *, names: int = 0) -> Element:
    cells = (
        node("th", head, scope="col", class_="name" if n < names else "number")
        for n, head in enumerate(heads)
    )
    return node("table", node("thead", node("tr", *cells)), node("tbody", *rows), class_="counts")


def _numbers(texts: Iterable[str]) -> Iterator[Element]:
    return (node("td", text, class_="number") for text in texts)
