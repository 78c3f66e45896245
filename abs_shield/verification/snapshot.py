"""Conversion of an engine's state to a snapshot, and validation of snapshots."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from abs_shield.errors import StoreError
from abs_shield.text.safe_display import escaped, shown
from abs_shield.verification.engine_state import EngineState
from abs_shield.verification.settings import ToolSettings
from abs_shield.verification.snapshot_schema import (
    SCHEMA_VERSION,
    CalibrationRecord,
    ResultRecord,
    Snapshot,
)

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
        raise damaged(_one_line(error)) from None
    # Raised for numbers, nesting or mappings that a valid snapshot cannot have.
    except (OverflowError, RecursionError, RuntimeError) as error:
        raise damaged(type(error).__name__) from None


def damaged(what: str) -> StoreError:
    """Return the error for a damaged snapshot."""
    return StoreError(f"verification: a snapshot is damaged: {what}; {HINT}")


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = escaped("/".join(str(step) for step in first["loc"]))
    message = first["msg"].removeprefix("Value error, ")
    got = "" if first["type"] == "missing" else f", got {shown(first['input'])}"
    return f"`{where}`: {message}{got}".replace("\n", " ")
