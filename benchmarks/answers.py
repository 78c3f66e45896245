"""The check of answers on recorded replies and labelled runs: ``answers.py --data FOLDER``."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from answers_ablate import OfRuns, of_cases, of_natural, table
from answers_gate import CONFIGS, of_runs, of_texts
from answers_judging import scored
from answers_natural import measure
from answers_runs import Measured, measured
from command_line import announce, command_parser, report_progress
from recorded_data import (
    ONE_IN,
    QUICK_RUNS,
    data_folder,
    labelled_answers,
    require_runs,
)

from abs_shield.answer.evidence.evidence_collection import evidence_from
from abs_shield.replay.toolsets import Toolsets
from abs_shield.text.values.figure import DATE, ID, MONEY, TIME

GOALS = {ID: 0.98, MONEY: 0.93, DATE: 0.95, TIME: 0.88}
ACTIONS = 0.98
"""Of changed values and of actions without any call: the share that is seen."""
_GATE_EVERY = 10
"""The gate is asked four times of each answer: a tenth of the runs tells enough."""
_QUICK_GATE = 5
"""With ``--quick`` the gate is asked of one in so many of the runs that are read."""
_ABLATED_EVERY = 8
"""Runs are judged once for each rule: an eighth of them shows what a rule does."""
_TEXTS = 2_000
"""Labelled answers of a corpus that are checked in a session, where every run is read."""
FLAGGED, PRECISION, ALARMS = 0.03, 0.90, 0.02


def of_answers(folder: Path, *, show: bool, every: int = 1) -> dict[str, Any]:
    """The check of numbers on labelled answers: an answer is flagged where a figure is absent."""
    table: dict[str, Counter[str]] = {}
    for path in report_progress(sorted(folder.glob("*.jsonl.gz")), doing="checking answers"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in islice(lines, 0, None, every):
                _answer(json.loads(line), table, show=show)
    both = (count for count in table.values() if count["good"] and count["bad"])
    total: Counter[str] = sum(both, Counter())
    return {name: _rates(count) for name, count in {**table, "all": total}.items()}


def _answer(row: dict[str, Any], table: dict[str, Counter[str]], *, show: bool) -> None:
    scores = scored(row["answer"], evidence_from(row["context"]), row.get("question"))
    missing = [miss for one in scores for miss in one.missing if miss.kind != ID]
    count = table.setdefault(row["source"], Counter())
    bad = row["label"] == "hallucinated"
    count["bad" if bad else "good"] += 1
    count["contradicted bad" if bad else "contradicted good"] += any(o.contradicted for o in scores)
    if missing:
        count["hits" if bad else "alarms"] += 1
    if show and missing and not bad:
        print(row["id"], [m.text for m in missing], repr(row["answer"][:300]), file=sys.stderr)


def _rates(count: Counter[str]) -> dict[str, Any]:
    hits, alarms = count["hits"], count["alarms"]
    return {
        "answers": count["good"] + count["bad"],
        "precision": round(hits / max(1, hits + alarms), 3),
        "recall": round(hits / max(1, count["bad"]), 3),
        "false alarms": round(alarms / max(1, count["good"]), 4),
        "contradicted": f"{count['contradicted bad']} bad, {count['contradicted good']} good",
    }


def not_reached(report: dict[str, Any]) -> list[str]:
    """Name the goals that were missed."""
    missed = []
    if replies := report.get("replies"):
        if replies["share of turns flagged"] > FLAGGED:
            missed.append("turns flagged")
        observed = replies["seen"]
        missed += [
            f"changed {k}"
            for k, goal in GOALS.items()
            if k in observed and observed[k]["share"] < goal
        ]
        actions = replies["replies that say what was done, after a call that did something"]
        if replies["of these caught without any such call"] < ACTIONS * actions:
            missed.append("actions without a call")
    if answers := report.get("answers"):
        if answers["all"]["precision"] < PRECISION:
            missed.append("precision of the number check")
        if answers["all"]["false alarms"] > ALARMS:
            missed.append("false alarms of the number check")
    return missed


def main() -> None:
    """Print one JSON object."""
    parser = command_parser(__doc__, example="answers.py --only natural", quick=QUICK_RUNS)
    parser.add_argument(
        "--data", type=Path, default=data_folder(), help="recorded data; natural needs none"
    )
    parser.add_argument("--every", type=int, default=1, help="read only every n-th run")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", action="store_true", help="print what is flagged")
    parser.add_argument("--unseen", action="store_true", help="print changes that are not flagged")
    parser.add_argument("--only", choices=("runs", "gate", "answers", "natural"))
    parser.add_argument("--list", choices=("wrong",), help="print each natural answer misjudged")
    parser.add_argument("--ablate", action="store_true", help="switch each rule off in turn")
    parser.add_argument("--rules", nargs="*", default=(), help="of --ablate; all without it")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes of --ablate")
    options = parser.parse_args()
    if options.quick:
        options.every = max(options.every, ONE_IN)
    _require_data(options)
    if options.ablate:
        _ablate(options)
        return
    report = {"quick": options.quick} | _recorded(options)
    if options.only in (None, "natural"):
        announce("checking the natural answers")
        report["natural"] = measure(listing=options.list)
    report["not_reached"] = not_reached(report)
    json.dump(report, sys.stdout, indent=1, ensure_ascii=False)
    print()


def _require_data(options: argparse.Namespace) -> None:
    """Exit with 2 unless there is all that the chosen parts read."""
    if options.only in (None, "runs", "gate"):
        require_runs(options.data / "toolcalls")
    if options.only in (None, "gate", "answers") and not options.ablate:
        labelled_answers(options.data)


def _ablate(options: argparse.Namespace) -> None:
    """Print one JSON object a rule: natural errors, and recorded runs unless left out."""
    sets: dict[str, Any] = {"natural": of_natural, "cases": of_cases}
    if options.only != "natural":
        path = options.data / "toolcalls" / "runs.jsonl.gz"
        sets["runs"] = OfRuns(path, every=max(options.every, _ABLATED_EVERY))
    for name, figures in sets.items():
        for row in table(figures, names=options.rules, jobs=options.jobs):
            line = {"quick": options.quick, "data": name} | _rounded(row)
            print(json.dumps(line, ensure_ascii=False), flush=True)


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {key: round(one, 4) if isinstance(one, float) else one for key, one in row.items()}


def _recorded(options: argparse.Namespace) -> dict[str, Any]:
    """Measure what needs recorded data."""
    report: dict[str, Any] = {}
    path = options.data / "toolcalls" / "runs.jsonl.gz"
    if options.only in (None, "runs"):
        into = Measured(seed=options.seed, show=options.show, unseen=options.unseen)
        report["replies"] = measured(path, into, every=options.every)
    if options.only in (None, "gate"):
        toolsets = Toolsets(json.loads((path.parent / "toolsets.json").read_text("utf-8")))
        every = max(options.every, _GATE_EVERY) * (_QUICK_GATE if options.quick else 1)
        report["gate"] = {"every": every} | of_runs(path, toolsets, every=every)
        for name in ("default", "words gate"):
            some = of_texts(options.data / "grounding", CONFIGS[name], most=_TEXTS // every)
            report["gate"][f"beside texts, {name}"] = some
    if options.only in (None, "answers"):
        every = ONE_IN if options.quick else 1
        folder = options.data / "grounding"
        report["answers"] = of_answers(folder, show=options.show, every=every)
    return report


if __name__ == "__main__":
    main()
