"""
Every figure of the quality cascade beside its goal: ``python benchmarks/quality.py``.

Times are those of stages 1 to 4 together, with facts, constraints, a catalogue and the score of
every output. Without the recorded data its rows are skipped.
"""

from __future__ import annotations

import json
import logging
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from command_line import QUICK_NOTE, announce, command_parser, report_progress
from quality_pii import recorded
from recorded_data import ONE_IN, data_folder

from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline
from abs_shield.quality.facts import Fact, FactTable
from abs_shield.quality.guardrails import ProductCatalogue
from abs_shield.quality.marked_sentences import read_text, sentence_keys
from abs_shield.quality.plausibility import Direction, Limit, Order
from abs_shield.quality.quality_score import ScoreConfig, score_quality
from abs_shield.quality.trends import ScoreTrends

ROOT = Path(__file__).parents[1]
PASSAGES = json.loads(Path(__file__).with_name("quality_guardrails.json").read_text("utf-8"))
GOALS_MS = {1_024: 10.0, 4_096: 40.0, 16_384: 160.0}
"""Characters of an output to the 95th percentile of stages 1 to 4, in milliseconds."""
DOMAINS = ("financial", "legal", "product", "")
TEXTS, QUICK_TEXTS = 200, 40
SERIES, QUICK_SERIES, SCORES = 200, 20, 1_000
"""Series of simulated scores, and the scores of each before it shifts."""
NORMAL, FALLEN, SPREAD, WEEK = 87.0, 71.0, 6.0, 200
"""The seed's fall, the spread of single scores, and how many scores a slow fall takes."""


def main() -> None:
    """Print each part of the figures."""
    parser = command_parser(
        __doc__, example="quality.py --quick",
        quick=f"{QUICK_TEXTS} outputs and {QUICK_SERIES} series, one recorded text in {ONE_IN}",
    )  # fmt: skip
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--only", choices=PARTS, help="one part; all without it")
    options = parser.parse_args()
    logging.disable(logging.WARNING)  # of 400 series each shift is logged
    if options.quick:
        print(QUICK_NOTE)
    for name, part in PARTS.items():
        if options.only in (None, name):
            announce(name)
            print(f"\n{name}")
            part(options.data, options.quick)


def print_times(data: Path, quick: bool) -> None:
    """Print the time of stages 1 to 4 on outputs of three sizes."""
    pipeline = QualityPipeline(_everything())
    count = QUICK_TEXTS if quick else TEXTS
    for size, goal in GOALS_MS.items():
        outputs = [
            AgentOutput(text=text, task_type=DOMAINS[n % len(DOMAINS)], output_id=str(n))
            for n, text in enumerate(islice(_texts(data, size), count))
        ]
        shown = report_progress(outputs, doing=f"outputs of {size:,} characters", total=count)
        times = sorted(_elapsed_ms(pipeline, output) for output in shown)
        p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
        reached = "reached" if p95 <= goal else "NOT REACHED"
        print(
            f"stages 1 to 4, {size:6,} characters: p50 {p50:6.2f} ms, p95 {p95:6.2f} ms,"
            f" most {times[-1]:6.2f} ms; goal p95 {goal:g} ms {reached}"
        )


def _everything() -> QualityConfig:
    """Return a configuration in which every stage has something to do."""
    facts = [
        Fact(subject=f"Company {n}", attribute="revenue", value=f"${n}M", period="Q4 2025")
        for n in range(1, 200)
    ]
    return QualityConfig(
        mode="audit",  # in strict mode the first failure ends the cascade
        facts=FactTable(facts),
        constraints=(
            Limit(quantity="interest rate", minimum=0, unit="%"),
            Order(names=("Enterprise", "Team", "Free"), quantity="price"),
            Direction(subject="Arctic sea ice", direction="falls"),
        ),
        catalogue=ProductCatalogue.model_validate(PASSAGES["catalogue"]),
        sample_rate=1.0,
        background=False,
    )


