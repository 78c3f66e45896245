"""The PII stage: recall on values that `faker` makes up, false findings on real runs, and time."""

from __future__ import annotations

import gzip
import json
import random
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from command_line import QUICK_NOTE, announce, command_parser, report_progress
from quality_pii_values import CHECKSUMMED, LANGUAGES, Sample, samples
from recorded_data import ONE_IN, data_folder

from abs_shield.quality.pii.pii_detector import PiiDetector, TableDetector, gaps
from abs_shield.quality.pii.pii_entity import Pii

RECALL_CHECKSUMMED, RECALL = 0.98, 0.95
MOST_FALSE = 1 / 200
"""Share of texts with a false finding."""
SIZE, MOST_MS = 4_096, 5.0
"""Characters of a text whose time is measured, and its 95th percentile in milliseconds."""
CONTACT = frozenset({"EmailAddress", "PhoneNumber"})
"""Entities that the recorded runs are full of; they are counted apart."""
BY_FORM = frozenset({"EmailAddress", "IBAN"})
"""Entities that are what their form says: nothing else has an ``@`` or these check digits."""
CALLED = {
    "PhoneNumber": re.compile(r"phone|number|reach|call|contact|tel|电话", re.IGNORECASE),
    "BankAccountNumber": re.compile(r"IBAN|bank account", re.IGNORECASE),
    "CreditCardNumber": re.compile(r"card", re.IGNORECASE),
}
"""What a text calls an entity; a finding without such a word near it has to be read."""
NEAR = 70
"""Characters before and behind a finding in which the word may stand."""
EACH, QUICK_EACH = 60, 8
SLOW = 400
"""Texts on which a detector other than the table is measured."""


def main() -> None:
    """Print a table of recall, the findings on recorded texts, and the time."""
    parser = command_parser(
        __doc__, example="quality_pii.py --quick",
        quick=f"{QUICK_EACH} values of each type and locale, one recorded text in {ONE_IN}",
    )  # fmt: skip
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--seed", type=int, default=7_400)
    parser.add_argument("--each", type=int, default=EACH, help="values of each type and locale")
    parser.add_argument("--limit", type=int, help="recorded texts; all without it")
    parser.add_argument("--misses", action="store_true", help="print values that are not found")
    parser.add_argument("--list", action="store_true", help="print findings that nothing confirms")
    options = parser.parse_args()
    if options.quick:
        print(QUICK_NOTE)
    detectors = installed()
    announce("making values")
    each = min(options.each, QUICK_EACH) if options.quick else options.each
    created, left_out = samples(seed=options.seed, each=each)
    print_recall(created, left_out, detectors, misses=options.misses)
    texts = list(dict.fromkeys(recorded(options.data)))
    if not texts:
        print(f"skipped: no recorded texts at {options.data}")
        return
    random.Random(1).shuffle(texts)
    texts = texts[: options.limit][:: ONE_IN if options.quick else 1]
    for detector in detectors:
        few = texts if isinstance(detector, TableDetector) else texts[:SLOW]
        print_findings(detector, few, listed=options.list)
    for detector in detectors:
        print_time(detector, texts)


def installed() -> list[PiiDetector]:
    """Return the table, then other detectors whose packages are installed."""
    detectors: list[PiiDetector] = [TableDetector()]
    for name, make in (("python-stdnum", _stdnum), ("presidio-analyzer", _presidio)):
        try:
            detectors.append(make())
        except ImportError:
            print(f"skipped: {name} is not installed")
    for name, reason in gaps(detectors).items():
        print(f"{name}: {reason}")
    return detectors


def _stdnum() -> PiiDetector:
    from abs_shield.quality.pii.adapters.stdnum import stdnum_detector

    return stdnum_detector()


def _presidio() -> PiiDetector:
    from abs_shield.quality.pii.adapters.presidio import PresidioDetector

    return PresidioDetector()


def print_recall(
    created: Sequence[Sample],
    left_out: dict[str, int],
    detectors: Sequence[PiiDetector],
    *,
    misses: bool,
) -> None:
    """Print the share of values of each type that a detector finds, and names rightly."""
    print(f"\n{len(created):,} texts in {len(LANGUAGES)} locales")
    others = "".join(f"{one.name:>10}" for one in detectors[1:])
    print(f"{'type':28}{'values':>7}{'left out':>9}{'goal':>6}{'recall':>8}{'':>5}{others}")
    by_name: defaultdict[str, list[Sample]] = defaultdict(list)
    for sample in created:
        by_name[sample.name].append(sample)
    shown = report_progress(by_name.items(), doing="detecting values", total=len(by_name))
    for name, some in shown:
        goal = RECALL_CHECKSUMMED if name in CHECKSUMMED else RECALL
        shares = [recall(detector, some) for detector in detectors]
        reached = "ok" if shares[0] >= goal else "MISS"
        rest = "".join(f"{share:10.3f}" for share in shares[1:])
        out = left_out.get(name, 0)
        print(f"{name:28}{len(some):7}{out:9}{goal:6.2f}{shares[0]:8.3f}{reached:>5}{rest}")
        if misses:
            _print_misses(detectors[0], some)


