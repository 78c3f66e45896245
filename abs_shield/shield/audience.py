"""Who hears of every decision of one Shield: OpenTelemetry, structlog, the host's own hooks."""

from __future__ import annotations

from collections.abc import Iterable

from abs_shield.shield.given import required
from abs_shield.shield.registry import Registry
from abs_shield.stores import MemoryStore, Store
from abs_shield.telemetry import Hook, Otel, StructLog


def audience(
    hooks: Iterable[Hook] | None, store: Store, tools: Registry
) -> tuple[Otel, tuple[Hook, ...]]:
    """
    Give the `Otel` that opens the spans of tools, and everybody who is told, in their order.

    Every Shield tells OpenTelemetry and structlog, once each; None tells nobody.
    OpenTelemetry hears first: the log line names its span.

    Raises:
        PolicyError: *hooks* are no list of callables.
    """
    required(hooks, "hooks", "__iter__", "a list of callables")
    given = tuple(hooks or ())
    for hook in given:
        required(hook, "hooks", "__call__", "callables of one Decision")
    spans = tuple(hook for hook in given if isinstance(hook, Otel)) or (Otel(),)
    for otel in dict.fromkeys(spans):
        if hasattr(store, "status") and not isinstance(store, MemoryStore):
            otel.watch(store)
        otel.learn(tools)
    if hooks is None:
        return spans[0], ()
    log = () if any(isinstance(hook, StructLog) for hook in given) else (StructLog(),)
    return spans[0], (*spans, *log, *(hook for hook in given if not isinstance(hook, Otel)))
