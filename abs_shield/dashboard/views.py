"""What each address of the dashboard answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from jinja2 import Environment
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from abs_shield.core import Decision, Mode, Verdict
from abs_shield.core.label import Label, Truth
from abs_shield.dashboard.access import form_key, is_own_form, read_form, same, sign_in
from abs_shield.dashboard.cells import SORTS, interval_of, shown_rows
from abs_shield.dashboard.details import masked, shown_findings
from abs_shield.dashboard.figures import Figures
from abs_shield.dashboard.filters import RANGES, BadFilter, Filters, written
from abs_shield.dashboard.trends import charts, hours_of
from abs_shield.replay.report import Readiness, Standing, modes, rollout
from abs_shield.replay.report.place import Place
from abs_shield.replay.report.rows import cases_of
from abs_shield.text.show import escaped


@dataclass(frozen=True, kw_only=True)
class Views:
    """
    Answers requests; each method is an endpoint.

    Attributes:
        figures: The log.
        templates: The pages.
        rule: When a check is safe to enforce.
        show_values: Whether values are shown.
        token: What the form at ``/login`` asks for; empty where nobody is asked.
        trace_url: Where a trace is shown.
    """

    figures: Figures
    templates: Environment
    rule: Readiness
    show_values: bool
    token: str
    trace_url: str

    # Pages ---------------------------------------------------------------------------------------

    def heatmap(self, request: Request) -> Response:
        """The heatmap, or what to do where the log is empty."""
        filters = self._filters(request)
        sort = request.query_params.get("sort", SORTS[0])
        if sort not in SORTS:
            raise BadFilter(f"there is no order `{escaped(sort, limit=40)}`; {', '.join(SORTS)}")
        counted = self.figures.counted(filters)
        earlier = filters.before(now=self.figures.now()) if filters.compare else None
        before = None if earlier is None else self.figures.counted(earlier).report
        return self._page(
            request, "heatmap.html", filters,
            report=counted.report,
            totals=counted.report.totals,
            columns=counted.report.columns(),
            rows=shown_rows(counted.report, before, sort=sort),
            sort=sort,
            sorts=SORTS,
            compared=before is not None,
            agents=counted.agents,
            models=counted.models,
            uncounted=self.figures.store.uncounted(),
        )  # fmt: skip

    def cell(self, request: Request) -> Response:
        """The decisions of one cell, newest first."""
        filters, query = self._filters(request), request.query_params
        row, check = query.get("row", ""), query.get("check", "")
        shows_all = query.get("all") == "1"
        page = self.figures.page(
            filters, row, check, all_of_it=shows_all, before=_number(query.get("before", ""))
        )
        place = self.figures.counted(filters, spread=False).report.place(check, row)
        known = self.figures.store.labels()
        labels = {one.id: known[one.id].truth.value for one in page.decisions if one.id in known}
        return self._page(
            request, "cell.html", filters,
            row=row,
            check=check,
            place=place,
            precision=_precision(place),
            page=page,
            shows_all=shows_all,
            labels=labels,
            lines={one.id: self._line(one, check) for one in page.decisions},
        )  # fmt: skip

    def decision(self, request: Request) -> Response:
        """One decision, in words."""
        decision = self._found(request)
        if decision is None:
            return self._missing(request)
        return self._decision(request, decision)

    def rollout(self, request: Request) -> Response:
        """What is safe to enforce, and what not yet."""
        filters = self._filters(request)
        report = self.figures.counted(filters).report
        steps = rollout(report, self.rule)
        groups = [(word, [step for step in steps if step.standing is word]) for word in Standing]
        return self._page(
            request, "rollout.html", filters,
            groups=groups,
            change=_policy_change(modes(steps)),
            sentences=self.rule.sentences(),
            sweeps={check: [*sweep.points()] for check, sweep in report.sweeps.items()},
            interval=interval_of,
        )  # fmt: skip

    def trends(self, request: Request) -> Response:
        """Charts of each check over time."""
        filters = self._filters(request)
        return self._page(request, "trends.html", filters, charts=self._charts(filters))

    def trends_data(self, request: Request) -> Response:
        """The figures of the charts."""
        return JSONResponse({"charts": self._charts(self._filters(request))})

    # Labels --------------------------------------------------------------------------------------

    async def label(self, request: Request) -> Response:
        """Keep what a person says of a decision."""
        form = await read_form(request)
        if not is_own_form(request, form.get("key")):
            return self._problem(
                request, 403, "this form is not of this session; load the page again"
            )
        try:
            truth = Truth(form.get("truth", ""))
        except ValueError:
            return self._problem(request, 400, "a label is `hallucinated` or `ok`")
        return await run_in_threadpool(self._labelled, request, truth)

    def _labelled(self, request: Request, truth: Truth) -> Response:
        decision = self._found(request)
        if decision is None:
            return self._missing(request)
        label = Label(decision_id=decision.id, truth=truth, at=self.figures.now(), by="dashboard")
        self.figures.store.label(label)
        if "hx-request" in request.headers:
            return self._decision(request, decision)
        return RedirectResponse(self._path(request, decision.id), status_code=303)

    # Access --------------------------------------------------------------------------------------

    async def login(self, request: Request) -> Response:
        """Ask for the token, and open a session."""
        home = request.scope.get("root_path", "") + "/"
        if not self.token:
            return RedirectResponse(home, status_code=303)
        wrong = False
        if request.method == "POST":
            form = await read_form(request)
            if same(form.get("token", ""), self.token):
                sign_in(request)
                return RedirectResponse(home, status_code=303)
            wrong = True
        return self._render(request, "login.html", status=403 if wrong else 200, wrong=wrong)

    async def logout(self, request: Request) -> Response:
        """End the session."""
        form = await read_form(request)
        if is_own_form(request, form.get("key")):
            request.session.clear()
        return RedirectResponse(request.scope.get("root_path", "") + "/login", status_code=303)

    # Failures ------------------------------------------------------------------------------------

    async def not_found(self, request: Request, error: Exception) -> Response:
        """Say that there is no such page."""
        return self._problem(request, 404, "there is no such page")

    async def bad_filter(self, request: Request, error: Exception) -> Response:
        """Say which parameter of an address means nothing."""
        return self._problem(request, 400, str(error))

    async def unreadable(self, request: Request, error: Exception) -> Response:
        """Say why the log cannot be read."""
        return self._problem(request, 503, str(error))

    async def failed(self, request: Request, error: Exception) -> Response:
        """Say that something broke; the server's log says what."""
        return self._problem(request, 500, "something broke; the server's log says what")

    # Parts ---------------------------------------------------------------------------------------

    def _filters(self, request: Request) -> Filters:
        return Filters.of(request.query_params, now=self.figures.now())

    def _found(self, request: Request) -> Decision | None:
        return self.figures.store.get(request.path_params["decision_id"])

    def _decision(self, request: Request, decision: Decision) -> Response:
        filters = self._filters(request)
        before, behind = self.figures.around(decision)
        report = self.figures.counted(Filters(), spread=False).report
        cells = [(row, check) for row, check, case in cases_of(decision, None) if case.speaks]
        label = self.figures.store.labels().get(decision.id)
        return self._page(
            request, "decision.html", filters,
            decision=decision,
            findings=shown_findings(decision, values=self.show_values),
            errors=[masked(error, values=self.show_values) for error in decision.errors],
            before=before,
            behind=behind,
            label=label,
            cells=[(row, check, _precision(report.place(check, row))) for row, check in cells],
            trace=self._trace(decision),
            shows_values=self.show_values,
            line=self._line,
        )  # fmt: skip

    def _line(self, decision: Decision, check: str = "") -> str:
        """Say in one line what was found, without values unless they are shown."""
        found = [one for one in decision.findings if one.weighs and check in ("", one.check)]
        if found:
            return masked(found[0].detail, values=self.show_values)
        if decision.errors:
            return masked(decision.errors[0], values=self.show_values)
        return ""

    def _trace(self, decision: Decision) -> str:
        """Return where a trace of a decision is shown; empty where no address is declared."""
        if not self.trace_url:
            return ""
        names = {"session_id": decision.session_id, "run_id": decision.run_id,
                 "trace_id": decision.run_id}  # fmt: skip
        address = self.trace_url
        for name, value in names.items():
            address = address.replace(f"{{{name}}}", quote(value, safe=""))
        return address

    def _charts(self, filters: Filters) -> list[dict[str, Any]]:
        whole = self.figures.store.pattern_counts(since=filters.since, until=filters.until)
        if not whole:
            return []
        first = min(count.first_at for count in whole)
        last = max(count.last_at for count in whole)
        hours = hours_of(filters, first, last)
        counts = self.figures.store.pattern_counts(
            since=filters.since, until=filters.until, hours=hours
        )
        return charts(counts, filters)

    def _page(
        self, request: Request, name: str, filters: Filters, status: int = 200, **shown: Any
    ) -> Response:
        return self._render(
            request, name, status=status,
            filters=filters,
            times={"since": written(filters.since), "until": written(filters.until)},
            ranges=[*RANGES],
            all_modes=[mode.value for mode in Mode],
            all_verdicts=[verdict.value for verdict in Verdict],
            log=self.figures.name,
            **shown,
        )  # fmt: skip

    def _render(self, request: Request, name: str, *, status: int = 200, **shown: Any) -> Response:
        template = self.templates.get_template(name)
        text = template.render(
            base=request.scope.get("root_path", ""),
            here=request.url.path,
            asked=bool(self.token),
            key=form_key(request),
            **shown,
        )
        return HTMLResponse(text, status_code=status)

    def _problem(self, request: Request, status: int, message: str) -> Response:
        return self._render(request, "problem.html", status=status, code=status, message=message)

    def _missing(self, request: Request) -> Response:
        return self._problem(request, 404, "no such decision is in this log")

    def _path(self, request: Request, decision_id: str) -> str:
        root = request.scope.get("root_path", "")
        query = request.url.query
        return f"{root}/decisions/{quote(decision_id, safe='')}" + (f"?{query}" if query else "")


def _precision(place: Place) -> str:
    """Say how many of the labelled decisions that a check flags are right; empty without labels."""
    share = place.counts.precision
    if not share.of:
        return ""
    return f"{share.hits:,} of {share.of:,} labelled are right ({interval_of(share)})"


def _policy_change(made: Mapping[str | tuple[str, str], Mode]) -> str:
    """Return the change of a policy that enforces what is safe; empty where nothing is."""
    if not made:
        return ""
    lines = [f"    {key!r}: {mode.value!r}," for key, mode in made.items()]
    return "\n".join(["modes={", *lines, "}"]).replace("'", '"')


def _number(text: str) -> int | None:
    """Return a whole number of an address; None for anything else."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        return None
    return int(text)