def _print_misses(detector: PiiDetector, some: Sequence[Sample]) -> None:
    for sample in some:
        if not is_detected(detector, sample):
            results = [one.name for one in detector.detect(sample.text)]
            print(f"    {sample.locale} {sample.text!r} {results}")


def recall(detector: PiiDetector, some: Sequence[Sample]) -> float:
    """Return the share of values that are found."""
    return statistics.fmean(is_detected(detector, sample) for sample in some)


def is_detected(detector: PiiDetector, sample: Sample) -> bool:
    """Return whether an entity of the right name covers the value, but for its marks."""
    digits = sum(map(str.isalnum, sample.text[sample.start : sample.end]))
    return any(
        one.name == sample.name
        and sum(
            map(str.isalnum, sample.text[max(one.start, sample.start) : min(one.end, sample.end)])
        )
        >= 0.9 * digits
        for one in detector.detect(sample.text)
    )


def print_findings(detector: PiiDetector, texts: Sequence[str], *, listed: bool) -> None:
    """
    Print how many recorded texts have findings, by type, and how many nothing confirms.

    A finding is confirmed by its form (`BY_FORM`) or by what its text calls it (`CALLED`); the
    others may be false, and are listed to be read.
    """
    by_name: Counter[str] = Counter()
    held: Counter[str] = Counter()
    unconfirmed: dict[str, list[str]] = {}
    doing = f"{detector.name}: reading recorded texts"
    for text in report_progress(texts, doing=doing, total=len(texts)):
        results = detector.detect(text)
        names = {one.name for one in results}
        by_name.update(names)
        held["an e-mail address"] += "EmailAddress" in names
        held["a telephone number"] += "PhoneNumber" in names
        held["anything else"] += bool(names - CONTACT)
        held["any of these"] += bool(names)
        if unread := [one for one in results if not is_confirmed(one, text)]:
            unconfirmed[text] = [
                f"{one.name} {text[max(0, one.start - NEAR) : one.end + 20]!r}" for one in unread
            ]
    print(f"\n{detector.name}: {len(texts):,} recorded texts; texts with")
    for name, count in by_name.most_common():
        print(f"  {name:26}{count:7,}")
    for kind, count in held.items():
        print(f"  held for {kind}: {count:,} ({count / len(texts):.1%})")
    share = len(unconfirmed) / len(texts)
    print(
        f"  with a finding that neither its form nor a word near it confirms: {len(unconfirmed):,} "
        f"(1 in {round(1 / share) if share else len(texts):,}); goal for false ones: 1 in 200 "
        f"{'ok' if share <= MOST_FALSE else 'to be read'}"
    )
    if listed:
        for line in (line for lines in unconfirmed.values() for line in lines):
            print(f"    {line}")


def is_confirmed(one: Pii, text: str) -> bool:
    """Return whether an entity is what its name says by its form, or as its text calls it."""
    called = CALLED.get(one.name)
    near = text[max(0, one.start - NEAR) : one.start], text[one.end : one.end + NEAR]
    return one.name in BY_FORM or (called is not None and any(map(called.search, near)))


def print_time(detector: PiiDetector, texts: Sequence[str]) -> None:
    """Print percentiles of the time of texts of 4 KB, which recorded texts are joined to."""
    joined = "\n".join(texts[:4_000])
    parts = [joined[at : at + SIZE] for at in range(0, len(joined) - SIZE, SIZE)][:300]
    parts = parts if isinstance(detector, TableDetector) else parts[:40]
    times = sorted(_elapsed_ms(detector.detect, part) for part in parts)
    p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
    reached = "ok" if p95 <= MOST_MS else "MISS"
    print(
        f"{detector.name}: {SIZE:,} characters, {len(times)} texts: p50 {p50:.2f} ms, "
        f"p95 {p95:.2f} ms; goal {MOST_MS:g} ms {reached}"
    )


def _elapsed_ms(detect: Callable[[str], Any], text: str) -> float:
    """Return the least of three times, which other programs disturb least."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        detect(text)
        times.append(time.perf_counter() - started)
    return min(times) * 1_000


def recorded(folder: Path) -> Iterator[str]:
    """Yield texts of assistants and tools of recorded runs, and labelled answers."""
    for part in ("toolcalls", "fields"):
        for run in _lines(folder / part / "runs.jsonl.gz"):
            for message in run["messages"]:
                if message["role"] in ("assistant", "tool") and message.get("content"):
                    content = message["content"]
                    yield content if isinstance(content, str) else json.dumps(content)
    for path in sorted((folder / "grounding").glob("*.jsonl.gz")):
        yield from (row["answer"] for row in _lines(path))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


if __name__ == "__main__":
    main()
