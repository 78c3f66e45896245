"""Wrong sentences that facts and constraints find, and honest ones that they flag."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from command_line import announce, command_parser, report_progress
from recorded_data import stop_without

from abs_shield.quality.facts import FactTable, check_facts
from abs_shield.quality.hallucination_score import SubCheck
from abs_shield.quality.plausibility import Direction, Limit, Order, check_plausibility

_FILE = Path(__file__).with_suffix(".json")
_KINDS = {"Limit": Limit, "Order": Order, "Direction": Direction}
_PARTS = ("develop", "held-out", "all")
_DETECTED, _FLAGGED = 0.80, 1 / 60
"""Goals: the least share of wrong sentences found, and the greatest of honest ones flagged."""


def main() -> None:
    """Print the figures of each check beside their goals."""
    parser = command_parser(__doc__, example="quality_facts.py --show")
    parser.add_argument("--part", choices=_PARTS, help="half of the sentences; each without it")
    parser.add_argument("--data", type=Path, help="folder of labelled answers, *.jsonl.gz")
    parser.add_argument("--show", action="store_true", help="print the sentences misjudged")
    options = parser.parse_args()
    if options.data is not None and not options.data.is_dir():
        stop_without("labelled answers", options.data)
    announce("checking sentences")
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    facts = FactTable.from_rows(data["facts"])
    rules = [_KINDS[row["kind"]](**_fields(row)) for row in data["constraints"]]
    checks = {
        "entity": lambda text: check_facts(text, facts),
        "plausibility": lambda text: check_plausibility(text, rules),
    }
    for name, check in checks.items():
        for part in _PARTS if options.part is None else (options.part,):
            _measure(name, part, data["sentences"][name], check, options.show)
    if options.data is not None:
        _answers(options.data, checks, options.show)


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "kind"}


def _sentences(halves: Any, part: str, kind: str) -> list[str]:
    """Return the sentences that the forms were written with, the others, or all of them."""
    names = [*halves] if part == "all" else [part]
    return [one for name in names for one in halves[name][kind]]


def _measure(name: str, part: str, sentences: Any, check: Any, show: bool) -> None:
    wrong, honest = (_sentences(sentences, part, kind) for kind in ("wrong", "honest"))
    missed = [one for one in wrong if not check(one).findings]
    flagged = [(one, results) for one in honest if (results := check(one).findings)]
    if show:
        print(*(f"  missed: {one!r}\n" for one in missed), sep="", end="")
        print(
            *(f"  flagged: {one!r}: {results[0].detail}\n" for one, results in flagged),
            sep="",
            end="",
        )
    results, most = len(wrong) - len(missed), max(1, round(len(honest) * _FLAGGED))
    reached = results >= _DETECTED * len(wrong) and len(flagged) <= most
    print(
        f"{name:12} {part:8} found {results} of {len(wrong)} (goal >= {_DETECTED:.0%}), flagged"
        f" {len(flagged)} of {len(honest)} (goal <= {most})"
        f" {'reached' if reached else 'NOT REACHED'}"
    )


def _answers(folder: Path, checks: Any, show: bool) -> None:
    """Print what is found in answers that were written about other things."""
    for name, check in checks.items():
        count = compared = findings = 0
        for text in report_progress(_texts(folder), doing=f"{name}: checking answers"):
            results: SubCheck = check(text)
            count, compared = count + 1, compared + results.checked
            findings += len(results.findings)
            for one in results.findings if show else ():
                print(f"  finding: {one.claim!r}: {one.detail}")
        print(f"{name:12} answers  {findings} findings in {count:,}, {compared} compared (goal 0)")


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line)["answer"] for line in lines)


if __name__ == "__main__":
    main()
