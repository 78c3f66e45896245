"""What strict would block of the mined runs: by which layer, where in a call, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from abs_shield.core import Outcome, Verdict
from abs_shield.core.names import PHANTOM_TOOL
from abs_shield.policy import Policy
from abs_shield.policy.suppression import anywhere
from abs_shield.replay.run_judging import Judged
from abs_shield.text.show import escaped

_MOST_BLOCKS = 5_000
"""Reasons that are told apart; the places beyond count as any, the unknown names as none."""


@dataclass(frozen=True, slots=True)
class BlockReason:
    """
    Why a call would be blocked.

    Attributes:
        check: By which layer.
        tool: Of which tool, or of which name that no tool has.
        code: The kind of fault; empty for our own error.
        where: Its place in the call, ``*`` for a position of a list; None for every place.
        breaks: Whether it is our own error.
    """

    check: str
    tool: str
    code: str = ""
    where: str | None = None
    breaks: bool = False


@dataclass(slots=True)
class StrictTrial:
    """
    Counts what a policy makes of the calls that it was mined from.

    Attributes:
        policy: The policy.
        calls: How many there were.
        would_block: How many strict would block.
        would_block_refused: How many of these the tool itself refused.
        flagged: How many it flags as SUSPICIOUS, by layer.
        blocks: The reasons.
        counts: Reason to the number of calls, and the same for every place together.
        refused: The same, of the calls that the tool itself refused.
        worked: The same, of the calls that the tool answered without a failure.
        places: Reason of every place to how many places there are.
        errors: Reason to what broke.
    """

    policy: Policy
    calls: int = 0
    would_block: int = 0
    would_block_refused: int = 0
    flagged: Counter[str] = field(default_factory=Counter)
    blocks: set[BlockReason] = field(default_factory=set)
    counts: Counter[BlockReason] = field(default_factory=Counter)
    refused: Counter[BlockReason] = field(default_factory=Counter)
    worked: Counter[BlockReason] = field(default_factory=Counter)
    places: Counter[BlockReason] = field(default_factory=Counter)
    errors: dict[BlockReason, str] = field(default_factory=dict)

    def update(self, judged: Judged) -> None:
        """Count one call."""
        self.calls += 1
        found = {*map(self._bounded, self._found(judged))}
        self.would_block += bool(found)
        self.would_block_refused += bool(found) and judged.refused
        self.places.update(everywhere(block) for block in found - self.blocks if block.where)
        self.blocks |= found
        counted = found.union(map(everywhere, found))
        self.counts.update(counted)
        self.refused.update(counted if judged.refused else ())
        self.worked.update(counted if judged.executed and not judged.refused else ())
        if judged.decision.verdict is Verdict.SUSPICIOUS:
            self.flagged.update({f.check for f in judged.decision.findings if f.weighs})

    def _found(self, judged: Judged) -> Iterator[BlockReason]:
        decision = judged.decision
        for finding in decision.findings:
            if finding.weighs and finding.verdict is Verdict.HALLUCINATED:
                where = None if finding.check == PHANTOM_TOOL else anywhere(finding.where)
                yield BlockReason(finding.check, decision.tool, finding.code, where)
        for layer, coverage in decision.coverage.items():
            audited = (decision.tool, layer) in self.policy.modes
            if coverage.outcome is Outcome.ERROR and not audited:
                block = BlockReason(layer, decision.tool, breaks=True)
                self.errors.setdefault(block, escaped(coverage.reason, limit=100))
                yield block

    def _bounded(self, block: BlockReason) -> BlockReason:
        if block in self.blocks or len(self.blocks) < _MOST_BLOCKS:
            return block
        return replace(block, tool="") if block.check == PHANTOM_TOOL else everywhere(block)

    def is_refused(self, block: BlockReason) -> bool:
        """Return whether the tool refused every call that would be blocked for this reason."""
        return self.refused[block] == self.counts[block]

    def told(self, block: BlockReason) -> str:
        """Say how often it was, and what."""
        count = self.counts[block]
        where = f" {escaped(block.where, limit=100)}" if block.where else ""
        return f"{count:,} recorded {'call' if count == 1 else 'calls'}: {block.code}{where}"


def everywhere(block: BlockReason) -> BlockReason:
    """Return the same reason at every place."""
    return replace(block, where=None)
