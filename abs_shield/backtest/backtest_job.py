"""The job of a backtest: judge each chunk of recorded runs by both policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from abs_shield.backtest.call_labels import Labels
from abs_shield.backtest.policy_comparison import Comparison, compare
from abs_shield.backtest.policy_side import Side
from abs_shield.policy import Policy, configure
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.line_chunks import Chunk, SessionStart, readable_runs
from abs_shield.replay.planted_cases import Cases
from abs_shield.replay.replay_job import absolute_place, load_job_policy
from abs_shield.replay.toolsets import Toolsets


class Sides(NamedTuple):
    """Both policies, compiled; *old* may be None."""

    new: Side
    old: Side | None

    def forget(self) -> None:
        """Forget every session under both policies."""
        self.new.forget()
        if self.old is not None:
            self.old.forget()


@dataclass(slots=True)
class Compared:
    """
    The result of a backtest for one chunk; parts are merged in the order of their chunks.

    Attributes:
        comparison: The counts and examples, with the name of every tool.
        notes: In order, the lines that could not be read, and the sessions that begin.
        first_run: The id of the first run; empty without runs.
    """

    comparison: Comparison
    notes: list[BadLine | SessionStart] = field(default_factory=list)
    first_run: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtesting:
    """
    Judges every call by two policies, and counts their decisions.

    Attributes:
        policy: The new policy, as `load_policy` accepts it; None for all six layers.
        against: The old policy, or None.
        folder: A further folder from which the policies' modules are imported.
        toolsets: Lists of tools by the name of the toolset, as parsed JSON.
        labels: Labels from a file.
        cases: Faults planted in the runs, or None.
        strict: Whether every mode counts as strict; otherwise each policy's own modes count.
        examples: Maximum number of examples of each kind.
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
        """Return the same job for a process with another working directory."""
        # a place that is a file depends on the working directory, a module does not
        return replace(
            self, policy=absolute_place(self.policy), against=absolute_place(self.against)
        )

    def policies(self) -> tuple[Policy, Policy | None]:
        """
        Load both policies as declared.

        Raises:
            PolicyError: A policy does not exist.
        """
        new = (
            configure() if self.policy is None else load_job_policy(self.policy, folder=self.folder)
        )
        old = None if self.against is None else load_job_policy(self.against, folder=self.folder)
        return new, old

    def sides(self, new: Policy, old: Policy | None) -> Sides:
        """
        Compile both policies in the modes that count.

        Raises:
            PolicyError: A tool of a policy is invalid, or a rule does not match it.
        """
        return Sides(self._side(new), None if old is None else self._side(old))

    def chunk_function(self, sides: Sides) -> Callable[[Chunk], Compared]:
        """
        Return the function that judges one chunk.

        Raises:
            ValueError: A toolset cannot be read.
        """
        return partial(_compare_chunk, self, sides, Toolsets(self.toolsets))

    def prepare(self) -> Callable[[Chunk], Compared]:
        """
        Load and compile the policies, and read the toolsets.

        Raises:
            PolicyError: A policy does not exist, or is invalid.
            ValueError: A toolset cannot be read.
        """
        return self.chunk_function(self.sides(*self.policies()))

    def _side(self, policy: Policy) -> Side:
        return Side(policy.enforced() if self.strict else policy)


def _compare_chunk(job: Backtesting, sides: Sides, toolsets: Toolsets, chunk: Chunk) -> Compared:
    new, old = sides
    # unbounded, so that the merged parts equal one comparison, see `Comparison.bounded`
    result = Compared(Comparison.of(new, old, most=job.examples, bounded=False))
    for run in readable_runs(chunk, toolsets, notes=result.notes, forget=sides.forget):
        result.first_run = result.first_run or run.run_id
        bad = compare(run, new, old, into=result.comparison, labels=job.labels, cases=job.cases)
        if bad is not None:
            result.notes.append(bad)
    return result
