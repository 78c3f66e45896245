"""The verification engine beside the original: ``python benchmarks/verification.py``."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import tempfile
import venv
from collections import deque
from fractions import Fraction
from pathlib import Path
from typing import Any

from command_line import announce, command_parser, report_progress
from verification_streams import STREAMS
from verification_worker import summary

from abs_shield.stats import Window
from abs_shield.stats.probabilities import (
    expected_calibration_error,
    log_odds,
    probability,
    reliability,
)
from abs_shield.verification import Calibrated, SignalResult
from abs_shield.verification.signal_combination import calibration_of

HERE = Path(__file__).parent
ORIGINAL = "awesome-agentguard==0.2.0"
FASTER = {2: 12.0, 10: 25.0, 50: 50.0}
ECE = 0.05
RATES = {
    "schema_mismatch": (0.72, 0.01), "pattern_mismatch": (0.5, 0.05),
    "latency_anomaly": (0.6, 0.1), "length_anomaly": (0.3, 0.1),
    "historical_inconsistency": (0.4, 0.02), "session_inconsistency": (0.35, 0.02),
    "spc_anomaly": (0.5, 0.05), "value_plausibility": (0.45, 0.03),
}  # fmt: skip
"""True and false positive rates of the synthetic results, by signal."""


class Worker:
    """An engine in a process of its own."""

    def __init__(self, python: str, which: str) -> None:
        self._process = subprocess.Popen(
            [python, str(HERE / "verification_worker.py"), which],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def ask(self, do: str, **request: Any) -> Any:
        """Send one line, and wait for the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, **request}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"an engine ended: {self._process.wait()}")
        return json.loads(line)

    def end(self) -> None:
        """Let it end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


def installed(folder: str) -> str | None:
    """Install the original into an environment of its own; None where that fails."""
    announce(f"installing {ORIGINAL}")
    venv.create(folder, with_pip=True)
    python = f"{folder}/bin/python"
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", ORIGINAL], capture_output=True, check=False
    )
    return python if done.returncode == 0 else None


def speed(workers: dict[str, Worker], *, rounds: int) -> dict[str, Any]:
    """Time both, a batch of each in turn."""
    report: dict[str, Any] = {}
    for fields, goal in FASTER.items():
        taken: dict[str, list[float]] = {which: [] for which in workers}
        calls = 200 if fields < 50 else 60
        doing = f"timing results of {fields} fields"
        for _ in report_progress(range(rounds), doing=doing, total=rounds):
            for which, worker in workers.items():
                taken[which] += worker.ask("time", fields=fields, calls=calls)
        row: dict[str, Any] = {which: summary(times) for which, times in taken.items()}
        if "original" in row:
            row["times_faster"] = round(row["original"]["p50_us"] / row["ours"]["p50_us"], 1)
            row["goal"] = goal
        report[f"{fields} fields"] = row
    return report


def false_alarms(workers: dict[str, Worker], *, calls: int) -> dict[str, Any]:
    """Return the share of each honest stream that is not accepted, with its goal."""
    report: dict[str, Any] = {}
    streams = report_progress(STREAMS.items(), doing="verifying streams", total=len(STREAMS))
    for name, (_, most) in streams:
        for same in (True, False):
            label = f"{name}, {'the same' if same else 'other'} arguments"
            row = {
                which: worker.ask("stream", name=name, same=same, calls=calls)
                for which, worker in workers.items()
            }
            report[label] = {**row, "at_most": most}
    return report


def drawn(n: int, *, seed: int) -> list[tuple[dict[str, bool], bool]]:
    """Labelled results whose signals fire at known rates; one in five is hallucinated."""
    dice, verdicts = random.Random(seed), []
    for _ in range(n):
        wrong = dice.random() < 0.2
        fired = {name: dice.random() < rates[0 if wrong else 1] for name, rates in RATES.items()}
        verdicts.append((fired, wrong))
    return verdicts


def calibration() -> dict[str, Any]:
    """Learn from 2,000 synthetic labels; give the error on 5,000 others, and the curve."""
    announce("calibrating")
    taught = calibration_of(drawn(2_000, seed=2))
    combiner = Calibrated(taught.groups)
    held_out = []
    for fired, wrong in drawn(5_000, seed=3):
        observed = [
            (name, SignalResult(is_fired, float(is_fired), 1.0)) for name, is_fired in fired.items()
        ]
        held_out.append((probability(combiner.odds(log_odds(taught.prior), observed)), wrong))
    curve = [
        {"results": one.n, "said": round(one.predicted, 4), "was": round(one.observed, 4)}
        for one in reliability(held_out)
    ]
    error = expected_calibration_error(held_out)
    return {"labels": 2_000, "held_out": 5_000, "ece": round(error, 4), "at_most": ECE,
            "ece_by_folds": round(taught.ece, 4), "curve": curve}  # fmt: skip


def numerics(*, updates: int) -> dict[str, Any]:
    """Compare the windowed statistics with exact arithmetic after very many updates."""
    report = {}
    announce("comparing with exact arithmetic")
    for name, mean, spread in (("650 and 10", 650, 10), ("1e9 and 1", 1e9, 1)):
        dice, window = random.Random(5), Window(100)
        newest: deque[float] = deque(maxlen=100)
        for _ in range(updates):
            x = dice.gauss(mean, spread)
            window.update(x)
            newest.append(x)
        exact = [Fraction(x) for x in newest]
        middle = sum(exact) / 100
        variance = float(sum((x - middle) ** 2 for x in exact) / 99)
        report[name] = {
            "updates": updates,
            "mean_off": abs(window.mean - float(middle)) / abs(mean),
            "variance_off": abs(window.variance - variance) / variance,
        }
    return report


def picture(curve: list[dict[str, Any]], path: Path) -> None:
    """Draw the calibration curve; needs matplotlib."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "abs_shield"
    figure, axes = plt.subplots(figsize=(5, 5))
    axes.plot([0, 1], [0, 1], "--", color="grey", label="taken at its word")
    sizes = [20 + 40 * math.log10(one["results"]) for one in curve]
    axes.plot([c["said"] for c in curve], [c["was"] for c in curve], color="tab:blue")
    axes.scatter([c["said"] for c in curve], [c["was"] for c in curve], s=sizes)
    axes.set(xlabel="P(hallucination) as told", ylabel="share that was hallucinated",
             title="5,000 held-out synthetic results")  # fmt: skip
    axes.legend(loc="upper left")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def missed(report: dict[str, Any]) -> list[str]:
    """Name every goal that was not reached."""
    results = [
        f"{name}: {row['times_faster']} times faster, goal {row['goal']}"
        for name, row in report["speed"].items()
        if row.get("times_faster", math.inf) < row.get("goal", 0)
    ]
    results += [
        f"{name}: {row['ours']['not_accepted']:.2%} not accepted, at most {row['at_most']:.0%}"
        for name, row in report["false_alarms"].items()
        if row["ours"]["not_accepted"] > row["at_most"] or row["ours"]["errors"]
    ]
    for name, verdict in report["detection"]["ours"].items():
        wanted = name.startswith("harmless")
        if (verdict == "accept") is not wanted or verdict.startswith(("error", "0 of")):
            results.append(f"{name}: {verdict}")
    if report["calibration"]["ece"] > ECE:
        results.append(f"calibration error {report['calibration']['ece']}, at most {ECE}")
    return results


