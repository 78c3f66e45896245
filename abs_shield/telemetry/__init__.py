"""Telemetry of decisions: OpenTelemetry, structlog, and hooks (callables of one `Decision`)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from abs_shield.telemetry.decision_hooks import Hook, emit

if TYPE_CHECKING:
    from abs_shield.telemetry.otel_hook import Otel
    from abs_shield.telemetry.otel_setup import Telemetry, setup
    from abs_shield.telemetry.structlog_hook import StructLog

__all__ = ["Hook", "Otel", "StructLog", "Telemetry", "emit", "setup"]

# each needs an optional package: OpenTelemetry's SDK or structlog
_LAZY = {
    "Otel": "otel_hook",
    "StructLog": "structlog_hook",
    "Telemetry": "otel_setup",
    "setup": "otel_setup",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
