"""What strict would block of the mined runs, and the draft that lets it pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from abs_shield.core import Outcome, Verdict
from abs_shield.core.names import IMPOSSIBLE_STATE, PHANTOM_TARGET, PHANTOM_TOOL
from abs_shield.policy import Policy
from abs_shield.replay.judge import Judged
from abs_shield.replay.mining.draft import Draft, Pass, Suggestion
from abs_shield.text.show import escaped

_MOST_NAMES = 50
"""Names that no tool has, which are let through one by one; with more the layer is."""
_MOST_BLOCKS = 5_000
"""Reasons that are told apart; the unknown names beyond count as one that nobody can name."""
_MOST_DETAILS = 1_000
_EXPLAINED = 2


@dataclass(frozen=True, slots=True)
class Block:
    """Why a call would be blocked: by which layer, of which tool, by which rule of the draft."""

    check: str
    tool: str
    rule: str = ""
    breaks: bool = False


@dataclass(slots=True)
class Trial:
    """
    Counts what a policy makes of the calls that it was mined from.

    Attributes:
        policy: The policy.
        calls: How many there were.
        would_block: How many strict would block.
        flagged: How many it flags as SUSPICIOUS, by layer.
        blocks: Reason to the number of calls.
        details: Reason to what was found, for the first few of each.
    """

    policy: Policy
    calls: int = 0
    would_block: int = 0
    flagged: Counter[str] = field(default_factory=Counter)
    blocks: Counter[Block] = field(default_factory=Counter)
    details: dict[Block, Counter[str]] = field(default_factory=dict)

    def update(self, judged: Judged) -> None:
        """Count one call."""
        self.calls += 1
        decision = judged.decision
        found: dict[Block, str] = {}
        for finding in decision.findings:
            if finding.weighs and finding.verdict is Verdict.HALLUCINATED:
                rule = str(finding.evidence.get("rule", "")) if finding.evidence else ""
                found[Block(finding.check, decision.tool, rule)] = f"{finding.code} {finding.where}"
        for layer, coverage in decision.coverage.items():
            if coverage.outcome is Outcome.ERROR and not self._audited(decision.tool, layer):
                found[Block(layer, decision.tool, breaks=True)] = coverage.reason
        self.would_block += bool(found)
        for block, detail in found.items():
            if block not in self.blocks and len(self.blocks) >= _MOST_BLOCKS:
                block = replace(block, tool="") if block.check == PHANTOM_TOOL else block
            self.blocks[block] += 1
            if len(self.details) < _MOST_DETAILS or block in self.details:
                self.details.setdefault(block, Counter())[detail[:200]] += 1
        if decision.verdict is Verdict.SUSPICIOUS:
            self.flagged.update({f.check for f in decision.findings if f.weighs})

    def _audited(self, tool: str, layer: str) -> bool:
        return (tool, layer) in self.policy.modes

    def told(self, block: Block) -> str:
        """Say how often it was, and what."""
        count = self.blocks[block]
        most = self.details.get(block, Counter()).most_common(_EXPLAINED)
        what = ", ".join(escaped(detail, limit=100) for detail, _ in most)
        return f"{count:,} recorded {'call' if count == 1 else 'calls'}: {what}"


def relaxed(
    draft: Draft, trial: Trial, *, rules: Mapping[str, Suggestion], tools: Iterable[str]
) -> Draft:
    """
    Give the draft under which the calls of *trial* pass.

    A proposal of the draft's own is withdrawn. What the agent did wrong by the tool's own contract
    is let through by name, with how often it was.

    Args:
        rules: The declared rules of the written module, by their function's name.
        tools: The names that tools have.
    """
    gone: dict[Suggestion, str] = {}
    passes: list[Pass] = []
    effects = {s.tool: s for s in draft.suggestions if s.declared and s.field == "destructive"}
    for block in sorted(trial.blocks, key=lambda b: (b.check, b.tool, b.rule)):
        why = f"it would block {trial.told(block)}"
        if block.check == IMPOSSIBLE_STATE and block.rule in rules:
            gone[rules[block.rule]] = why
        elif block.check == PHANTOM_TARGET and not block.breaks and block.tool in effects:
            gone[effects[block.tool]] = why
        else:
            passes.append(
                Pass(
                    check=block.check,
                    tool=block.tool,
                    reason=trial.told(block),
                    breaks=block.breaks,
                )
            )
    made = draft.without(gone)
    return replace(made, passes=(*draft.passes, *_few_names(passes, set(tools))))


def _few_names(passes: list[Pass], tools: set[str]) -> list[Pass]:
    """The passes, those of many names that no tool has as one, and of such as cannot be written."""
    named = [p for p in passes if p.check == PHANTOM_TOOL and p.tool not in tools]
    if len(named) <= _MOST_NAMES and all(_is_name(p.tool) for p in named):
        return passes
    others = [p for p in passes if p not in named]
    reason = f"recorded calls had {len(named):,} names that no tool has"
    return [*others, Pass(check=PHANTOM_TOOL, tool=None, reason=reason)]


def _is_name(name: str | None) -> bool:
    """Whether a policy can hold a name: a model may write nothing, or what is no Unicode."""
    return bool(name) and name == str(name).encode("utf-8", "replace").decode()
