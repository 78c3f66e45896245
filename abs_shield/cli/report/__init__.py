"""`abs-shield report`: the counts of a decision log, and the layers that are safe to enforce."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, NamedTuple, Self

import typer

from abs_shield.cli.console import open_console, print_json, with_progress
from abs_shield.cli.log.decision_lookup import DamagedRecords, length
from abs_shield.cli.output_file import open_output, require_writable
from abs_shield.cli.report.report_page import render_page
from abs_shield.cli.report.report_summary import LogIntegrity, ReportSummary
from abs_shield.cli.report.terminal_report import terminal_report
from abs_shield.cli.shared_options import (
    Database,
    Since,
    TableFormat,
    TableOrJson,
    Until,
    files_of,
    open_log,
    require_log,
    seconds_of,
)
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core import Decision
from abs_shield.report import By, Readiness, Report
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.record_bodies import Skipped
from abs_shield.stores.sealed_record import Damaged
from abs_shield.stores.store_address import default_log
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped

DEFAULT_RULE = Readiness()
"""The rule whose numbers are the defaults of the options."""


def _share(help: str) -> Any:
    return typer.Option(metavar="SHARE", min=0.0, max=1.0, help=help)


def _count(help: str) -> Any:
    return typer.Option(metavar="N", min=0, help=help)


MinCalls = Annotated[int, _count("Safe: minimum number of judged calls.")]
MaxErrors = Annotated[float, _share("Safe: maximum share of calls it failed to judge.")]
MinLabels = Annotated[int, _count("Safe: minimum number of labelled blocks.")]
MaxStops = Annotated[float, _share("Safe: maximum share of blocks not labelled hallucinated.")]
MinPrecision = Annotated[float, _share("Safe: labelled precision that is sufficient alone.")]
MaxDropped = Annotated[float, _share("Safe: maximum share of decisions missing from the log.")]
MinCoverage = Annotated[float, _share("Coverage below which a layer's blind spots are listed.")]


app = typer.Typer(add_completion=False, rich_markup_mode=None)
_MOST_DECISIONS = 500
"""Maximum number of decisions on a page: each is some kB of HTML."""


RevisionOption = Annotated[
    str | None, typer.Option(metavar="R", help="Only this revision of the policy.")
]
HtmlPage = Annotated[str | None, typer.Option(metavar="FILE", help="Also write an HTML page.")]
ValuesOption = Annotated[
    bool,
    typer.Option("--values", help="Let the page quote messages of findings, with argument values."),
]
ByOption = Annotated[
    By | None, typer.Option(help="A row for each agent, model, policy revision or day.")
]
VerifyOption = Annotated[
    bool,
    typer.Option("--verify", help="First verify every record, and report whether all are intact."),
]
TableRows = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, help="Tools shown in the tables, those with the worst findings first."
    ),
]


@app.command(epilog="Example: abs-shield report decisions.db --since 7d --html report.html")
def report(
    db: Database = None,
    since: Since = None,
    until: Until = None,
    policy_revision: RevisionOption = None,
    format: TableOrJson = TableFormat.TABLE,
    html: HtmlPage = None,
    values: ValuesOption = False,
    by: ByOption = None,
    verify: VerifyOption = False,
    rows: TableRows = 20,  # about a screen
    min_calls: MinCalls = DEFAULT_RULE.min_calls,
    max_errors: MaxErrors = DEFAULT_RULE.max_errors,
    min_labels: MinLabels = DEFAULT_RULE.min_labels,
    max_stops: MaxStops = DEFAULT_RULE.max_stops,
    min_precision: MinPrecision = DEFAULT_RULE.min_precision,
    max_dropped: MaxDropped = DEFAULT_RULE.max_dropped,
    min_coverage: MinCoverage = DEFAULT_RULE.min_coverage,
) -> None:
    """
    Report what every layer did on every tool, and what is safe to enforce now.

    Reads a decision log; nothing is judged again. The rule is printed at the end of the report.
    Exits with 0, whatever the report says; with 1 if --verify finds a fault in the log; with 2 for
    bad input, or if a record cannot be read and is left out.
    """
    rule = Readiness(
        min_calls=min_calls, max_errors=max_errors, min_labels=min_labels, max_stops=max_stops,
        min_precision=min_precision, max_dropped=max_dropped, min_coverage=min_coverage,
    )  # fmt: skip
    part = _ReportRange.of(since, until, revision=policy_revision)
    if html is not None:
        require_writable(html, inputs=files_of(db), option="--html")
    require_log(db)
    damaged = DamagedRecords()
    log = log_name(default_log() if db is None else db)
    with open_log(db) as store:
        integrity = LogIntegrity.of(store) if verify else None
        counted = _report(store, part, by=by, skipped=damaged.add)
        summary = ReportSummary.of(counted, rule, log=log, limited=part != _ReportRange())
        summary = replace(summary, integrity=integrity, unreadable=damaged.count)
        if html is not None:
            summary = _with_decisions(summary, store)
    try:  # first, as the reader of the report may leave; a page that fails costs no report
        if html is not None:
            _write_page(summary, html, values=values)
    finally:
        _print(summary, format, rows=rows)
    damaged.print_count()
    if integrity is not None and not integrity.is_intact:
        raise typer.Exit(1)
    if damaged.count:
        raise typer.Exit(2)


class _ReportRange(NamedTuple):
    """
    The decisions of a log that a report is about.

    Attributes:
        since: Seconds since the epoch, inclusive; None for the beginning.
        until: Seconds since the epoch, exclusive; None for the end.
        revision: The revision of the policy; None for all.
    """

    since: float | None = None
    until: float | None = None
    revision: str | None = None

    @classmethod
    def of(cls, since: str | None, until: str | None, *, revision: str | None) -> Self:
        """
        Read the options.

        Raises:
            BadInput: One is not a time, or the end is not after the beginning.
        """
        start = seconds_of(since, option="--since")
        end = seconds_of(until, option="--until")
        if start is not None and end is not None and start >= end:
            raise BadInput("`--until` is not after `--since`; give a later `--until`")
        return cls(start, end, revision)


def _write_page(summary: ReportSummary, path: str, *, values: bool) -> None:
    with open_output(path, option="--html") as file:
        file.write(render_page(summary, values=values).encode())


def _print(summary: ReportSummary, format: TableFormat, *, rows: int) -> None:
    if format is TableFormat.JSON:
        print_json(summary.to_dict())
        return
    console = open_console()
    console.print_report(terminal_report(summary, rows=rows, width=console.width))


def _with_decisions(summary: ReportSummary, store: DurableStore) -> ReportSummary:
    """Return the summary with the decisions that the page refers to, if the log has them."""
    labels = store.labels(skipped=lambda _: None)  # they are counted already
    decisions = {}
    for name in summary.decision_ids()[:_MOST_DECISIONS]:
        with suppress(Damaged):
            if (decision := store.get(name)) is not None:
                decisions[name] = decision
    truths = {name: labels[name].truth for name in decisions if name in labels}
    return replace(summary, decisions=decisions, labels=truths)


def log_name(address: str) -> str:
    """
    Return a log's address without password and options.

    >>> log_name("postgresql://ann:secret@db:5432/agents?sslkey=x"), log_name("log.db")
    ('postgresql://db:5432/agents', 'log.db')
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        return address
    return f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}"


