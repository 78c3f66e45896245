"""Faults of recorded calls as entries that let them through, each as narrow as can be said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from abs_shield.core.names import PHANTOM_TARGET, PHANTOM_TOOL
from abs_shield.policy.tool import LONGEST_NAME
from abs_shield.replay.mining.draft import Draft, LetThrough, Pass, Suggestion
from abs_shield.replay.mining.strict_trial import BlockReason, StrictTrial, everywhere

MOST_NAMES = 200
"""Names that no tool has, which are let through one by one; further ones stay blocked."""
MOST_PLACES = 20
"""Places of one fault in the calls of one tool; with more it is let through at every place."""


def with_recorded_passes(draft: Draft, trial: StrictTrial) -> Draft:
    """
    Return the draft with what strict blocks of *trial*; the same where nothing is new.

    A proposal of the draft's own that blocks a call which the tool did not refuse is withdrawn.
    What the agent did wrong by the tool's own contract is a `Pass`: this fault at this place of
    this tool's calls, or this name that no tool has. A name or a place that a policy cannot hold is
    none.
    """
    gone: dict[Suggestion, str] = {}
    effects = {s.tool: s for s in draft.suggestions if s.declared and s.field == "destructive"}
    blocks: list[BlockReason] = []
    for block in sorted(trial.blocks, key=_order):
        own = block.check == PHANTOM_TARGET and not block.breaks and block.tool in effects
        if own and (draft.let_through is LetThrough.ALL or not trial.is_refused(block)):
            gone.setdefault(effects[block.tool], f"it would block {trial.told(block)}")
        elif is_writable(block):
            blocks.append(block)
    named = frozenset(tool.name for tool in draft.tools)
    held = sum(p.check == PHANTOM_TOOL and p.tool not in named for p in draft.passes)
    few = _few_names(blocks, trial, tools=named, most=MOST_NAMES - held)
    kept = dict.fromkeys(_few_places(few, trial))
    more = (_pass(block, trial) for block in kept)
    return replace(draft.without(gone), passes=_widest((*draft.passes, *more)))


def _order(block: BlockReason) -> tuple[str, ...]:
    return block.check, block.tool, block.code, block.where or ""


def is_writable(block: BlockReason) -> bool:
    """Return whether a policy can hold its name and place: a model writes anything."""
    is_name = 0 < len(block.tool) <= LONGEST_NAME and _is_unicode(block.tool)
    return is_name and _is_unicode(block.where or "")


def _is_unicode(text: str) -> bool:
    return text == text.encode("utf-8", "replace").decode()


def _few_names(
    blocks: list[BlockReason], trial: StrictTrial, *, tools: frozenset[str], most: int
) -> Iterable[BlockReason]:
    """The blocks, of those for a name that no tool has the most frequent ones."""
    unknown = [b for b in blocks if b.check == PHANTOM_TOOL and b.tool not in tools]
    first = sorted(unknown, key=lambda b: -trial.counts[b])[:most]
    left_out = {*unknown} - {*first}
    return (block for block in blocks if block not in left_out)


def _few_places(blocks: Iterable[BlockReason], trial: StrictTrial) -> Iterable[BlockReason]:
    """The blocks, such as have very many places without one."""
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
    """The passes, each once, without such as another one holds."""
    made = {(p.check, p.tool, p.code, p.where, bool(p.error)): p for p in reversed(passes)}
    return tuple(
        each
        for (check, tool, code, where, error), each in reversed(made.items())
        if where is None or (check, tool, code, None, error) not in made
    )
