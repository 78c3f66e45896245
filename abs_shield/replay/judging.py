"""The job of a replay: what is made of each chunk of recorded runs, and how that adds up."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from abs_shield.core import Finding
from abs_shield.core.digest import digest
from abs_shield.policy import load_policy
from abs_shield.replay.chunks import Chunk, chunk_runs
from abs_shield.replay.judge import Firewalls, Judged, judge_run
from abs_shield.replay.lines import BadLine
from abs_shield.replay.rowfiles import ROWFILES
from abs_shield.replay.rows import row
from abs_shield.replay.runs import Run
from abs_shield.replay.tally import Tally
from abs_shield.replay.toolsets import Toolsets
from abs_shield.text.show import shown


class Found(NamedTuple):
    """One finding of a replay, and the call that it is about."""

    run_id: str
    call_index: int
    tool: str
    finding: Finding


class Begun(NamedTuple):
    """Where a session begins; *name* is what may be shown of its id, *key* a hash of it."""

    path: str
    line: int
    name: str
    key: int


@dataclass(slots=True)
class Part:
    """
    What a replay made of one chunk; parts are added up in the order of their chunks.

    Attributes:
        rows: A row a call, in the bytes of the format that was asked for.
        tally: The counts.
        findings: The first findings that weigh, as many as were asked for.
        told: In order, the lines that were skipped, and the sessions that begin.
    """

    rows: bytes = b""
    tally: Tally = field(default_factory=Tally)
    findings: list[Found] = field(default_factory=list)
    told: list[BadLine | Begun] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """
    Judge every call, in audit mode, as it would have been judged live.

    Attributes:
        policy: Its place, as `load_policy` takes it; None for all six layers.
        folder: The folder from which the policy's modules are imported as well.
        toolsets: Name of a toolset to its list of tools, as JSON gives it.
        rows: The format of the rows, a name of `ROWFILES`; empty for none.
        findings: How many findings are kept of each chunk.
    """

    policy: str | None = None
    folder: str = ""
    toolsets: Mapping[str, Any] = field(default_factory=dict)
    rows: str = ""
    findings: int = 0

    def anywhere(self) -> Judging:
        """Give the same job for a process that works in another folder."""
        where, colon, attribute = (self.policy or "").rpartition(":")
        if not where.endswith(".py"):
            return self
        return replace(self, policy=f"{Path(where).resolve()}{colon}{attribute}")

    def prepare(self) -> Callable[[Chunk], Part]:
        """
        Load the policy and read the toolsets.

        Raises:
            PolicyError: There is no such policy.
            ValueError: A toolset cannot be read.
        """
        if self.folder and self.folder not in sys.path:
            sys.path.insert(0, self.folder)
        policy = None if self.policy is None else load_policy(self.policy)
        return partial(_part, self, Firewalls(policy), Toolsets(self.toolsets))


def _part(job: Judging, firewalls: Firewalls, toolsets: Toolsets, chunk: Chunk) -> Part:
    part = Part()
    judged = _judged(chunk, part, firewalls=firewalls, toolsets=toolsets, most=job.findings)
    if job.rows:
        part.rows = ROWFILES[job.rows].packed(map(row, judged))
    else:
        for _ in judged:
            pass
    return part


def _judged(
    chunk: Chunk, part: Part, *, firewalls: Firewalls, toolsets: Toolsets, most: int
) -> Iterator[Judged]:
    new = False
    for run, begins in chunk_runs(chunk, toolsets):
        if begins:
            firewalls.forget()
        new |= begins
        if isinstance(run, BadLine):
            part.told.append(run)
            continue
        if new and run.session_id is not None:
            part.told.append(_begun(run, run.session_id))
        new = False
        part.tally.run(run)
        for judged in judge_run(run, firewalls.of(run)):
            part.tally.update(judged)
            part.findings += _found(judged, most=most - len(part.findings))
            yield judged


def _begun(run: Run, session_id: str) -> Begun:
    key = int.from_bytes(digest(session_id, size=8), "little")
    return Begun(run.path, run.line, shown(session_id), key)


def _found(judged: Judged, *, most: int) -> Iterable[Found]:
    findings = judged.decision.findings if most > 0 else ()
    weighing = [finding for finding in findings if finding.weighs]
    for finding in weighing[: max(most, 0)]:
        # a rule may have put anything into its evidence: it stays in this process
        bare = replace(finding, got=None, evidence={}, allowed=())
        yield Found(judged.run_id, judged.call_index, judged.call.name, bare)