def measured(workers: dict[str, Worker], *, quick: bool) -> dict[str, Any]:
    """Return the whole report."""
    ours = {"ours": workers["ours"]}
    report: dict[str, Any] = {
        "quick": quick,
        "original": ORIGINAL if "original" in workers else None,
        "false_alarms": false_alarms(ours if quick else workers, calls=2_500 if quick else 5_000),
        "detection": {which: worker.ask("detection") for which, worker in workers.items()},
        "speed": speed(workers, rounds=2 if quick else 10),
        "growth": workers["ours"].ask("growth", calls=2_000 if quick else 20_000),
        "calibration": calibration(),
        "numerics": numerics(updates=10_000 if quick else 1_000_000),
    }
    report["not_reached"] = missed(report)
    return report


def main() -> None:
    """Print the report as JSON; exit 1 where a goal is not reached."""
    parser = command_parser(
        __doc__,
        example="verification.py --quick",
        quick="fewer calls, and no streams for the original",
    )
    parser.add_argument("--original", help="Python of an environment that has the original")
    parser.add_argument("--without-original", action="store_true", help="measure ours alone")
    parser.add_argument("--picture", type=Path, help="where to draw the calibration curve (SVG)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workers = {"ours": Worker(sys.executable, "ours")}
        python = options.original
        if python is None and not options.without_original:
            python = installed(folder)
        if python is not None:
            workers["original"] = Worker(python, "original")
        report = measured(workers, quick=options.quick)
        for worker in workers.values():
            worker.end()
    if options.picture is not None:
        picture(report["calibration"]["curve"], options.picture)
    print(json.dumps(report, indent=2))
    sys.exit(1 if report["not_reached"] else 0)


if __name__ == "__main__":
    main()
