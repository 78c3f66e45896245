"""Recall and false alarms of self-contradiction, on generated texts and on faithful answers."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

from command_line import announce, command_parser, report_progress
from quality_consistency_data import faithful_answers
from quality_consistency_texts import KINDS, twins
from recorded_data import stop_without

from abs_shield.quality.consistency import contradictions

_TEXTS = 400
_RECALL, _FLAGGED = 0.95, 0.01
"""Goals: the least recall, and the greatest share of consistent texts that are flagged."""


def main() -> None:
    """Print the figures beside their goals."""
    parser = command_parser(__doc__, example="quality_consistency.py --show")
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--texts", type=int, default=_TEXTS, help="texts in all, a tenth a kind")
    parser.add_argument("--data", type=Path, help="folder of labelled answers, *.jsonl.gz")
    parser.add_argument("--show", action="store_true", help="print the texts that are misjudged")
    options = parser.parse_args()
    if options.data is not None and not options.data.is_dir():
        stop_without("labelled answers", options.data)
    announce("checking generated texts")
    _generated(options.texts, options.seed, options.show)
    if options.data is not None:
        _answers(options.data, options.show)


def _generated(texts: int, seed: int, show: bool) -> None:
    results: Counter[str] = Counter()
    flagged: Counter[str] = Counter()
    checked = 0
    each = texts // len(KINDS)
    for pair in twins(each, seed):
        results[pair.kind] += bool(contradictions(pair.wrong).findings)
        report = contradictions(pair.right)
        flagged[pair.kind] += bool(report.findings)
        checked += report.checked > 0
        if show and not contradictions(pair.wrong).findings:
            print(f"  missed  {pair.kind}: {pair.wrong!r}")
        if show and report.findings:
            print(f"  flagged {pair.kind}: {pair.right!r}: {report.findings[0].detail}")
    for kind in KINDS:
        print(f"{kind:12} found {results[kind]:3} of {each}, twins flagged {flagged[kind]}")
    total = each * len(KINDS)
    _print("recall on generated texts", results.total(), total, f">= {_RECALL:.0%}")
    _print("consistent twins flagged", flagged.total(), total, f"<= {_FLAGGED:.0%}")
    _print("consistent twins with a relation checked", checked, total, "-")


def _answers(folder: Path, show: bool) -> None:
    count = flagged = relations = 0
    begin = time.perf_counter()
    for name, answer in report_progress(faithful_answers(folder), doing="checking answers"):
        report = contradictions(answer)
        count += 1
        relations += report.checked
        flagged += bool(report.findings)
        if show and report.findings:
            print(f"  flagged {name}: {report.findings[0].claim!r}: {report.findings[0].detail}")
    _print("faithful answers flagged", flagged, count, f"<= {_FLAGGED:.0%}")
    per_answer = (time.perf_counter() - begin) * 1000 / max(count, 1)
    print(f"relations checked in them {relations}; {per_answer:.2f} ms an answer")


def _print(name: str, count: int, of: int, goal: str) -> None:
    print(f"{name}: {count} of {of} ({count / max(of, 1):.1%}), goal {goal}")


if __name__ == "__main__":
    main()
