"""What an engine learnt, as JSON-able data: results, labels, calibrations, and back again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from abs_shield.errors import StoreError
from abs_shield.verification.calibration import Calibration
from abs_shield.verification.combine import Rates
from abs_shield.verification.kept import Kept
from abs_shield.verification.memory import Memory
from abs_shield.verification.settings import LabelKept, Settings, ToolSettings
from abs_shield.verification.weigh import Weigher

SCHEMA_VERSION = 1


def snapshot_of(memory: Memory, settings: Settings) -> dict[str, Any]:
    """Give everything that is remembered; each part by its id."""
    refused = ((tool, kept) for tool, known in memory.tools.items() for kept in known.quarantine)
    held = [(None, settings.usual), *settings.own.items()]
    return {
        "schema_version": SCHEMA_VERSION,
        "results": {kept.id: _result(tool, kept) for tool, kept in memory.results()},
        "quarantine": {kept.id: _result(tool, kept) for tool, kept in refused},
        "labels": {
            label.id: {"tool": tool, **label._asdict()}
            for tool, told in held
            for label in told.labels
        },
        "settings": {str(tool or ""): _settings(told) for tool, told in held},
    }


def restored(memory: Memory, settings: Settings, snapshot: Mapping[str, Any]) -> None:
    """
    Add what a snapshot knows; what both know counts once, whatever the order.

    Raises:
        StoreError: It is no snapshot, or one of a newer version.
    """
    _require(snapshot)
    try:
        _restore_settings(settings, snapshot)
        _restore_results(memory, snapshot)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(
            f"verification: a snapshot is damaged ({type(error).__name__}: {error})"
        ) from None


def _require(snapshot: Any) -> None:
    version = snapshot.get("schema_version") if isinstance(snapshot, Mapping) else None
    if not isinstance(version, int):
        raise StoreError("verification: this is no snapshot of an engine; `save` writes one")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"verification: the snapshot has schema_version {version}, and {SCHEMA_VERSION} is"
            " the newest known here; update abs_shield"
        )


def _restore_results(memory: Memory, snapshot: Mapping[str, Any]) -> None:
    known = {kept.id: (tool, kept) for tool, kept in memory.results()}
    apart = {k.id: (tool, k) for tool, about in memory.tools.items() for k in about.quarantine}
    given = {i: _kept(i, told) for i, told in snapshot["results"].items()}
    refused = {i: _kept(i, told) for i, told in snapshot["quarantine"].items()}
    if given.keys() <= known.keys() and refused.keys() <= apart.keys() | known.keys():
        return
    memory.clear()
    accepted = known | given
    for tool, kept in _in_order(accepted.values()):
        memory.learn(memory.tool(tool), kept, tool)
    for tool, kept in _in_order((apart | refused).values()):
        if kept.id not in accepted:
            memory.tool(tool).quarantine.append(kept)


def _restore_settings(settings: Settings, snapshot: Mapping[str, Any]) -> None:
    for name, told in snapshot["settings"].items():
        held = settings.owned(name or None)
        if told["at"] > held.at:
            held.put(
                (told["accept_threshold"], told["block_threshold"], told["prior"]),
                Weigher(told["likelihood_ratios"], _calibration(told["calibration"])),
                at=told["at"],
            )
    labels: dict[str, list[LabelKept]] = {}
    for told in snapshot["labels"].values():
        label = LabelKept(told["id"], told["at"], told["score"], told["hallucinated"])
        labels.setdefault(told["tool"] or "", []).append(label)
    for name, some in labels.items():
        settings.owned(name or None).merge(some)


def _in_order(results: Iterable[tuple[str, Kept]]) -> list[tuple[str, Kept]]:
    by_time: Callable[[tuple[str, Kept]], Any] = lambda told: (told[1].at, told[1].id)  # noqa: E731
    return sorted(results, key=by_time)


def _result(tool: str, kept: Kept) -> dict[str, Any]:
    return {
        "tool": tool,
        "at": kept.at,
        "arguments": kept.key.hex(),
        "session": kept.session,
        "numbers": dict(kept.numbers),
        "latency_ms": kept.latency_ms,
        "size": kept.size,
        "names": sorted(kept.names),
        "kinds": dict(kept.kinds),
        "probability": kept.probability,
    }


def _kept(ident: str, told: Mapping[str, Any]) -> tuple[str, Kept]:
    return told["tool"], Kept(
        ident,
        float(told["at"]),
        bytes.fromhex(told["arguments"]),
        told["session"],
        {str(name): float(x) for name, x in told["numbers"].items()},
        float(told["latency_ms"]),
        int(told["size"]),
        frozenset(told["names"]),
        dict(told["kinds"]),
        float(told["probability"]),
    )


def _settings(told: ToolSettings) -> dict[str, Any]:
    accepts, blocks, prior = told.base
    taught = told.weigher.calibration
    return {
        "at": told.at,
        "accept_threshold": accepts,
        "block_threshold": blocks,
        "prior": prior,
        "likelihood_ratios": dict(told.weigher.ratios),
        "calibration": None
        if taught is None
        else {
            "prior": taught.prior, "labels": taught.labels, "brier": taught.brier,
            "ece": taught.ece, "signals": dict(taught.signals), "groups": dict(taught.groups),
        },
    }  # fmt: skip


def _calibration(told: Mapping[str, Any] | None) -> Calibration | None:
    if told is None:
        return None
    rates = {
        unit: {name: Rates(*pair) for name, pair in told[unit].items()}
        for unit in ("signals", "groups")
    }
    return Calibration(
        prior=told["prior"], labels=told["labels"], brier=told["brier"], ece=told["ece"], **rates
    )
