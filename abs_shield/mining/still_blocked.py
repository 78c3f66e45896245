"""List the recorded calls that strict mode still blocks because no policy can let them through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abs_shield.core.layer_names import PHANTOM_TOOL
from abs_shield.mining.draft import Pass
from abs_shield.mining.recorded_passes import MOST_NAMES, is_writable
from abs_shield.mining.strict_trial import BlockReason, StrictTrial

_MAX_LINES = 20  # a page to read


def still_blocked(trial: StrictTrial, passes: Iterable[Pass]) -> list[str]:
    """
    Return a line for each reason that none of *passes* covers.

    Unknown tool names are grouped into one or two lines.
    """
    covered = {(each.check, each.tool, each.code, each.where) for each in passes}
    blocks = {block for block in trial.blocks if covered.isdisjoint(_entries(block))}
    unknown = {block for block in blocks if block.check == PHANTOM_TOOL}
    no_names = {block for block in unknown if not is_writable(block)}
    others = [block for block in blocks if block not in unknown]
    lines = [
        *_names(
            trial, no_names, "that is empty, too long, or not Unicode: a policy cannot contain it"
        ),
        *_names(trial, unknown - no_names, f"that no tool has, beyond the first {MOST_NAMES}"),
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
