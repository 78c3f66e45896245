"""The job of a replay: judge each chunk of recorded runs, and count the results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from abs_shield.core import Finding
from abs_shield.policy import Policy, load_policy
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.line_chunks import Chunk, SessionStart, readable_runs
from abs_shield.replay.replay_counts import Tally
from abs_shield.replay.replay_rows import ROWFILES, row
from abs_shield.replay.run_judging import Firewalls, Judged, judge_run
from abs_shield.replay.toolsets import Toolsets


def absolute_place(place: str | None) -> str | None:
    """
    Return the place of a policy as a process with another working directory names it.

    >>> absolute_place("policies.shop:policy"), absolute_place("/srv/shop.py:policy")
    ('policies.shop:policy', '/srv/shop.py:policy')
    """
    where, colon, attribute = (place or "").rpartition(":")
    return f"{Path(where).resolve()}{colon}{attribute}" if where.endswith(".py") else place


def load_job_policy(place: str, *, folder: str = "") -> Policy:
    """
    Load a policy; its modules are imported from *folder*, too.

    Raises:
        PolicyError: The policy does not exist.
    """
    if folder and folder not in sys.path:
        sys.path.insert(0, folder)  # first, as a module of the same name may be installed
    return load_policy(place)


_LOCATION = ("file", "line")


def without_values(finding: Finding) -> Finding:
    """
    Return a finding without the values that a rule or a layer may have stored in it.

    Only the location of a rule is kept of its evidence.
    """
    place = {name: finding.evidence[name] for name in _LOCATION if name in finding.evidence}
    # other types may be objects of a user's class
    evidence = {name: value for name, value in place.items() if isinstance(value, (str, int))}
    return replace(finding, got=None, evidence=evidence, allowed=())


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
