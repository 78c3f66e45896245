"""Count the recorded calls that strict mode would block, by layer and location."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from abs_shield.core import Outcome, Verdict
from abs_shield.core.layer_names import PHANTOM_TOOL
from abs_shield.policy import Policy
from abs_shield.policy.suppression import anywhere
from abs_shield.replay.run_judging import Judged
from abs_shield.text.show import escaped

_MOST_BLOCKS = 5_000
"""Maximum number of distinguished reasons: a model may invent names and locations."""


@dataclass(frozen=True, slots=True)
class BlockReason:
    """
    The reason for which a call would be blocked.

    Attributes:
        check: The layer.
        tool: The tool, or an unknown tool name.
        code: The kind of fault; empty for an internal error.
        where: Its location in the call, ``*`` for a position of a list; None for every location.
        breaks: Whether it is an internal error.
    """

    check: str
    tool: str
    code: str = ""
    where: str | None = None
    breaks: bool = False


@dataclass(slots=True)
class StrictTrial:
    """
    Counts the results of a policy on the calls that it was mined from.

    Attributes:
        policy: The policy.
        calls: Number of calls.
        would_block: Number of calls that strict mode would block.
        would_block_refused: Number of these that the tool refused.
        flagged: Number of SUSPICIOUS calls, by layer.
        blocks: The reasons.
        counts: Number of calls by reason, with and without its location.
        refused: The same, for calls that the tool refused.
        worked: The same, for calls that worked.
        places: Number of locations by reason without location.
        errors: The error by reason.
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
        blocks = {*map(self._bounded, self._reasons(judged))}
        self.would_block += bool(blocks)
        self.would_block_refused += bool(blocks) and judged.refused
        # a location counts once, when its reason is new
        self.places.update(everywhere(block) for block in blocks - self.blocks if block.where)
        self.blocks |= blocks
        counted = blocks.union(map(everywhere, blocks))
        self.counts.update(counted)
        self.refused.update(counted if judged.refused else ())
        # the tool ran it and did not complain
        self.worked.update(counted if judged.executed and not judged.refused else ())
        if judged.decision.verdict is Verdict.SUSPICIOUS:
            self.flagged.update({f.check for f in judged.decision.findings if f.weighs})

    def _reasons(self, judged: Judged) -> Iterator[BlockReason]:
        decision = judged.decision
        for finding in decision.findings:
            if finding.weighs and finding.verdict is Verdict.HALLUCINATED:
                # an unknown tool has one location, its name
                where = None if finding.check == PHANTOM_TOOL else anywhere(finding.where)
                yield BlockReason(finding.check, decision.tool, finding.code, where)
        for layer, coverage in decision.coverage.items():
            audited = (decision.tool, layer) in self.policy.modes
            if coverage.outcome is Outcome.ERROR and not audited:
                block = BlockReason(layer, decision.tool, breaks=True)
                # the first error; others of the layer are alike
                self.errors.setdefault(block, escaped(coverage.reason, limit=100))
                yield block

    def _bounded(self, block: BlockReason) -> BlockReason:
        if block in self.blocks or len(self.blocks) < _MOST_BLOCKS:
            return block
        return replace(block, tool="") if block.check == PHANTOM_TOOL else everywhere(block)

    def is_refused(self, block: BlockReason) -> bool:
        """Return whether the tool refused every call that would be blocked for this reason."""
        return self.refused[block] == self.counts[block]

    def describe(self, block: BlockReason) -> str:
        """Return the number of calls and the fault, as a text."""
        count = self.counts[block]
        where = f" {escaped(block.where, limit=100)}" if block.where else ""
        return f"{count:,} recorded {'call' if count == 1 else 'calls'}: {block.code}{where}"


def everywhere(block: BlockReason) -> BlockReason:
    """Return the same reason without its location."""
    return replace(block, where=None)
