"""The two policies of a backtest, its result, and its summary sentences."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from abs_shield.backtest import Comparison, Kind, Proportion
from abs_shield.core import Mode
from abs_shield.policy import Policy
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.text.safe_display import escaped, quantity


class ComparedPolicy(NamedTuple):
    """
    A policy under comparison.

    Attributes:
        name: The reference it was loaded from, as on the command line.
        policy: The policy in the applied modes.
        revision: The revision of the policy as declared.
        place: The location of its declaration; empty for the default policy.
    """

    name: str
    policy: Policy
    revision: str
    place: SourceLocation

    @property
    def has_strict_mode(self) -> bool:
        """Return whether any mode is strict."""
        modes = (*self.policy.modes.values(), *(tool.mode for tool in self.policy.tools))
        return Mode.STRICT in (self.policy.mode, *modes)


class BacktestResult(NamedTuple):
    """
    The result of a backtest.

    Attributes:
        labels: Number of labels in the labels file.
        bad_lines: Number of unreadable lines.
        returned: Number of times a session returned after another began.
        first_run: The id of the first run; empty without one.
        cases: Number of planted cases.
    """

    comparison: Comparison
    new: ComparedPolicy
    old: ComparedPolicy | None
    labels: int
    bad_lines: int
    returned: int
    first_run: str
    cases: int = 0

    def notes(self) -> Iterator[str]:
        """Yield caveats about the figures, one sentence each."""
        if self.old is not None and self.new.revision == self.old.revision:
            yield (
                f"both policies have revision {self.new.revision}: no decision can change;"
                " a module that both import is loaded only once"
            )
        policies = [("new", self.new), *([("old", self.old)] if self.old else [])]
        for which, one in policies:
            if not one.has_strict_mode:
                yield (
                    f"the {which} policy stops nothing: every mode of it is audit;"
                    " `--modes strict` shows what it would stop"
                )
        planted = self.comparison.new.planted
        if planted.unfit or self.cases > planted.count + planted.unfit:
            lost = self.cases - planted.count
            yield f"{lost:,} of {self.cases:,} planted cases name a call that the runs do not have"
        if self.comparison.disputed:
            yield f"labels disagree on {self.comparison.disputed:,} calls, which do not count"
        if self.comparison.repeated:
            yield f"{len(self.comparison.repeated):,} labels fit more than one call"


def compared_policy(name: str | None, policy: Policy, *, strict: bool) -> ComparedPolicy:
    """Return *policy* in the applied modes; without a name it is the default policy."""
    place = SourceLocation() if name is None else policy.place
    label = "all six layers" if name is None else name
    modes = policy.enforced() if strict else policy
    return ComparedPolicy(label, modes, policy.revision, place)


def in_repository(place: SourceLocation) -> SourceLocation:
    """Return *place* with its file relative to the repository; empty if it is outside."""
    if not place.file:
        return place
    # GitHub annotates only files of the repository, by their relative paths
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    path = Path(place.file).resolve()
    if not path.is_relative_to(root) or not path.is_file():
        return SourceLocation()
    return SourceLocation(path.relative_to(root).as_posix(), place.line)


def summary(done: BacktestResult) -> str:
    """Return the summary as one line."""
    comparison, new = done.comparison, done.comparison.new
    counts = f"{quantity(comparison.runs, 'run')}, {quantity(new.calls, 'call')}"
    figures = f"{new.hit('flagged'):,} flagged, {new.hit('blocked'):,} blocked"
    good = f"{new.hit('blocked', successful=True):,} of these in successful runs"
    if comparison.old is None:
        return f"{counts}: {figures}, {good}.{_scores(comparison)}"
    changes = ", ".join(f"{comparison.kinds[kind]:,} {kind}" for kind in reversed(Kind))
    return f"{counts}: {changes}. The new policy: {figures}, {good}.{_scores(comparison)}"


def _scores(comparison: Comparison) -> str:
    labelled = comparison.new.labelled.total()
    if not labelled:
        return ""
    flags = comparison.new.score("flagged")
    return (
        f" Of its flags on {quantity(labelled, 'labelled call')}:"
        f" precision {share(flags.precision)}, recall {share(flags.recall)}."
    )


def share(one: Proportion) -> str:
    """
    Return a share with its number of observations and its interval.

    >>> share(Proportion(9, 10)), share(Proportion(0, 0))
    ('0.900 (9 of 10; 0.596-0.982)', '-')
    """
    if one.value is None:
        return "-"
    low, high = one.interval
    return f"{one.value:.3f} ({one.count:,} of {one.of:,}; {low:.3f}-{high:.3f})"


def layers_text(comparison: Comparison, kind: Kind, tool: str) -> str:
    """Return the layers that caused a tool's changes, each with its number of calls."""
    counts = {
        layer: count
        for (k, name, layer), count in comparison.layers.most_common()
        if (k, name) == (kind, tool)
    }
    return ", ".join(f"{escaped(layer)} {count:,}" for layer, count in counts.items())
