"""The two policies of a backtest, by the names that they were given."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from abs_shield.core import Mode
from abs_shield.policy import Policy
from abs_shield.policy.source_location import SourceLocation
from abs_shield.replay.backtest import Comparison


class ComparedPolicy(NamedTuple):
    """
    One policy.

    Attributes:
        name: The place it was loaded from, as it was given.
        policy: In the modes that count.
        revision: That of the policy as it was declared.
        place: Where it was declared; nowhere for our own default.
    """

    name: str
    policy: Policy
    revision: str
    place: SourceLocation

    @property
    def has_strict_mode(self) -> bool:
        """Return whether anything at all is strict."""
        modes = (*self.policy.modes.values(), *(tool.mode for tool in self.policy.tools))
        return Mode.STRICT in (self.policy.mode, *modes)


class BacktestResult(NamedTuple):
    """
    A backtest that is done.

    Attributes:
        labels: How many labels the file of labels holds.
        bad_lines: How many lines could not be read.
        returned: How often a session came back after another began.
        first_run: The id of the first run; empty where there is none.
        cases: How many planted cases there are.
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
        """Yield the limits of the figures, a sentence each."""
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
    """Return *policy* in the modes that count; without a name it is the default policy."""
    place = SourceLocation() if name is None else policy.place
    label = "all six layers" if name is None else name
    modes = policy.enforced() if strict else policy
    return ComparedPolicy(label, modes, policy.revision, place)


def in_repository(place: SourceLocation) -> SourceLocation:
    """Return *place* with its file relative to the repository; no file where it is outside."""
    if not place.file:
        return place
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    path = Path(place.file).resolve()
    if not path.is_relative_to(root) or not path.is_file():
        return SourceLocation()
    return SourceLocation(path.relative_to(root).as_posix(), place.line)
