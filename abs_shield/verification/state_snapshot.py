"""The complete learnt state of an engine, its conversion to a snapshot, validation and merge."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from abs_shield.errors import PolicyError, StoreError
from abs_shield.text.safe_display import escaped, shown
from abs_shield.verification.result_memory import MOST_TOOLS, ResultMemory
from abs_shield.verification.result_shape import Observation
from abs_shield.verification.snapshot_schema import (
    SCHEMA_VERSION,
    CalibrationRecord,
    ResultRecord,
    Snapshot,
)
from abs_shield.verification.tool_settings import AllSettings, ResultLabel, ToolSettings
from abs_shield.verification.tool_state import ToolState

Since = dict[str, float]
"""For each tool the time until which it was forgotten, in seconds since the epoch."""


@dataclass(slots=True)
class EngineState:
    """
    The learnt state of an engine; its owner holds a lock around every call.

    Attributes:
        memory: The remembered results.
        settings: Thresholds and weights from labels and calibrations.
        tools: Unregistered tools: their records up to that time do not count.
        baselines: Tools with an outdated baseline: results up to that time are not part of the
            new one, and are remembered by their arguments only.
    """

    memory: ResultMemory
    settings: AllSettings
    tools: Since = field(default_factory=dict)
    baselines: Since = field(default_factory=dict)

    def forget(self, tool: str, at: float) -> None:
        """Forget a tool, also if an older snapshot contains it."""
        self.memory.forget(tool)
        self.settings.forget(tool, at)
        self.tools = newest({**self.tools, tool: at})

    def refuse(self, tool_state: ToolState, observation: Observation, tool: str) -> None:
        """Put a rejected result into quarantine; note the time if that ends a baseline."""
        had = bool(tool_state.newest)
        self.memory.refuse(tool_state, observation, tool)
        if had and not tool_state.newest:  # the baseline became empty, so it was outdated
            self.baselines = newest({**self.baselines, tool: observation.at})

    def counts(self, tool: str, at: float) -> bool:
        """Return whether a record of this time was not forgotten with its tool."""
        return at > self.tools.get(tool, -1.0)


def newest(*some: Since) -> Since:
    """
    Return the latest time of each tool, for the newest thousand tools.

    >>> newest({"a": 1.0, "b": 5.0}, {"a": 3.0})
    {'b': 5.0, 'a': 3.0}
    """
    latest: Since = {}
    for since in some:
        for tool, at in since.items():
            latest[tool] = max(at, latest.get(tool, at))
    ordered = sorted(latest.items(), key=lambda one: (-one[1], one[0]))
    return dict(ordered[:MOST_TOOLS])


HINT = "nothing was restored; use a snapshot written by `save` or `snapshot`, or start without one"


def snapshot_of(learnt: EngineState) -> dict[str, Any]:
    """Return the complete state, with each record by its id."""
    memory, settings = learnt.memory, learnt.settings
    refused = (
        (tool, observation)
        for tool, tool_state in memory.tools.items()
        for observation in tool_state.quarantine
    )
    held = [(None, settings.usual), *settings.own.items()]
    return {
        "schema_version": SCHEMA_VERSION,
        "results": {one.id: ResultRecord.of(tool, one) for tool, one in memory.results()},
        "quarantine": {one.id: ResultRecord.of(tool, one) for tool, one in refused},
        "labels": {
            label.id: {
                "tool": tool, "at": label.at, "score": label.score,
                "hallucinated": label.hallucinated,
            }
            for tool, own in settings.own.items()
            for label in own.labels
        },
        "settings": {_id(tool): _settings(tool, own) for tool, own in held if own.at},
        "forgotten": {
            _id(tool): {
                "tool": tool, "all": learnt.tools.get(tool), "baseline": learnt.baselines.get(tool),
            }
            for tool in sorted({*learnt.tools, *learnt.baselines})
        },
    }  # fmt: skip


def _id(tool: str | None) -> str:
    """Return a tool's name, or None, as text that every file format can contain."""
    return json.dumps(tool)


def _settings(tool: str | None, settings: ToolSettings) -> dict[str, Any]:
    accepts, blocks, prior = settings.base
    taught = settings.weigher.calibration
    return {
        "tool": tool,
        "at": settings.at,
        "accept_threshold": accepts,
        "block_threshold": blocks,
        "prior": prior,
        "likelihood_ratios": dict(settings.weigher.ratios),
        "calibration": None if taught is None else CalibrationRecord.of(taught),
    }


def parse_snapshot(snapshot: Any) -> Snapshot:
    """
    Return a validated snapshot.

    Raises:
        StoreError: It is not a snapshot, has a newer version, or is damaged.
    """
    version = snapshot.get("schema_version") if isinstance(snapshot, Mapping) else None
    # `bool` is a subclass of `int`.
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise StoreError(f"verification: this is not a snapshot of an engine; {HINT}")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"verification: the snapshot has schema_version {shown(version)}, and {SCHEMA_VERSION}"
            " is the newest known here; update abs_shield"
        )
    try:
        return Snapshot.model_validate(dict(snapshot))
    except ValidationError as error:
        raise damaged_error(_one_line(error)) from None
    # Raised for numbers, nesting or mappings that a valid snapshot cannot have.
    except (OverflowError, RecursionError, RuntimeError) as error:
        raise damaged_error(type(error).__name__) from None


def damaged_error(what: str) -> StoreError:
    """Return the error for a damaged snapshot."""
    return StoreError(f"verification: a snapshot is damaged: {what}; {HINT}")


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = escaped("/".join(str(step) for step in first["loc"]))
    message = first["msg"].removeprefix("Value error, ")
    got = "" if first["type"] == "missing" else f", got {shown(first['input'])}"
    return f"`{where}`: {message}{got}".replace("\n", " ")


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
        raise damaged_error(" ".join(str(error).split())) from None
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
    accepted = _drop_forgotten(both, accepted_here | _observations(saved.results))
    refused = _drop_forgotten(both, apart | _observations(saved.quarantine))
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


def _drop_forgotten(both: EngineState, some: Results) -> Results:
    return {ident: one for ident, one in some.items() if both.counts(one[0], one[1].at)}


def _replay(both: EngineState, accepted: Results, refused: Results) -> None:
    """Learn all results in order of time; those older than a baseline are not part of it."""
    memory, apart = both.memory, ToolState()
    since = dict(both.baselines)
    # In the order of time, as if this engine had judged all of them.
    for tool, observation in _sort_by_time([*accepted.values(), *refused.values()]):
        tool_state = memory.tool(tool)
        is_new = observation.at > since.get(tool, -1.0)
        if observation.id in accepted:
            memory.learn(tool_state if is_new else apart, observation, tool)
        elif is_new:
            both.refuse(tool_state, observation, tool)
        else:
            tool_state.quarantine.append(observation)


def _sort_by_time(results: Iterable[tuple[str, Observation]]) -> list[tuple[str, Observation]]:
    return sorted(results, key=lambda one: (one[1].at, one[1].id))
