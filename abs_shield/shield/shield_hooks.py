"""The decision hooks of one Shield: OpenTelemetry, structlog, and the hooks of the host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abs_shield.errors import PolicyError
from abs_shield.shield.call_inputs import require_attribute
from abs_shield.shield.tool_registry import Registry
from abs_shield.stores import MemoryStore, Store
from abs_shield.telemetry import Hook, Otel, StructLog
from abs_shield.text.safe_display import shown


def build_hooks(
    hooks: Iterable[Hook] | None, store: Store, tools: Registry
) -> tuple[Otel, tuple[Hook, ...]]:
    """
    Return the `Otel` that opens the spans of tools, and all hooks in the order of their calls.

    Unless *hooks* is None, OpenTelemetry and structlog are each called once per decision.
    OpenTelemetry comes first, so that the log line can contain the id of its span.

    Raises:
        PolicyError: *hooks* is not a list of callables.
    """
    # A string is iterable by letters, and the message would name the first one.
    if isinstance(hooks, (str, Mapping)):
        raise PolicyError(f"Shield: `hooks` is {shown(hooks)}; give a list of callables")
    require_attribute(hooks, "hooks", "__iter__", "a list of callables")
    declared = tuple(hooks or ())
    for hook in declared:
        require_attribute(hook, "hooks", "__call__", "callables of one Decision")
    spans = tuple(hook for hook in declared if isinstance(hook, Otel)) or (Otel(),)
    # Deduplicated, because a host may pass the same `Otel` twice.
    for otel in dict.fromkeys(spans):
        if hasattr(store, "status") and not isinstance(store, MemoryStore):
            otel.watch(store)
        otel.learn(tools)
    if hooks is None:
        return spans[0], ()
    log = () if any(isinstance(hook, StructLog) for hook in declared) else (StructLog(),)
    return spans[0], (*spans, *log, *(hook for hook in declared if not isinstance(hook, Otel)))
