"""`abs-shield replay`: recorded runs judged again."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any

import typer

from abs_shield.cli.faults import BadInput
from abs_shield.cli.files import read_toolsets
from abs_shield.cli.progress import progress
from abs_shield.cli.screen import print_json, screen
from abs_shield.cli.tables import finding_entry, finding_report, tally_report
from abs_shield.core import Finding, Verdict
from abs_shield.policy import load_policy
from abs_shield.replay import BadLine, Firewalls, Judged, Run, Tally, judge_run, row, runs
from abs_shield.text.show import escaped

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Format(StrEnum):
    """How a replay is printed."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"


class FailOn(StrEnum):
    """From which verdict on a replay fails."""

    SUSPICIOUS = "SUSPICIOUS"
    HALLUCINATED = "HALLUCINATED"


@app.command(epilog="Example: abs-shield replay runs.jsonl.gz --tools toolsets.json --findings 20")
def replay(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Run files, .jsonl or .gz; - for stdin.")
    ],
    tools: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="JSON: name of a toolset to its list of tools."),
    ] = None,
    policy: Annotated[
        str | None, typer.Option(metavar="MODULE:ATTR", help="The policy; else all six layers.")
    ] = None,
    format: Annotated[
        Format, typer.Option(help="A table, one JSON object, or one line a call.")
    ] = Format.TABLE,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            case_sensitive=False,
            metavar="VERDICT",
            help="Exit with 1 where a call is SUSPICIOUS, or HALLUCINATED.",
        ),
    ] = None,
    findings: Annotated[
        int, typer.Option(metavar="N", min=0, help="List the first N findings as well.")
    ] = 0,
) -> None:
    """
    Judge every call of recorded runs again, in audit mode, as it would have been judged live.

    Exits with 0, with 1 under --fail-on, with 2 where a line is no run.
    """
    if findings and format is Format.JSONL:
        raise BadInput("`--findings` adds to a table or an object; the lines of jsonl hold theirs")
    firewalls = Firewalls(None if policy is None else load_policy(policy))
    toolsets = read_toolsets(tools)
    seen = _Seen(most=findings)
    with progress(
        "replay", files, hidden=format is Format.JSONL and sys.stdout.isatty()
    ) as advance:
        for run in runs(files, toolsets, on_bytes=advance):
            for judged in seen.run(run, firewalls):
                if format is Format.JSONL:
                    print(json.dumps(row(judged)))
    if format is Format.JSON:
        print_json(_object(files, seen, listed=findings > 0))
    elif format is Format.TABLE:
        _print_table(seen)
    raise typer.Exit(2 if seen.bad_lines else _failed(seen.tally, fail_on))


class _Seen:
    """What a replay came across."""

    def __init__(self, *, most: int) -> None:
        self.tally = Tally()
        self.findings: list[tuple[Judged, Finding]] = []
        self.bad_lines = 0
        self._most = most

    def run(self, run: Run | BadLine, firewalls: Firewalls) -> Iterator[Judged]:
        """Judge and count one run; say that a bad line is one."""
        if isinstance(run, BadLine):
            self.bad_lines += 1
            print(escaped(str(run), limit=1_000), file=sys.stderr)
            return
        self.tally.run(run)
        for judged in judge_run(run, firewalls.of(run)):
            self.tally.update(judged)
            left = self._most - len(self.findings)
            if left > 0 and judged.decision.findings:
                weighing = [f for f in judged.decision.findings if f.weighs]
                self.findings += [(judged, finding) for finding in weighing[:left]]
            yield judged


def _object(files: list[str], seen: _Seen, *, listed: bool) -> dict[str, Any]:
    made = {"files": files, **seen.tally.to_dict(), "bad_lines": seen.bad_lines}
    if listed:
        made["findings"] = [finding_entry(*found) for found in seen.findings]
    return made


def _print_table(seen: _Seen) -> None:
    console = screen()
    for part in tally_report(seen.tally):
        console.print(part)
    for judged, finding in seen.findings:
        for text in finding_report(judged, finding):
            console.print(text, soft_wrap=True)


def _failed(tally: Tally, fail_on: FailOn | None) -> int:
    if fail_on is None:
        return 0
    least = Verdict(fail_on).gravity
    return int(any(n for verdict, n in tally.verdicts.items() if verdict.gravity >= least))
