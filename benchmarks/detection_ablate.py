"""What each reading of a value clears on right calls, and what it lets pass of planted faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from detection_judging import Results
from rich.progress import track

from abs_shield.plan.readings import READINGS

_HEAD = "| without | right calls flagged | of these, by source | faults found |"


def ablation(judged: Callable[[str], Results]) -> str:
    """
    Return the table, a row for each reading.

    Args:
        judged: Judges everything without the reading of that name; with all where it is empty.
    """
    whole = judged("")
    rows = [
        "| without | right calls flagged | of these, by source | faults found |",
        "|---|---|---|---|",
    ]
    rows.append(f"| nothing | {len(_flagged(whole))} | | {sum(_found(whole).values())} |")
    for name in track(READINGS, "reading"):
        rows.append(_row(name, whole, judged(name)))
    return "\n".join(rows)


def _row(name: str, whole: Results, without: Results) -> str:
    more = _flagged(without) - _flagged(whole)
    sources = Counter(source for source, _, _ in more)
    listed = ", ".join(f"{source} {count}" for source, count in sources.most_common(4))
    found = _found(without) - _found(whole)
    kinds = ", ".join(f"{kind} {count}" for kind, count in found.most_common(4))
    return f"| `{name}` | +{len(more)} | {listed} | +{sum(found.values())} {kinds} |"


def _flagged(results: Results) -> set[tuple[str, str, int]]:
    return {(flag.source, flag.run_id, flag.call_index) for flag in results.flags}


def _found(results: Results) -> Counter[str]:
    return Counter(case.kind for case in results.planted if case.expect == "flag" and case.found)
