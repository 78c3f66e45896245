"""Decisions and findings as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from abs_shield.cli.console import STYLES, line, safe
from abs_shield.core import Decision, Finding, Outcome
from abs_shield.telemetry.readable_line import outcome_text


def render_decision(decision: Decision) -> Iterator[Text]:
    """Yield the verdict, the findings with hints, internal errors, and layers that did not run."""
    yield _headline(decision)
    for finding in decision.findings:
        yield from finding_lines(finding)
    for error in decision.errors:
        yield line("  not checked: ", safe(error))
    missing = [
        f"{layer} ({coverage.reason})"
        for layer, coverage in decision.coverage.items()
        if coverage.outcome is Outcome.UNAVAILABLE
    ]
    if missing:
        yield line("  not judged by ", safe(", ".join(missing)))


def finding_lines(finding: Finding) -> Iterator[Text]:
    """Yield one finding as a line, and its hint as another."""
    weight = "" if finding.weighs else " (suppressed)" if finding.suppressed else " (not counted)"
    where = safe(finding.where)
    verdict = safe(finding.verdict, style=STYLES[finding.verdict])
    yield line("  ", verdict, f" {finding.check} at ", where, ": ", safe(finding.detail), weight)
    if finding.hint:
        yield line("    hint: ", safe(finding.hint))


def _headline(decision: Decision) -> Text:
    return line(
        safe(decision.verdict, style=STYLES[decision.verdict]),
        " ",
        safe(decision.tool),
        f": {outcome_text(decision)}",
    )
