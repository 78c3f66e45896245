"""Turn faults of recorded calls into entries that let them through, as narrow as possible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from abs_shield.core.layer_names import PHANTOM_TARGET, PHANTOM_TOOL
from abs_shield.mining.draft import Draft, LetThrough, Pass, Suggestion
from abs_shield.mining.strict_trial import BlockReason, StrictTrial, everywhere
from abs_shield.policy.tool import LONGEST_NAME

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
    unknown = [b for b in blocks if b.check == PHANTOM_TOOL and b.tool not in tools]
    first = sorted(unknown, key=lambda b: -trial.counts[b])[:most]
    left_out = {*unknown} - {*first}
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
