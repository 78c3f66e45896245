"""Detection in handwritten runs of many domains: ``python benchmarks/elsewhere.py``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from command_line import command_parser, report_progress
from rich.console import Console
from rich.table import Table

from abs_shield import Finding
from abs_shield.replay import Firewalls, Judged, Run, Toolsets, judge_run, runs
from abs_shield.stats.share_intervals import wilson
from abs_shield.text.safe_display import escaped

FOLDER = Path(__file__).parent / "runs"
FILES = sorted(FOLDER.glob("*.jsonl*"))
HARD = 0.9
Fault = Mapping[str, str]


@dataclass
class Tally:
    """
    Counts of one file.

    Attributes:
        calls: Calls that are right.
        flagged: Those of them with a finding that counts.
        hard: Those with a finding of strength 0.9 or more.
        planted: Layer to the faults that it should find.
        found: Layer to those that were found, at their place where they have one.
        hard_by: Layer to those of them that it flags so.
        misses: A line for each that was not.
        flags: A line for each finding on a call that is right.
    """

    calls: int = 0
    flagged: int = 0
    hard: int = 0
    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    hard_by: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> None:
    """Judge every run of the folder, and print what was found and what was flagged."""
    parser = command_parser(__doc__, example="elsewhere.py --list")
    parser.add_argument("--list", action="store_true", help="list every miss and every flag")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(arguments)
    shown = report_progress(FILES, doing="judging files of runs", total=len(FILES))
    tallies = {path.name.split(".")[0]: judged(path) for path in shown}
    if options.format == "json":
        print(json.dumps({name: vars(tally) for name, tally in tallies.items()}, indent=2))
        return
    console = Console(width=120)
    console.print(_table(tallies))
    for name, tally in tallies.items() if options.list else ():
        for line in (*tally.flags, *tally.misses):
            console.print(f"{name}: {line}", markup=False, highlight=False, soft_wrap=True)


def judged(path: Path) -> Tally:
    """Judge one file; of a copy that was made to plant a fault, only the fault counts."""
    tally, firewalls = Tally(), Firewalls(None)
    for run in runs([str(path)], Toolsets({})):
        assert isinstance(run, Run), run
        for one in judge_run(run, firewalls.of(run)):
            fault = run.labels["faults"].get(str(one.call_index))
            if fault is not None:
                _planted(tally, one, fault)
            if not run.labels["copy"]:
                _right(tally, one, fault)
    return tally


def _planted(tally: Tally, one: Judged, fault: Fault) -> None:
    layer = fault["layer"]
    tally.planted[layer] += 1
    if any(_finds(finding, fault) for finding in one.decision.findings):
        tally.found[layer] += 1
    else:
        at = f"{one.run_id} {one.call_index} {one.call.name} {fault['where']}"
        tally.misses.append(f"missed {layer}, {fault['kind']}: {escaped(at)}")


def _finds(finding: Finding, fault: Fault) -> bool:
    """Return whether a finding matches the fault; an inverse and its later use count as one."""
    if not finding.counted:
        return False
    if fault["layer"] == "phantom_target":
        return finding.check == "phantom_target" and _same(finding.where, fault["where"])
    return finding.check in ("self_contradiction", "impossible_state")


def _same(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _right(tally: Tally, one: Judged, fault: Fault | None) -> None:
    wrong = [*_wrong(one, fault)]
    tally.calls += fault is None
    tally.flagged += bool(wrong)
    hard = {finding.check for finding in wrong if finding.strength >= HARD}
    tally.hard += bool(hard)
    tally.hard_by.update(hard)
    for finding in wrong:
        at = f"{one.run_id} {one.call_index} {one.call.name} {finding.where}"
        tally.flags.append(f"flagged {finding.check}, {escaped(at)}: {finding.detail}")


def _wrong(one: Judged, fault: Fault | None) -> Iterator[Finding]:
    for finding in one.decision.findings:
        if finding.counted and (fault is None or not _finds(finding, fault)):
            yield finding


def _table(tallies: Mapping[str, Tally]) -> Table:
    table = Table("", *tallies, title="Runs written by hand", title_justify="left")
    table.add_row("calls that are right", *(f"{tally.calls:,}" for tally in tallies.values()))
    table.add_row("flagged", *(_rate(tally.flagged, tally.calls) for tally in tallies.values()))
    table.add_row("flagged, hard", *(_rate(tally.hard, tally.calls) for tally in tallies.values()))
    for layer in ("phantom_target", "self_contradiction", "impossible_state"):
        cells: list[Any] = [_rate(t.found[layer], t.planted[layer]) for t in tallies.values()]
        table.add_row(f"{layer} found", *cells)
    return table


def _rate(hits: int, total: int) -> str:
    low, high = wilson(hits, total)
    return f"{hits}/{total} {hits / total:.3f} [{low:.3f}, {high:.3f}]" if total else "-"


if __name__ == "__main__":
    main()
