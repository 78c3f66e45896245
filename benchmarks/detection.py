"""Detection in recorded runs and of planted faults: ``python benchmarks/detection.py``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from command_line import QUICK_NOTE, announce, command_parser, report_progress
from detection_ablate import ablation
from detection_judging import Judge, Recorded, Results, read
from detection_report import Table, of_policy, tables
from detection_targets import targets
from recorded_data import QUICK_RUNS, data_folder, require_runs, sampled

from abs_shield.replay.planted_cases import RUNS

POLICIES = {"none": ("none",), "author": ("author",), "both": ("none", "author")}
TITLES = {"none": "no policy", "author": "a ten-minute author's policy"}
_CHUNK = 40


def main(arguments: Sequence[str] | None = None) -> None:
    """Judge everything and print the tables, or one JSON object."""
    options = _options(arguments)
    paths = [*([] if options.data is None else [options.data]), *options.beside]
    if missing := [path for path in paths if not _is_there(path)]:
        raise SystemExit(f"{missing[0]}: there is no `{RUNS}` in it; `abs-shield plant` writes one")
    data = data_folder() / "toolcalls" if options.data is None else options.data
    if options.ablate is not None:
        _ablate([path for path in (data, *options.beside) if _is_there(path)], options)
        return
    require_runs(data)
    policies = POLICIES[options.policy]
    with sampled(data, quick=options.quick) as folder:
        results = _judged(folder, policies, limit=options.limit, jobs=options.jobs)
    sources = sorted({key[1] for key in results.coverage})
    created = {}
    for policy in policies:
        own = of_policy(results, policy)
        listed = options.list or options.format == "json"
        created[policy] = [*tables(own, listed=listed), targets(own, sources)]
    _print(created, as_json=options.format == "json", quick=options.quick)


def _is_there(folder: Path) -> bool:
    return (folder / RUNS).is_file()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = command_parser(__doc__, example="detection.py --quick", quick=QUICK_RUNS)
    default = data_folder() / "toolcalls"
    parser.add_argument("--data", type=Path, help=f"folder of recorded runs; else {default}")
    parser.add_argument("--policy", choices=POLICIES, default="both")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--list", action="store_true", help="list every miss and every flag")
    parser.add_argument(
        "--ablate", nargs="*", metavar="RULE", help="switch off one rule at a time, or these"
    )
    parser.add_argument(
        "--beside", type=Path, nargs="*", default=(), help="further folders, with --ablate"
    )
    parser.add_argument("--limit", type=int, help="judge so many runs, spread over the file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="worker processes")
    return parser.parse_args(arguments)


def _ablate(folders: Sequence[Path], options: argparse.Namespace) -> None:
    """Print the table of the rules that are switched off in turn."""
    announce("switching off one rule at a time")
    if options.quick:
        print(f"{QUICK_NOTE}\n")
    with ExitStack() as stack:
        read_from = [stack.enter_context(sampled(one, quick=options.quick)) for one in folders]
        print(ablation(read_from, names=options.ablate, jobs=options.jobs))


def _judged(data: Path, policies: Sequence[str], *, limit: int | None, jobs: int) -> Results:
    announce("reading the recorded runs")
    recorded = read(data)
    chunks = _chunks(recorded, limit)
    results = Results()
    parts = _worked(recorded, policies, chunks, jobs)
    for part in report_progress(parts, doing=f"judging {_CHUNK} runs at a time", total=len(chunks)):
        results.add(part)
    return results


def _chunks(recorded: Recorded, limit: int | None) -> list[range]:
    """Return the places of the runs to be judged, a piece of work each."""
    count = len(recorded.runs)
    step = 1 if limit is None else max(1, count // max(1, limit))
    places = range(0, count, step)[:limit]
    return [places[start : start + _CHUNK] for start in range(0, len(places), _CHUNK)]


def _worked(
    recorded: Recorded, policies: Sequence[str], chunks: Sequence[range], jobs: int
) -> Iterator[Results]:
    if jobs <= 1 or len(chunks) <= 1:
        yield from map(Judge(recorded, policies), chunks)
        return
    spawned = get_context("spawn")
    with ProcessPoolExecutor(jobs, spawned, _begin, (recorded, policies)) as workers:
        yield from workers.map(_work, chunks)


_judges: list[Judge] = []
"""The one judge of a worker process."""


def _begin(recorded: Recorded, policies: Sequence[str]) -> None:
    _judges.append(Judge(recorded, policies))


def _work(places: range) -> Results:
    return _judges[0](places)


def _print(created: dict[str, list[Table]], *, as_json: bool, quick: bool) -> None:
    if as_json:
        report: dict[str, Any] = {
            policy: [table.to_dict() for table in results] for policy, results in created.items()
        }
        json.dump({"quick": quick, **report}, sys.stdout, indent=2)
        print()
        return
    if quick:
        print(f"{QUICK_NOTE}\n")
    for policy, results in created.items():
        print(f"==== With {TITLES[policy]} ====\n")
        print(*results, sep="\n")


if __name__ == "__main__":
    main()
