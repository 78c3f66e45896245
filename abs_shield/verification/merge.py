"""Adds what a snapshot knows to what an engine learnt, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abs_shield.errors import PolicyError
from abs_shield.verification.kept import Kept
from abs_shield.verification.known import KnownTool
from abs_shield.verification.learnt import Learnt, newest
from abs_shield.verification.memory import Memory
from abs_shield.verification.parts import ResultTold, Told
from abs_shield.verification.settings import LabelKept
from abs_shield.verification.snapshot import damaged, told_by

Results = dict[str, tuple[str, Kept]]
"""Tool and result by the result's id."""


def merged(learnt: Learnt, snapshot: Mapping[str, Any], empty: Memory) -> Learnt:
    """
    Give what both know, each thing once, whatever the order; *learnt* stays as it is.

    Args:
        learnt: What is known here.
        snapshot: What is known there.
        empty: A memory that remembers nothing yet.

    Raises:
        StoreError: It is no snapshot, one of a newer version, or a part of it is damaged.
    """
    told = told_by(snapshot)
    both = Learnt(
        empty,
        learnt.settings.copied(),
        newest(learnt.tools, {f.tool: f.all for f in told.forgotten.values() if f.all}),
        newest(
            learnt.baselines, {f.tool: f.baseline for f in told.forgotten.values() if f.baseline}
        ),
    )
    try:
        _merge_settings(both, told)
        _merge_results(both, learnt, told)
    except (PolicyError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise damaged(" ".join(str(error).split())) from None
    return both


def _merge_settings(both: Learnt, told: Told) -> None:
    settings = both.settings
    for given in told.settings.values():
        base, weigher = given.base(), given.weigher()
        if given.tool is None or both.counts(given.tool, given.at):
            held = settings.owned(given.tool)
            if given.at > held.at:
                held.put(base, weigher, at=given.at)
    labels: dict[str, list[LabelKept]] = {}
    for ident, label in told.labels.items():
        labels.setdefault(label.tool, []).append(label.kept(ident))
    for tool, some in labels.items():
        if counted := [label for label in some if both.counts(tool, label.at)]:
            settings.owned(tool).merge(counted)
    for tool, at in both.tools.items():
        settings.forget(tool, at)
    settings.spread()


def _merge_results(both: Learnt, learnt: Learnt, told: Told) -> None:
    memory = learnt.memory
    known: Results = {kept.id: (tool, kept) for tool, kept in memory.results()}
    apart: Results = {k.id: (tool, k) for tool, one in memory.tools.items() for k in one.quarantine}
    accepted = _counted(both, known | _given(told.results))
    refused = _counted(both, apart | _given(told.quarantine))
    refused = {ident: one for ident, one in refused.items() if ident not in accepted}
    if (accepted.keys(), refused.keys(), both.baselines) == (
        known.keys(), apart.keys(), learnt.baselines,
    ):  # fmt: skip
        both.memory = memory
    else:
        _relive(both, accepted, refused)


def _given(some: Mapping[str, ResultTold]) -> Results:
    return {ident: (given.tool, given.kept(ident)) for ident, given in some.items()}


def _counted(both: Learnt, some: Results) -> Results:
    return {ident: one for ident, one in some.items() if both.counts(one[0], one[1].at)}


def _relive(both: Learnt, accepted: Results, refused: Results) -> None:
    """Take everything in as it came; what is older than a baseline is no part of it."""
    memory, apart = both.memory, KnownTool()
    since = dict(both.baselines)
    for tool, kept in _in_order([*accepted.values(), *refused.values()]):
        known = memory.tool(tool)
        is_new = kept.at > since.get(tool, -1.0)
        if kept.id in accepted:
            memory.learn(known if is_new else apart, kept, tool)
        elif is_new:
            both.refuse(known, kept, tool)
        else:
            known.quarantine.append(kept)


def _in_order(results: Iterable[tuple[str, Kept]]) -> list[tuple[str, Kept]]:
    return sorted(results, key=lambda one: (one[1].at, one[1].id))
