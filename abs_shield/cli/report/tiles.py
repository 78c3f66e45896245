"""The key figures of a report, as tiles of the page."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from abs_shield.cli.report.html_nodes import node
from abs_shield.cli.report.report_summary import ReportSummary
from abs_shield.core import Subject, Verdict
from abs_shield.core.label import Truth
from abs_shield.report import Standing, percent
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
