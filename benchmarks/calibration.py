"""Share of right findings in each class: ``python benchmarks/calibration.py``."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import lgamma
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from command_line import QUICK_NOTE, command_parser, report_progress
from detection_judging import AFTER_FAILURE, Judge, read
from recorded_data import QUICK_RUNS, data_folder, require_runs, sampled

from abs_shield import Finding
from abs_shield.plan.strengths import STRENGTHS, Strength, fit_strength
from abs_shield.replay import Firewalls, Judged, Run, judge_run

_FOLDERS = ("toolcalls", "fields")
_READINGS = Path(__file__).parent / "calibration_readings.json"
BASE_RATE = 0.001
"""The share of faulty calls at which the precision of planted faults is printed."""
_KINDS = {
    "phantom_target:unseen_wellformed": "hard_id",
    "phantom_target:typo": "hard_id",
    "phantom_target:entity_name": "soft_name",
    "phantom_target:soft_name": "soft_name",
    "phantom_target:placeholder": "placeholder",
    "phantom_target:wrong_type_seen": "other_kind",
    "contradiction:inverse": "contradiction",
    "contradiction:conflicting_update": "contradiction",
    "impossible:repeat_on_dead": "removed",
    "impossible:write_on_dead": "removed",
    "param:stringified_number": "coercible",
}
"""Kinds of planted faults to the class of the finding that is expected."""
_INVENTED = ("TRUE: invented", "TRUE: oracle", "TRUE: data: the result that held it is missing")
"""Labels of calls with a value that the run does not hold; other labels speak of the schema."""

Counts = Counter[tuple[str, str, bool]]
"""Class, source, and whether the finding is right, to the number of findings."""


@dataclass(slots=True)
class Measured:
    """
    Counts of one folder.

    Attributes:
        natural: The findings on recorded calls that a person read.
        planted: Class, and whether it was found, to the number of planted faults.
        calls: Recorded calls, but for those with a finding that nobody read.
        unread: A line for each finding that nobody read; they are in no count.
    """

    natural: Counts = field(default_factory=Counter)
    planted: Counter[tuple[str, bool]] = field(default_factory=Counter)
    calls: int = 0
    unread: list[str] = field(default_factory=list)

    def add(self, other: Measured) -> None:
        """Add what was counted elsewhere."""
        self.natural.update(other.natural)
        self.planted.update(other.planted)
        self.calls += other.calls
        self.unread += other.unread


def main(arguments: Sequence[str] | None = None) -> None:
    """Count, fit, and print the table and how well it holds on what it was not fitted on."""
    options = _options(arguments)
    require_runs(*options.data)
    counted = _counted(options.data, quick=options.quick)
    rows = fit(counted.values())
    if options.format == "json":
        print(json.dumps({"quick": options.quick, **_as_json(rows, counted)}, indent=2))
        return
    if options.quick:
        print(f"{QUICK_NOTE}\n")
    print(table(rows, sum(part.calls for part in counted.values())))
    right, wrong = fit_prior([(row.right, row.wrong) for row in rows if row.right + row.wrong])
    print(f"\nwhat the classes have in common: {right:.2f} right, {wrong:.2f} wrong")
    print(f"\n{held_out({name: part.natural for name, part in counted.items()}, 'set')}")
    whole = Measured()
    for part in counted.values():
        whole.add(part)
    print(f"\n{held_out(_by_source(whole.natural), 'source')}")
    print(f"\nnot read, in no count: {len(whole.unread)}")
    print(*(whole.unread if options.list else ()), sep="\n")


def _counted(folders: Sequence[Path], *, quick: bool) -> dict[str, Measured]:
    """Return what was counted in each folder, each in a process of its own."""
    with ExitStack() as stack:
        folders = [stack.enter_context(sampled(folder, quick=quick)) for folder in folders]
        spawned = get_context("spawn")
        workers = stack.enter_context(ProcessPoolExecutor(len(folders), spawned))
        return dict(zip((f.name for f in folders), workers.map(measured, folders), strict=True))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = command_parser(__doc__, example="calibration.py --quick", quick=QUICK_RUNS)
    default = [data_folder() / name for name in _FOLDERS]
    parser.add_argument("--data", type=Path, nargs="+", default=default, help="folders of runs")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--list", action="store_true", help="list the findings that nobody read")
    return parser.parse_args(arguments)


def measured(folder: Path) -> Measured:
    """Judge the recorded calls of a folder without a policy, then the faults planted there."""
    recorded = read(folder)
    results, firewalls = Measured(), Firewalls(None)
    readings = _readings()
    for run in report_progress(
        recorded.runs, doing=f"{folder.name}: judging runs", total=len(recorded.runs)
    ):
        if not run.labels.get("attack"):
            _count(results, run, judge_run(run, firewalls.of(run)), readings)
    places = range(len(recorded.runs))
    judged = Judge(recorded, ("none",))(
        report_progress(places, doing=f"{folder.name}: planting faults", total=len(places))
    )
    for case in judged.planted:
        basis = _KINDS.get(case.kind.removesuffix(" (credential)"))
        if basis is not None and case.expect == "flag" and not case.why.endswith(AFTER_FAILURE):
            results.planted[basis, case.found] += 1
    return results


def _count(
    results: Measured, run: Run, judged: Iterator[Judged], readings: Mapping[str, bool]
) -> None:
    """
    Count the findings of one run; repeats in a run are one finding.

    A value is repeated, or the tool that takes back what another one did: the second try of a
    booking says no more than the first.
    """
    source = run.source.rpartition("/")[2]
    before: set[tuple[str, str, str]] = set()
    for one in judged:
        if one.call_index in run.labels.get("failed_calls", ()):
            continue
        results.calls += 1
        unread = len(results.unread)
        for finding in one.decision.findings:
            about = finding.got or (one.call.name, finding.evidence.get("first"))
            gist = (finding.basis, finding.code, str(about))
            if finding.basis in ("", "declared") or gist in before:
                continue
            before.add(gist)
            right = _is_right(run, one.call_index, finding, readings)
            if right is None:
                at = f"{run.run_id}#{one.call_index}{finding.where}"
                results.unread.append(f"{finding.basis} {at}: {finding.detail}")
            else:
                results.natural[finding.basis, source, right] += 1
        results.calls -= len(results.unread) > unread


def _is_right(run: Run, index: int, finding: Finding, readings: Mapping[str, bool]) -> bool | None:
    """Return whether a finding is right; None if it has not been reviewed."""
    labels = run.labels.get("unfounded")
    if labels is None:
        return readings.get(f"{run.run_id}#{index}{finding.where}")
    label = labels.get(str(index), "")
    if not label:
        return False
    if finding.basis == "coercible":
        return True if label.startswith("SLIP") else None
    return True if label.startswith(_INVENTED) else None


def _readings() -> dict[str, bool]:
    """Return run, call and place of each finding that was read, to whether it is right."""
    read_there = json.loads(_READINGS.read_text())
    return {at: word == "right" for word in ("right", "wrong") for at in read_there[word]}


def fit(counted: Iterator[Measured] | Sequence[Measured]) -> list[Strength]:
    """Return the rows of the classes that are measured, in the order of the shipped table."""
    whole = Measured()
    for part in counted:
        whole.add(part)
    rows = []
    for shipped in STRENGTHS.values():
        if shipped.interval is not None:
            right, wrong = _totals(whole.natural, shipped.basis)
            hits, misses = (whole.planted[shipped.basis, hit] for hit in (True, False))
            rows.append(
                fit_strength(
                    shipped.basis, right=right, wrong=wrong, found=hits, planted=hits + misses,
                    hard=shipped.hard,
                )
            )  # fmt: skip
    return rows


def fit_prior(counts: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """
    Return the beta distribution under which the findings of all classes are likeliest.

    Its mean and its size are looked for in steps of .01 and .1.

    >>> right, wrong = fit_prior([(9, 0), (40, 2), (18, 6), (1, 5)])
    >>> right > wrong
    True
    """
    sized = ((mean / 100, size / 10) for mean in range(1, 100) for size in range(2, 100))
    _, right, wrong = max(
        (
            sum(_likelihood(*one, mean * size, (1 - mean) * size) for one in counts),
            mean * size,
            (1 - mean) * size,
        )
        for mean, size in sized
    )
    return right, wrong


def _likelihood(right: int, wrong: int, more_right: float, more_wrong: float) -> float:
    """Return how likely counts are under a beta distribution: a logarithm, but for a constant."""
    return _log_beta(more_right + right, more_wrong + wrong) - _log_beta(more_right, more_wrong)


def _log_beta(one: float, other: float) -> float:
    return lgamma(one) + lgamma(other) - lgamma(one + other)


def _totals(natural: Counts, basis: str) -> tuple[int, int]:
    right, wrong = (
        sum(count for (name, _, is_right), count in natural.items() if (name, is_right) == key)
        for key in ((basis, True), (basis, False))
    )
    return right, wrong


def table(rows: Sequence[Strength], calls: int) -> str:
    """Return the table of strengths in Markdown."""
    lines = [
        f"| class | strength | 95 % interval | right | wrong | planted found | precision at "
        f"{BASE_RATE:.1%} |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        low, high = row.interval or (1.0, 1.0)
        cells = (
            f"`{row.basis}`", f"{row.strength:.2f}", f"{low:.2f}-{high:.2f}", row.right, row.wrong,
            f"{row.found}/{row.planted}" if row.planted else "-", _at_base_rate(row, calls),
        )  # fmt: skip
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _at_base_rate(row: Strength, calls: int) -> str:
    """Return the precision where one call in a thousand has a fault of this class."""
    if not row.planted:
        return "-"
    hits = BASE_RATE * row.found / row.planted
    alarms = (1 - BASE_RATE) * (row.wrong + 0.5) / (calls + 1)
    return f"{hits / (hits + alarms):.2f}"


def _by_source(natural: Counts) -> dict[str, Counts]:
    parts: dict[str, Counts] = {}
    for (basis, source, right), count in sorted(natural.items()):
        parts.setdefault(source, Counter())[basis, source, right] += count
    return parts


def held_out(parts: Mapping[str, Counts], what: str) -> str:
    """Return the strengths that the other parts give, and the shares of right findings."""
    lines = [
        f"| {what} left out | class | fitted on the others | right there |",
        "|---|---|---|---|",
    ]
    squares, total = 0.0, 0
    for name, part in parts.items():
        others: Counts = Counter()
        for other, counts in parts.items():
            if other != name:
                others.update(counts)
        for basis in STRENGTHS:
            right, wrong = _totals(part, basis)
            if not right + wrong:
                continue
            fit_right, fit_wrong = _totals(others, basis)
            strength = fit_strength(basis, right=fit_right, wrong=fit_wrong).strength
            squares += right * (1 - strength) ** 2 + wrong * strength**2
            total += right + wrong
            lines.append(f"| {name} | `{basis}` | {strength:.2f} | {right}/{right + wrong} |")
    brier = f"{squares / total:.3f}" if total else "-"
    return "\n".join((*lines, f"Brier score by {what} left out: {brier} of {total} findings"))


def _as_json(rows: Sequence[Strength], counted: Mapping[str, Measured]) -> dict[str, Any]:
    return {
        "rows": [
            {
                "basis": row.basis, "strength": row.strength, "interval": row.interval,
                "right": row.right, "wrong": row.wrong,
                "found": row.found, "planted": row.planted,
            }
            for row in rows
        ],
        "calls": {name: part.calls for name, part in counted.items()},
        "unread": {name: part.unread for name, part in counted.items()},
    }  # fmt: skip


if __name__ == "__main__":
    main()