def _report(store: DurableStore, part: _ReportRange, *, by: By | None, skipped: Skipped) -> Report:
    chosen = _RevisionFilter(part.revision)
    whole = part.since is part.until is None
    scanned = store.scan(since=part.since, until=part.until, skipped=skipped)
    # the number of records of a period is not known before they are read
    decisions = with_progress(scanned, doing="report", total=length(store) if whole else None)
    gaps = store.gaps(since=part.since, until=part.until, skipped=skipped)
    report = Report.of(chosen.of(decisions), store.labels(skipped=skipped), gaps, by=by)
    chosen.require_match()
    return report


class _RevisionFilter:
    """Filter for the decisions of one policy revision, or of all."""

    def __init__(self, revision: str | None) -> None:
        self._revision = revision
        self._others: dict[str, None] = {}
        self._any_match = False

    def of(self, decisions: Iterable[Decision]) -> Iterator[Decision]:
        for decision in decisions:
            if self._revision in (None, decision.policy_revision):
                self._any_match = True
                yield decision
            # for a hint only; a host may make a revision per deployment
            elif len(self._others) < 1_000:
                self._others[decision.policy_revision] = None

    def require_match(self) -> None:
        """Raise if no decision has the revision, and some have others."""
        if self._any_match or self._revision is None or not self._others:
            return
        newest = ", ".join(f"`{escaped(name)}`" for name in list(self._others)[-3:])
        hint = suggest_name(self._revision, self._others, otherwise=f"the newest are {newest}")
        raise BadInput(f"no decision has policy revision `{escaped(self._revision)}`; {hint}")
