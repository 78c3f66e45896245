"""What a mined module says of its own making: what it was read from, and what it lets through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abs_shield.replay.mining.census import Recorded
from abs_shield.replay.mining.draft import Pass
from abs_shield.replay.mining.evidence import Evidence
from abs_shield.replay.mining.trial import Trial

MOST_PASSES = 20
"""Entries that are listed above the policy, the most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What stands at the head of a module, a line each."""

    lines: tuple[str, ...] = ()


def headed(source: str, recorded: Recorded | None, evidence: Evidence) -> Iterator[str]:
    """Tell where the tools come from, and which runs were read."""
    yield f"Tools: {source or 'as the runs describe them'}."
    if recorded is None:
        yield "Runs: none; what is said of a tool is read from its words."
        return
    worked = sum(tool.worked for tool in evidence.tools.values())
    yield (
        f"Runs: {_named(recorded)}; {evidence.runs:,} of them, with {evidence.calls:,} calls of"
        f" which {worked:,} worked."
    )


def tried_lines(
    first: Trial | None, last: Trial | None, passes: Sequence[Pass], stays: Sequence[str]
) -> Iterator[str]:
    """Tell what strict blocks of the runs, what is let through, and what cannot be."""
    if first is None or last is None:
        return
    flagged = ", ".join(f"{layer} {n:,}" for layer, n in sorted(last.flagged.items()))
    yield (
        f"Strict would block {last.would_block:,} of these calls under this policy; before anything"
        f" was let through it was {first.would_block:,}. It flags"
        f" {f'{flagged}, which run' if flagged else 'none'}."
    )
    if passes:
        yield "Let through:"
        yield from (f"- {told}" for told in listed(passes))
    if stays:
        yield "Not let through, and blocked in strict:"
        yield from (f"- {told}" for told in stays)


def listed(passes: Sequence[Pass]) -> Iterator[str]:
    """Tell the most frequent of what is let through, and of how many calls each."""
    for each in sorted(passes, key=lambda each: -each.calls)[:MOST_PASSES]:
        yield f"{each.reason}: {each}"
    if len(passes) > MOST_PASSES:
        yield f"and {len(passes) - MOST_PASSES:,} more entries of `suppress` and `modes`"


def _named(recorded: Recorded) -> str:
    names = [path.replace("\\", "/").rpartition("/")[2] for path in recorded.paths]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    toolset = f" of toolset `{recorded.toolset}`" if recorded.toolset is not None else ""
    return f"{', '.join(names[:3])}{more}{toolset}"
