"""Tests that pass without and fail with a Shield, and the accepted ones."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Outcomes = Mapping[str, Mapping[str, Any]]
"""By the test's id: its outcome, how many calls were judged and blocked in it, and its error."""


def read_outcomes(path: Path) -> Outcomes:
    """Read the lines that `suite_outcomes` wrote; the last one of a test counts."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {line["test"]: line for line in map(json.loads, lines)}


def passing(outcomes: Outcomes) -> set[str]:
    """Return the tests that passed."""
    return {test for test, line in outcomes.items() if line["outcome"] == "passed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One framework's tests without and with a Shield, and a second run of those that differ."""

    plain: Outcomes
    shielded: Outcomes
    plain_again: Outcomes
    shielded_again: Outcomes

    @property
    def suspects(self) -> set[str]:
        """Tests that passed by themselves and not with the Shield, at the first time."""
        return passing(self.plain) - passing(self.shielded)

    @property
    def flaky(self) -> set[str]:
        """Tests that do not pass each time by themselves: nothing is learnt from them."""
        return self.suspects - passing(self.plain_again)

    @property
    def unstable(self) -> set[str]:
        """Tests that failed once with the Shield, and passed at the second time."""
        return (self.suspects - self.flaky) & passing(self.shielded_again)

    @property
    def differing(self) -> set[str]:
        """Tests that passed twice by themselves, and failed twice with the Shield."""
        return self.suspects - self.flaky - self.unstable

    @property
    def judged(self) -> int:
        """Return the number of calls that the Shield judged."""
        return sum(line.get("judged", 0) for line in self.shielded.values())

    def reason(self, test: str) -> str:
        """Return the last line of a test's error with the Shield."""
        why = str(self.shielded.get(test, {}).get("why", "")).strip().splitlines()
        return why[-1].strip() if why else "it did not run"


def suites() -> dict[str, dict[str, Any]]:
    """Return the table of frameworks: what each needs, by name."""
    return tomllib.loads((HERE / "frameworks.toml").read_text(encoding="utf-8"))


def accepted_differences(name: str) -> dict[str, str]:
    """Return the accepted differences of a framework: why, by a test's id or how it begins."""
    table = tomllib.loads((HERE / "accepted.toml").read_text(encoding="utf-8"))
    results: dict[str, str] = table.get(name, {})
    return results


def reason_for(test: str, known: Mapping[str, str]) -> str | None:
    """Return why a test may differ; an id without parameters matches all parameters."""
    return known.get(test) or known.get(test.partition("[")[0])


def by_reason(tests: Iterable[str], known: Mapping[str, str]) -> dict[str, int]:
    """Count tests by the reason that is accepted for them; under an empty text, those without."""
    counts: dict[str, int] = {}
    for test in sorted(tests):
        reason = reason_for(test, known) or ""
        counts[reason] = counts.get(reason, 0) + 1
    return counts
