"""Merge of a snapshot into an engine's state, complete or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abs_shield.errors import PolicyError
from abs_shield.verification.engine_state import EngineState, newest
from abs_shield.verification.observation import Observation
from abs_shield.verification.result_memory import ResultMemory
from abs_shield.verification.settings import ResultLabel
from abs_shield.verification.snapshot import damaged, parse_snapshot
from abs_shield.verification.snapshot_schema import ResultRecord, Snapshot
from abs_shield.verification.tool_state import ToolState

Results = dict[str, tuple[str, Observation]]
"""Tool and result by the result's id."""


def merge(learnt: EngineState, snapshot: Mapping[str, Any], empty: ResultMemory) -> EngineState:
    """
    Return the merged state with each record once, in any order; *learnt* is not changed.

    Args:
        learnt: The state of this engine.
        snapshot: The snapshot of another.
        empty: An empty memory.

    Raises:
        StoreError: It is not a snapshot, has a newer version, or is damaged.
    """
    saved = parse_snapshot(snapshot)
    both = EngineState(
        empty,
        learnt.settings.copied(),
        newest(learnt.tools, {f.tool: f.all for f in saved.forgotten.values() if f.all}),
        newest(
            learnt.baselines, {f.tool: f.baseline for f in saved.forgotten.values() if f.baseline}
        ),
    )
    try:
        _merge_settings(both, saved)
        _merge_results(both, learnt, saved)
    # A valid record may still contradict another one, or the limits of this version.
    except (PolicyError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise damaged(" ".join(str(error).split())) from None
    return both


def _merge_settings(both: EngineState, saved: Snapshot) -> None:
    settings = both.settings
    for entry in saved.settings.values():
        base, weigher = entry.base(), entry.weigher()
        if entry.tool is None or both.counts(entry.tool, entry.at):
            held = settings.owned(entry.tool)
            if entry.at > held.at:
                held.put(base, weigher, at=entry.at)
    labels: dict[str, list[ResultLabel]] = {}
    for ident, label in saved.labels.items():
        labels.setdefault(label.tool, []).append(label.to_label(ident))
    for tool, some in labels.items():
        if counted := [label for label in some if both.counts(tool, label.at)]:
            settings.owned(tool).merge(counted)
    for tool, at in both.tools.items():
        settings.forget(tool, at)
    settings.spread()


def _merge_results(both: EngineState, learnt: EngineState, saved: Snapshot) -> None:
    memory = learnt.memory
    accepted_here: Results = {
        observation.id: (tool, observation) for tool, observation in memory.results()
    }
    apart: Results = {k.id: (tool, k) for tool, one in memory.tools.items() for k in one.quarantine}
    accepted = _counted(both, accepted_here | _observations(saved.results))
    refused = _counted(both, apart | _observations(saved.quarantine))
    # A label released it in one of the engines.
    refused = {ident: one for ident, one in refused.items() if ident not in accepted}
    # Nothing is new, so no replay is needed.
    if (accepted.keys(), refused.keys(), both.baselines) == (
        accepted_here.keys(), apart.keys(), learnt.baselines,
    ):  # fmt: skip
        both.memory = memory
    else:
        _replay(both, accepted, refused)


def _observations(some: Mapping[str, ResultRecord]) -> Results:
    return {ident: (entry.tool, entry.to_observation(ident)) for ident, entry in some.items()}


def _counted(both: EngineState, some: Results) -> Results:
    return {ident: one for ident, one in some.items() if both.counts(one[0], one[1].at)}


def _replay(both: EngineState, accepted: Results, refused: Results) -> None:
    """Learn all results in order of time; those older than a baseline are not part of it."""
    memory, apart = both.memory, ToolState()
    since = dict(both.baselines)
    # In the order of time, as if this engine had judged all of them.
    for tool, observation in _in_order([*accepted.values(), *refused.values()]):
        tool_state = memory.tool(tool)
        is_new = observation.at > since.get(tool, -1.0)
        if observation.id in accepted:
            memory.learn(tool_state if is_new else apart, observation, tool)
        elif is_new:
            both.refuse(tool_state, observation, tool)
        else:
            tool_state.quarantine.append(observation)


def _in_order(results: Iterable[tuple[str, Observation]]) -> list[tuple[str, Observation]]:
    return sorted(results, key=lambda one: (one[1].at, one[1].id))
