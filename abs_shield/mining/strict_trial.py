"""Count the recorded calls that strict mode would block, and the entries that allow them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from abs_shield.core import Outcome, Verdict
from abs_shield.core.vocabularies import PHANTOM_TARGET, PHANTOM_TOOL
from abs_shield.mining.policy_draft import Draft, LetThrough, Pass, Suggestion
from abs_shield.policy import Policy
from abs_shield.policy.suppression import replace_positions
from abs_shield.policy.tool_declaration import LONGEST_NAME
from abs_shield.replay.run_judging import Judged
from abs_shield.text.safe_display import escaped

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
        blocks = {*map(self._bound, self._reasons(judged))}
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
                where = None if finding.check == PHANTOM_TOOL else replace_positions(finding.where)
                yield BlockReason(finding.check, decision.tool, finding.code, where)
        for layer, coverage in decision.coverage.items():
            audited = (decision.tool, layer) in self.policy.modes
            if coverage.outcome is Outcome.ERROR and not audited:
                block = BlockReason(layer, decision.tool, breaks=True)
                # the first error; others of the layer are alike
                self.errors.setdefault(block, escaped(coverage.reason, limit=100))
                yield block

    def _bound(self, block: BlockReason) -> BlockReason:
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


MOST_NAMES = 200
"""Unknown tool names that are let through one by one: a model may invent any number."""
MOST_PLACES = 20
"""Locations of one fault for one tool; a fault at more places is let through at any."""


def with_recorded_passes(draft: Draft, trial: StrictTrial) -> Draft:
    """
    Return the draft with the blocks of *trial* as passes; the same if none is new.

    A proposal of the draft that blocks a call which the tool did not refuse is withdrawn. A
    violation of the tool's own contract becomes a `Pass`: the fault at one location of the tool's
    calls, or an unknown tool name. Names and locations that a policy cannot hold are left out.
    """
    withdrawn: dict[Suggestion, str] = {}
    effects = {s.tool: s for s in draft.suggestions if s.declared and s.field == "destructive"}
    blocks: list[BlockReason] = []
    for block in sorted(trial.blocks, key=_order):
        own = block.check == PHANTOM_TARGET and not block.breaks and block.tool in effects
        # a block of a declaration of the draft, not of the tool's contract
        if own and (draft.let_through is LetThrough.ALL or not trial.is_refused(block)):
            withdrawn.setdefault(effects[block.tool], f"it would block {trial.describe(block)}")
        elif is_writable(block):
            blocks.append(block)
    tool_names = frozenset(tool.name for tool in draft.tools)
    held = sum(p.check == PHANTOM_TOOL and p.tool not in tool_names for p in draft.passes)
    few = _few_names(blocks, trial, tools=tool_names, most=MOST_NAMES - held)
    # the same block may be reduced to one without a location
    unique = dict.fromkeys(_few_places(few, trial))
    more = (_pass(block, trial) for block in unique)
    return replace(draft.without(withdrawn), passes=_widest((*draft.passes, *more)))


def _order(block: BlockReason) -> tuple[str, ...]:
    return block.check, block.tool, block.code, block.where or ""


def is_writable(block: BlockReason) -> bool:
    """Return whether a policy can hold the name and location: a model can write anything."""
    is_name = 0 < len(block.tool) <= LONGEST_NAME and _is_unicode(block.tool)
    return is_name and _is_unicode(block.where or "")


def _is_unicode(text: str) -> bool:
    # an unpaired surrogate cannot be written to a file
    return text == text.encode("utf-8", "replace").decode()


def _few_names(
    blocks: list[BlockReason], trial: StrictTrial, *, tools: frozenset[str], most: int
) -> Iterable[BlockReason]:
    """Return the blocks, with only the most frequent unknown tool names."""
    phantom_tools = [b for b in blocks if b.check == PHANTOM_TOOL and b.tool not in tools]
    first = sorted(phantom_tools, key=lambda b: -trial.counts[b])[:most]
    left_out = {*phantom_tools} - {*first}
    return (block for block in blocks if block not in left_out)


def _few_places(blocks: Iterable[BlockReason], trial: StrictTrial) -> Iterable[BlockReason]:
    """Yield the blocks; those with very many locations without a location."""
    for block in blocks:
        wide = everywhere(block)
        yield wide if trial.places[wide] > MOST_PLACES else block


def _pass(block: BlockReason, trial: StrictTrial) -> Pass:
    return Pass(
        check=block.check,
        tool=block.tool,
        code=block.code,
        where=block.where,
        calls=trial.counts[block],
        refused=trial.refused[block],
        worked=trial.worked[block],
        error=trial.errors.get(block, "an internal error") if block.breaks else "",
    )


def _widest(passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
    """Return the passes once each, without those that another pass covers."""
    # reversed, so that the newest of equal entries counts
    by_key = {(p.check, p.tool, p.code, p.where, bool(p.error)): p for p in reversed(passes)}
    return tuple(
        each
        for (check, tool, code, where, error), each in reversed(by_key.items())
        if where is None or (check, tool, code, None, error) not in by_key
    )


_MAX_LINES = 20  # a page to read


def still_blocked(trial: StrictTrial, passes: Iterable[Pass]) -> list[str]:
    """
    Return a line for each reason that none of *passes* covers.

    Unknown tool names are grouped into one or two lines.
    """
    covered = {(each.check, each.tool, each.code, each.where) for each in passes}
    blocks = {block for block in trial.blocks if covered.isdisjoint(_entries(block))}
    phantom_tools = {block for block in blocks if block.check == PHANTOM_TOOL}
    no_names = {block for block in phantom_tools if not is_writable(block)}
    others = [block for block in blocks if block not in phantom_tools]
    lines = [
        *_names(
            trial, no_names, "that is empty, too long, or not Unicode: a policy cannot contain it"
        ),
        *_names(
            trial, phantom_tools - no_names, f"that no tool has, beyond the first {MOST_NAMES}"
        ),
        *sorted(_other(trial, block) for block in others),
    ]
    more = len(lines) - _MAX_LINES
    return lines if more <= 0 else [*lines[:_MAX_LINES], f"{more:,} more reasons"]


def _entries(block: BlockReason) -> set[tuple[str, str, str, str | None]]:
    """Return the entries that would let it through: at its location, and at every location."""
    # an entry without a location covers it as well
    return {(block.check, block.tool, block.code, where) for where in (block.where, None)}


def _names(trial: StrictTrial, blocks: set[BlockReason], what: str) -> Iterator[str]:
    if blocks:
        yield f"{_calls(sum(trial.counts[block] for block in blocks))} with a name {what}"


def _other(trial: StrictTrial, block: BlockReason) -> str:
    what = Pass(check=block.check, tool=block.tool, code=block.code, where=block.where, calls=0)
    why = (
        ""
        if is_writable(block)
        else "; a name or place that is not Unicode: a policy cannot contain it"
    )
    return f"{_calls(trial.counts[block])}: {what}{why}"


def _calls(count: int) -> str:
    return f"{count:,} {'call' if count == 1 else 'calls'}"
