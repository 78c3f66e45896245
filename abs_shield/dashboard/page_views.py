"""Endpoints of the dashboard's pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from abs_shield.core import Decision, Mode, Verdict
from abs_shield.core.label import Label, Truth
from abs_shield.dashboard.access_control import is_own_form, read_form
from abs_shield.dashboard.decision_listing import CellListing, ListFilter
from abs_shield.dashboard.finding_texts import (
    describe_location,
    mask_text,
    sentence,
    shown_findings,
)
from abs_shield.dashboard.heatmap_cells import RowLimit, RowOrder, interval_of, shown_tables
from abs_shield.dashboard.log_figures import FilterChoices, FilteredCounts, LogFigures
from abs_shield.dashboard.page_rendering import Renderer, decision_path
from abs_shield.dashboard.trend_charts import hours_per_point, rate_charts, score_charts
from abs_shield.dashboard.view_filters import RANGES, BadFilter, Filters, address_time
from abs_shield.flywheel.gap import Gap
from abs_shield.flywheel.status import status
from abs_shield.report import Readiness, Share, Standing, modes, modes_lines, rollout
from abs_shield.report.probability_sweep import Sweep
from abs_shield.report.report_rows import OTHERS, cases_of
from abs_shield.stores.hourly_counts import PatternCount
from abs_shield.text.safe_display import escaped

Chosen = TypeVar("Chosen", bound=StrEnum)


@dataclass(frozen=True, kw_only=True)
class Views:
    """
    Endpoints of the pages.

    Attributes:
        figures: The figures of the log.
        renderer: Renders the pages.
        rule: When a check is safe to enforce.
        show_values: Whether values are shown.
        trace_url: The address of a trace.
        flywheel: The file of the flywheel; empty for none.
    """

    figures: LogFigures
    renderer: Renderer
    rule: Readiness
    show_values: bool
    trace_url: str
    flywheel: str = ""

    # Pages ---------------------------------------------------------------------------------------

    def heatmap(self, request: Request) -> Response:
        """Render the heatmap; for an empty log, the first steps."""
        filters, place = self._filters(request), self._place()
        sort = _choice(request.query_params, "sort", [*RowOrder])
        rows = _choice(request.query_params, "rows", [*RowLimit])
        counted = self.figures.filtered_counts(filters)
        earlier = filters.before(now=self.figures.now()) if filters.compare else None
        before = None if earlier is None else self.figures.filtered_counts(earlier).report
        return self._page(
            request, "heatmap.html", filters, choices=counted.choices,
            unreadable=counted.unreadable,
            place=place,
            totals=counted.report.totals,
            tables=shown_tables(counted.report, before, sort=sort, rows=rows),
            sort=sort.value,
            rows=rows.value,
            keep=_non_default(sort=sort.value, rows=rows.value),
            compared=before is not None,
            uncounted=self.figures.store.uncounted(),
        )  # fmt: skip

    def cell(self, request: Request) -> Response:
        """Render the decisions of one cell, or of one check in all rows, newest first."""
        filters, query, log_place = self._filters(request), request.query_params, self._place()
        row, check = query.get("row", ""), query.get("check", "")
        listed = _choice(query, "show", [*ListFilter])
        counted = self._cell_counts(filters, row, check)
        place = counted.report.place(check, row or None)
        listing = CellListing(row=row, check=check, listed=listed, rows=counted.report.rows())
        page = self.figures.page(filters, listing, before=_number(query.get("before", "")))
        labels, shown = self.figures.labels(), {one.id for one in page.decisions}
        return self._page(
            request, "cell.html", filters, choices=counted.choices,
            unreadable=counted.unreadable,
            place=log_place,
            row=row,
            check=check,
            counts=place.counts,
            reasons=place.reasons.most_common(),
            precision=_precision(self.figures.precision(filters, [(row, check)])[row, check]),
            page=page,
            listed=listed.value,
            keep={"row": row, "check": check} | _non_default(show=listed.value),
            labels={name: label.truth.value for name, label in labels.items() if name in shown},
            lines={one.id: self._line(one, check) for one in page.decisions},
        )  # fmt: skip

    def decision(self, request: Request) -> Response:
        """Render one decision."""
        decision = self._requested_decision(request)
        if decision is None:
            return self._missing(request)
        return self._decision(request, decision)

    def rollout(self, request: Request) -> Response:
        """Render the checks that are safe to enforce, and those that are not yet."""
        filters, place = self._filters(request), self._place()
        counted = self.figures.filtered_counts(filters)
        # a step counts all decisions of a check: a part of them would promise too much
        is_whole = not (filters.verdict or filters.mode or filters.session)
        steps = rollout(counted.report, self.rule) if is_whole else []
        groups = [(word, [step for step in steps if step.standing is word]) for word in Standing]
        return self._page(
            request, "rollout.html", filters, choices=counted.choices,
            unreadable=counted.unreadable,
            place=place,
            groups=groups,
            is_whole=is_whole,
            change=modes_lines(modes(steps)),
            sentences=self.rule.sentences(),
            sweeps={check: _curve(sweep) for check, sweep in counted.report.sweeps.items()},
            interval=interval_of,
        )  # fmt: skip

    def trends(self, request: Request) -> Response:
        """Render the charts of each check over time."""
        filters, place = self._filters(request), self._place()
        whole = self.figures.pattern_counts(filters)
        return self._page(
            request, "trends.html", filters,
            choices=FilterChoices.of(count.pattern.decision() for count in whole),
            place=place,
            gaps=self._gaps(),
            shows_gaps=bool(self.flywheel),
            mask_text=lambda text: mask_text(text, values=self.show_values),
            **self._charts(filters, whole),
        )  # fmt: skip

    def trends_data(self, request: Request) -> Response:
        """Return the data of the charts as JSON."""
        # in ASCII, because a name may contain a lone surrogate
        filters = self._filters(request)
        charts = self._charts(filters, self.figures.pattern_counts(filters))
        figures = json.dumps(charts, allow_nan=False)
        return Response(figures, media_type="application/json")

    # Labels --------------------------------------------------------------------------------------

    async def label(self, request: Request) -> Response:
        """Store the label of a person."""
        form = await read_form(request)
        if not is_own_form(request, form.get("key", "")):
            return self.renderer.problem(
                request, 403, "this form is from another session; load the page again"
            )
        try:
            truth = Truth(form.get("truth", ""))
        except ValueError:
            return self.renderer.problem(request, 400, "label must be `hallucinated` or `ok`")
        return await run_in_threadpool(self._store_label, request, truth)  # it waits for the disk

    def _store_label(self, request: Request, truth: Truth) -> Response:
        decision = self._requested_decision(request)
        if decision is None:
            return self._missing(request)
        label = Label(decision_id=decision.id, truth=truth, at=self.figures.now(), by="dashboard")
        self.figures.store.label(label)
        if "hx-request" in request.headers:
            return self._decision(request, decision)
        path = decision_path(decision.id, self._filters(request).query())
        return RedirectResponse(request.scope.get("root_path", "") + path, status_code=303)

    # Parts ---------------------------------------------------------------------------------------

    def _filters(self, request: Request) -> Filters:
        return Filters.of(request.query_params, now=self.figures.now())

    def _place(self) -> int:
        """Return the newest place of the log; read before the figures, so no change is lost."""
        return self.figures.store.last_place()

    def _requested_decision(self, request: Request) -> Decision | None:
        decision_id = request.path_params.get("decision_id") or request.query_params.get("id", "")
        return self.figures.store.get(decision_id)

    def _missing(self, request: Request) -> Response:
        return self.renderer.problem(request, 404, "this log has no such decision")

    def _decision(self, request: Request, decision: Decision) -> Response:
        filters, place = self._filters(request), self._place()
        earlier, later, unreadable = self.figures.around(decision)
        cells = [(row, check) for row, check, case in cases_of(decision, None) if case.speaks]
        precision = self.figures.precision(Filters(), cells)
        return self.renderer.render(
            request, "decision.html",
            filters=filters,
            place=place,
            decision=decision,
            findings=shown_findings(decision, values=self.show_values),
            errors=[mask_text(error, values=self.show_values) for error in decision.errors],
            coverage=[
                (check, one.outcome.value, mask_text(one.reason, values=self.show_values))
                for check, one in decision.coverage.items()
            ],
            before=earlier,
            behind=later,
            unreadable=unreadable,
            label=self.figures.labels().get(decision.id),
            cells=[(row, check, _precision(precision[row, check])) for row, check in cells],
            trace=self._trace(decision),
            shows_values=self.show_values,
            line=self._line,
        )  # fmt: skip

    def _line(self, decision: Decision, check: str = "") -> str:
        """Return one line about the findings, masked unless values are shown."""
        weighing = [one for one in decision.findings if one.weighs]
        own = [one for one in weighing if one.check == check] or weighing
        if own:
            line = sentence(own[0], values=self.show_values)
            where = describe_location(own[0], decision.subject, values=self.show_values)
            return f"{line} ({where})" if where else line
        if decision.errors:
            return mask_text(decision.errors[0], values=self.show_values)
        return ""

    def _trace(self, decision: Decision) -> str:
        """Return the address of a decision's trace; empty without `trace_url`."""
        ids = {"session_id": decision.session_id, "run_id": decision.run_id,
                 "trace_id": decision.run_id}  # fmt: skip
        address = self.trace_url
        for name, value in ids.items():
            address = address.replace(
                f"{{{name}}}", quote(value, safe="", errors="backslashreplace")
            )
        return address

    def _gaps(self) -> list[Gap]:
        """Return the gaps of the flywheel, most severe first; empty without a file."""
        return [*status(self.flywheel).gaps] if self.flywheel else []

    def _charts(
        self, filters: Filters, whole: list[PatternCount]
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the data of the charts of checks and of quality scores."""
        if not whole:
            return {"charts": [], "scores": []}
        first = min(count.first_at for count in whole)
        last = max(count.last_at for count in whole)
        hours = hours_per_point(filters, first, last)
        counts = self.figures.pattern_counts(filters, hours=hours)
        # scores have no session
        scores = [] if filters.session else self.figures.scores(filters)
        return {
            "charts": rate_charts(counts, filters),
            "scores": score_charts(scores, filters, hours=hours),
        }

    def _cell_counts(self, filters: Filters, row: str, check: str) -> FilteredCounts:
        """Return the counts of one cell; for the row of other tools, those of all tools."""
        cell = None if row == OTHERS else CellListing(row=row, check=check, listed=ListFilter.ALL)
        return self.figures.filtered_counts(filters, spread=False, cell=cell)

    def _page(
        self,
        request: Request,
        template: str,
        filters: Filters,
        *,
        choices: FilterChoices,
        **shown: Any,
    ) -> Response:
        """Render a page with filters."""
        return self.renderer.render(
            request, template,
            filters=filters,
            times={"since": address_time(filters.since), "until": address_time(filters.until)},
            ranges=[*RANGES],
            agents=choices.agents,
            models=choices.models,
            all_modes=[mode.value for mode in Mode],
            all_verdicts=[verdict.value for verdict in Verdict],
            log=self.figures.name,
            **{"keep": {}, "unreadable": 0, **shown},
        )  # fmt: skip


def _precision(share: Share) -> str:
    """Return a text about the precision of labelled flags; empty without labels."""
    if not share.of:
        return ""
    return f"{share.hits:,} of {share.of:,} labelled are right ({interval_of(share)})"


def _choice(query: Mapping[str, str], name: str, choices: Sequence[Chosen]) -> Chosen:
    """Return the choice of a query parameter; the first one if it is missing."""
    chosen = query.get(name) or choices[0].value
    for choice in choices:
        if choice.value == chosen:
            return choice
    values = ", ".join(choice.value for choice in choices)
    raise BadFilter(f"`{name}` is `{escaped(chosen, limit=40)}`; choose one of {values}")


def _non_default(**chosen: str) -> dict[str, str]:
    """Return the parameters that differ from their defaults."""
    defaults = {"show": ListFilter.FINDINGS, "sort": RowOrder.WORST, "rows": RowLimit.FIRST}
    return {name: value for name, value in chosen.items() if value != defaults[name]}


def _number(text: str) -> int | None:
    """Return a parameter as a whole number; None if it is not one."""
    # below 2**63: a longer number is no place in a database
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        return None
    return int(text)


def _curve(sweep: Sweep) -> dict[str, list[float | None]]:
    """Return the data of a sweep's chart by threshold; None where nothing is labelled."""
    points = [*sweep.points()]
    return {
        "threshold": [point.threshold for point in points],
        "held": [_share(point.held) for point in points],
        "precision": [_share(point.precision) for point in points],
        "recall": [_share(point.recall) for point in points],
    }


def _share(share: Share) -> float | None:
    return share.hits / share.of if share.of else None
