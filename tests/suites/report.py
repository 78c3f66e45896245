"""Print the result of a comparison, and store its figures for the table of `docs/adapters.md`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.suites.compare import (
    Comparison,
    accepted_differences,
    by_reason,
    passing,
    reason_for,
    suites,
)

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
PAGE = HERE.parents[1] / "docs" / "adapters.md"
HEAD = (
    "| tests of | pass without a Shield | decisions | differ in audit mode | reason |\n"
    "|---|---|---|---|---|"
)
TABLE = re.compile(re.escape(HEAD) + r"\n(?:\|.*\n)*")


def report(name: str, found: Comparison, *, mode: str) -> bool:
    """Print what was found; return whether something is wrong."""
    known = accepted_differences(name)
    new = {test for test in found.differing if reason_for(test, known) is None}
    print(
        f"\n{name}: {len(passing(found.plain))} of {len(found.plain)} tests pass plain, "
        f"{found.judged} decisions, {len(found.differing)} tests differ in {mode}, "
        f"{len(found.differing - new)} of these accepted"
    )
    for test in sorted(found.differing):
        why = reason_for(test, known) or found.reason(test)
        print(f"  {'new' if test in new else 'accepted'}: {test}: {why}")
    for word, tests in (
        ("fails at times without a Shield", found.flaky),
        ("failed with a Shield, and passed when it was run again", found.unstable),
        ("accepted, and the same now", stale(known, found)),
    ):
        for test in sorted(tests):
            print(f"  {word}: {test}")
    if not found.judged:
        print("  no call was judged: the plugin does not reach the framework")
    return bool(new) or not found.judged


def stale(known: Iterable[str], found: Comparison) -> set[str]:
    """Return accepted differences whose tests ran, and none of them differs any more."""
    differing = found.differing | {test.partition("[")[0] for test in found.differing}
    ran = set(found.plain) | {test.partition("[")[0] for test in found.plain}
    return {test for test in known if test in ran and test not in differing}


def write_results(name: str, release: str, found: Comparison) -> None:
    """Store one framework's figures in `results.json`, and update the page's table."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    results[name] = {
        "release": release,
        "passing": len(passing(found.plain) - found.flaky),
        "judged": found.judged,
        "differing": by_reason(found.differing, accepted_differences(name)),
    }
    RESULTS.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(results), page), encoding="utf-8")


def table(results: dict[str, Any]) -> str:
    """Render the page's table, one row a framework."""
    rows = [_row(name, suite, results.get(name)) for name, suite in suites().items()]
    return "\n".join([HEAD, *rows]) + "\n"


def _row(name: str, suite: dict[str, Any], result: dict[str, Any] | None) -> str:
    if result is None:
        return f"| {name} | not run: {suite.get('no_tests', 'no figures yet')} | | | |"
    reasons = [f"{count}: {why or 'a fault'}" for why, count in result["differing"].items()]
    return (
        f"| {result['release']} | {result['passing']:,} | {result['judged']:,} "
        f"| {sum(result['differing'].values())} | {'; '.join(reasons)} |"
    )
