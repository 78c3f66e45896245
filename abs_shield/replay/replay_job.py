"""The job of a replay: judge each chunk of recorded runs, and count the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from abs_shield.core import Finding
from abs_shield.replay.chunk_reading import SessionStart, readable_runs
from abs_shield.replay.chunks import Chunk
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.job_policies import absolute_place, load_job_policy
from abs_shield.replay.portable_findings import without_values
from abs_shield.replay.replay_rows import row
from abs_shield.replay.rowfiles import ROWFILES
from abs_shield.replay.run_judging import Firewalls, Judged, judge_run
from abs_shield.replay.tally import Tally
from abs_shield.replay.toolsets import Toolsets


class ReplayFinding(NamedTuple):
    """One finding of a replay, and its call."""

    run_id: str
    call_index: int
    tool: str
    finding: Finding


@dataclass(slots=True)
class ReplayPart:
    """
    The result of a replay for one chunk; parts are added in the order of their chunks.

    Attributes:
        rows: One row for each call, encoded in the requested format.
        tally: The counts.
        findings: The first findings that weigh, up to the requested number.
        notes: In order, the lines that were skipped, and the sessions that begin.
    """

    rows: bytes = b""
    tally: Tally = field(default_factory=Tally)
    findings: list[ReplayFinding] = field(default_factory=list)
    notes: list[BadLine | SessionStart] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """
    Judges every call, in audit mode, as it would have been judged live.

    Attributes:
        policy: The policy, as `load_policy` accepts it; None for all six layers.
        folder: A further folder from which the policy's modules are imported.
        toolsets: Lists of tools by the name of the toolset, as parsed JSON.
        rows: The format of the rows, a name in `ROWFILES`; empty for none.
        findings: Maximum number of findings of each chunk.
    """

    policy: str | None = None
    folder: str = ""
    toolsets: Mapping[str, Any] = field(default_factory=dict)
    rows: str = ""
    findings: int = 0

    def anywhere(self) -> Judging:
        """Return the same job for a process with another working directory."""
        return replace(self, policy=absolute_place(self.policy))

    def prepare(self) -> Callable[[Chunk], ReplayPart]:
        """
        Load the policy and read the toolsets.

        Raises:
            PolicyError: The policy does not exist.
            ValueError: A toolset cannot be read.
        """
        policy = None if self.policy is None else load_job_policy(self.policy, folder=self.folder)
        return partial(_part, self, Firewalls(policy), Toolsets(self.toolsets))


def _part(job: Judging, firewalls: Firewalls, toolsets: Toolsets, chunk: Chunk) -> ReplayPart:
    part = ReplayPart()
    judged = _judged(chunk, part, firewalls=firewalls, toolsets=toolsets, most=job.findings)
    if job.rows:  # rows are encoded in the worker, which spares the caller the time
        part.rows = ROWFILES[job.rows].packed(map(row, judged))
    else:
        for _ in judged:
            pass
    return part


def _judged(
    chunk: Chunk, part: ReplayPart, *, firewalls: Firewalls, toolsets: Toolsets, most: int
) -> Iterator[Judged]:
    for run in readable_runs(chunk, toolsets, notes=part.notes, forget=firewalls.forget):
        part.tally.run(run)
        for judged in judge_run(run, firewalls.of(run)):
            part.tally.update(judged)
            # most findings are never shown
            part.findings += _first_findings(judged, most=most - len(part.findings))
            yield judged


def _first_findings(judged: Judged, *, most: int) -> Iterable[ReplayFinding]:
    findings = judged.decision.findings if most > 0 else ()
    weighing = [finding for finding in findings if finding.weighs]
    for finding in weighing[: max(most, 0)]:
        yield ReplayFinding(
            judged.run_id, judged.call_index, judged.call.name, without_values(finding)
        )
