"""The header comment of a mined module: its sources, and the calls that it blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abs_shield.mining.policy_draft import Draft, Pass
from abs_shield.mining.run_census import Recorded
from abs_shield.mining.run_evidence import RunEvidence
from abs_shield.mining.strict_trial import StrictTrial
from abs_shield.text.safe_display import capitalise

MOST_PASSES = 20
"""Maximum number of faults of one kind that are listed, most frequent first: a page to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The lines of the header comment of a module."""

    lines: tuple[str, ...] = ()


def header_lines(source: str, recorded: Recorded | None, evidence: RunEvidence) -> Iterator[str]:
    """Yield the sources of the tools, and the runs that were read."""
    yield f"Tools: {source or 'as the runs describe them'}."
    if recorded is None:
        yield "Runs: none; all evidence comes from the descriptions of the tools."
        return
    worked = sum(tool.worked for tool in evidence.tools.values())
    yield (
        f"Runs: {_run_names(recorded)}; {evidence.runs:,} runs with {evidence.calls:,} calls,"
        f" {worked:,} of them successful."
    )


def trial_lines(
    first: StrictTrial | None, last: StrictTrial | None, draft: Draft, stays: Sequence[str]
) -> Iterator[str]:
    """Yield the calls that strict mode blocks in the runs, and their handling."""
    if first is None or last is None:
        return
    flagged = ", ".join(f"{layer} {n:,}" for layer, n in sorted(last.flagged.items()))
    yield f"{capitalise(blocked_line(first, last))}."
    yield f"It flags {f'{flagged}; these calls run' if flagged else 'no calls'}."
    for title, lines in fault_lists(draft, stays):
        yield f"{capitalise(title)}:"
        yield from (f"- {line}" for line in lines)


def blocked_line(first: StrictTrial, last: StrictTrial) -> str:
    """Return the number of recorded calls that strict mode would block, as a sentence."""
    refused = f"; the tools themselves rejected {last.would_block_refused:,} of them"
    before = f"; the first draft would have blocked {first.would_block:,}"
    return (
        f"strict mode would block {last.would_block:,} of {last.calls:,} recorded calls"
        f"{refused if last.would_block else ''}"
        f"{before if first.would_block != last.would_block else ''}"
    )


def fault_lists(draft: Draft, stays: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the handling of the faults of recorded calls: a title, and a line for each fault."""
    enforced = [f"{each.count}: {each}" for each in _most_frequent(draft.enforced)]
    proposed = [f"{each.share}: {each}" for each in _most_frequent(draft.proposed)]
    active = [f"{each.reason}: {each}" for each in _most_frequent(draft.active)]
    for title, lines in (
        ("enforced; the tool rejected every such call", _cut(enforced)),
        ("enforced, with a commented-out suppression", _cut(proposed)),
        ("allowed by this policy", _cut(active)),
        ("enforced; no policy can allow it", [*stays]),
    ):
        if lines:
            yield title, lines


def _most_frequent(passes: Sequence[Pass]) -> list[Pass]:
    return sorted(passes, key=lambda each: -each.calls)


def _cut(lines: list[str]) -> list[str]:
    more = len(lines) - MOST_PASSES
    return lines if more <= 0 else [*lines[:MOST_PASSES], f"and {more:,} more"]


def _run_names(recorded: Recorded) -> str:
    names = [path.replace("\\", "/").rpartition("/")[2] for path in recorded.paths]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    toolset = f" of toolset `{recorded.toolset}`" if recorded.toolset is not None else ""
    return f"{', '.join(names[:3])}{more}{toolset}"