def _texts(data: Path, size: int) -> Iterator[str]:
    """Yield outputs of a size: recorded answers, or passages of our own, one after the other."""
    some = [text for text in islice(recorded(data), 4_000) if text.strip()]
    if not some:
        print("  no recorded data: passages of our own")
        some = [text for each in PASSAGES["passages"].values() for text in each["pass"]]
    shuffled = random.Random(24)
    while True:
        parts: list[str] = []
        while sum(map(len, parts)) < size:
            parts.append(shuffled.choice(some))
        yield "\n\n".join(parts)[:size]


def _elapsed_ms(pipeline: QualityPipeline, output: AgentOutput) -> float:
    """Return the least of three times, which other programs disturb least."""
    times = []
    for _ in range(3):
        read_text.cache_clear()  # the next output is another one
        sentence_keys.cache_clear()
        began = time.perf_counter()
        pipeline.run(output)
        times.append(time.perf_counter() - began)
    return min(times) * 1e3


def print_trends(data: Path, quick: bool) -> None:
    """Print how soon shifts of the score are found, and how often noise is taken for one."""
    series = QUICK_SERIES if quick else SERIES
    for name, score in (("sudden", _sudden), ("slow", _slow)):
        delays, false = [], 0
        for seed in report_progress(range(series), doing=f"{name} falls", total=series):
            noise = random.Random(seed)
            trends, output = ScoreTrends(), AgentOutput(text="")
            for _ in range(SCORES):
                false += trends.add(output, noise.gauss(NORMAL, SPREAD)) is not None
            results = (n for n in range(10_000) if trends.add(output, score(n, noise)))
            delays.append(next(results) + 1)
        delays.sort()
        print(
            f"{name} fall from {NORMAL:g} to {FALLEN:g}: found after {delays[len(delays) // 2]}"
            f" scores (median), {delays[int(len(delays) * 0.95)]} (p95);"
            f" false shifts {false} of {series * SCORES:,}"
        )
    shuffled = random.Random(24)
    texts = list(recorded(data))
    shuffled.shuffle(texts)
    texts = texts[:: ONE_IN if quick else 1]
    trends, shifts = ScoreTrends(), 0
    for text in texts:
        score_now = score_quality(text, ScoreConfig()).value
        shifts += trends.add(AgentOutput(text=""), score_now) is not None
    print(f"recorded texts in random order: {shifts} shifts in {len(texts):,} scores")


def _sudden(n: int, noise: random.Random) -> float:
    return noise.gauss(FALLEN, SPREAD)


def _slow(n: int, noise: random.Random) -> float:
    return noise.gauss(NORMAL + (FALLEN - NORMAL) * min(1.0, n / WEEK), SPREAD)


def _print_other(name: str, *options: str) -> None:
    """Print the figures of a benchmark of its own."""
    sys.stdout.flush()
    subprocess.run([sys.executable, ROOT / "benchmarks" / name, *options], check=True)


def _answers(data: Path, quick: bool) -> list[str]:
    """Return the option that names the labelled answers; with *quick* they are left out."""
    folder = data / "grounding"
    return ["--data", str(folder)] if folder.is_dir() and not quick else []


PARTS: dict[str, Callable[[Path, bool], None]] = {
    "times": print_times,
    "trends": print_trends,
    "personal data": lambda data, quick: _print_other(
        "quality_pii.py", "--data", str(data), *(["--quick"] if quick else [])
    ),
    "self-contradiction": lambda data, quick: _print_other(
        "quality_consistency.py", *_answers(data, quick)
    ),
    "facts": lambda data, quick: _print_other("quality_facts.py", *_answers(data, quick)),
    "guardrails": lambda data, quick: _print_other("quality_guardrails.py"),
    "own sentences": lambda data, quick: _print_other("quality_sentences.py"),
}


if __name__ == "__main__":
    main()
