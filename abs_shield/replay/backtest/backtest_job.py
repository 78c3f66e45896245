"""The job of a backtest: what is made of each chunk of recorded runs, by both policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple
from warnings import warn

from abs_shield.policy import Policy, configure
from abs_shield.replay.backtest.call_labels import Labels
from abs_shield.replay.backtest.compare import compare
from abs_shield.replay.backtest.policy_comparison import Comparison
from abs_shield.replay.backtest.side import Side
from abs_shield.replay.cases import Cases
from abs_shield.replay.chunk_reading import SessionStart, readable_runs
from abs_shield.replay.chunks import Chunk
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.job_policies import absolute_place, load_job_policy
from abs_shield.replay.toolsets import Toolsets


class Sides(NamedTuple):
    """Both policies, compiled; *old* is None where there is none."""

    new: Side
    old: Side | None

    def forget(self) -> None:
        """Forget every session under either policy."""
        self.new.forget()
        if self.old is not None:
            self.old.forget()


@dataclass(slots=True)
class Compared:
    """
    What a backtest made of one chunk; parts are merged in the order of their chunks.

    Attributes:
        comparison: The counts and examples; it keeps the name of every tool.
        notes: In order, the lines that could not be read, and the sessions that begin.
        first_run: The id of the first run; empty where there is none.
    """

    comparison: Comparison
    notes: list[BadLine | SessionStart] = field(default_factory=list)
    first_run: str = ""

    @property
    def told(self) -> list[BadLine | SessionStart]:
        """Deprecated name of `notes`."""
        warn("`Compared.told` is now `notes`", DeprecationWarning, stacklevel=2)
        return self.notes


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtesting:
    """
    Judge every call by two policies, and count what they decide.

    Attributes:
        policy: The place of the new policy, as `load_policy` takes it; None for all six layers.
        against: That of the old one; None: there is none.
        folder: The folder from which the policies' modules are imported as well.
        toolsets: Name of a toolset to its list of tools, as JSON gives it.
        labels: Labels that stand outside the runs.
        cases: Faults planted in the runs; None: there are none.
        strict: Whether every mode counts as strict; else each policy's own modes count.
        examples: How many examples of each kind are kept.
    """

    policy: str | None = None
    against: str | None = None
    folder: str = ""
    toolsets: Mapping[str, Any] = field(default_factory=dict)
    labels: Labels = field(default_factory=Labels)
    cases: Cases | None = None
    strict: bool = False
    examples: int = 3

    def anywhere(self) -> Backtesting:
        """Return the same job for a process that works in another folder."""
        return replace(
            self, policy=absolute_place(self.policy), against=absolute_place(self.against)
        )

    def policies(self) -> tuple[Policy, Policy | None]:
        """
        Load both policies, as they are declared.

        Raises:
            PolicyError: There is no such policy.
        """
        new = (
            configure() if self.policy is None else load_job_policy(self.policy, folder=self.folder)
        )
        old = None if self.against is None else load_job_policy(self.against, folder=self.folder)
        return new, old

    def sides(self, new: Policy, old: Policy | None) -> Sides:
        """
        Compile both policies, in the modes that count.

        Raises:
            PolicyError: A tool of a policy is wrong, or a rule does not fit it.
        """
        return Sides(self._side(new), None if old is None else self._side(old))

    def over(self, sides: Sides) -> Callable[[Chunk], Compared]:
        """
        Return what is done with each chunk.

        Raises:
            ValueError: A toolset cannot be read.
        """
        return partial(_compared, self, sides, Toolsets(self.toolsets))

    def prepare(self) -> Callable[[Chunk], Compared]:
        """
        Load and compile the policies, and read the toolsets.

        Raises:
            PolicyError: There is no such policy, or it is wrong.
            ValueError: A toolset cannot be read.
        """
        return self.over(self.sides(*self.policies()))

    def _side(self, policy: Policy) -> Side:
        return Side(policy.enforced() if self.strict else policy)


def _compared(job: Backtesting, sides: Sides, toolsets: Toolsets, chunk: Chunk) -> Compared:
    new, old = sides
    made = Compared(Comparison.of(new, old, most=job.examples, bounded=False))
    for run in readable_runs(chunk, toolsets, notes=made.notes, forget=sides.forget):
        made.first_run = made.first_run or run.run_id
        bad = compare(run, new, old, into=made.comparison, labels=job.labels, cases=job.cases)
        if bad is not None:
            made.notes.append(bad)
    return made
