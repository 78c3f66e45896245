"""Telemetry of decisions: OpenTelemetry, structlog, and hooks (callables of one `Decision`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abs_shield.core.module_names import lazy_names
from abs_shield.telemetry.decision_hooks import Hook, emit

if TYPE_CHECKING:
    from abs_shield.telemetry.otel_hook import Otel
    from abs_shield.telemetry.otel_setup import Telemetry, setup
    from abs_shield.telemetry.structlog_hook import StructLog

__all__ = ["Hook", "Otel", "StructLog", "Telemetry", "emit", "setup"]

# each needs an optional package: OpenTelemetry's SDK or structlog
_LAZY = {
    "Otel": "abs_shield.telemetry.otel_hook",
    "StructLog": "abs_shield.telemetry.structlog_hook",
    "Telemetry": "abs_shield.telemetry.otel_setup",
    "setup": "abs_shield.telemetry.otel_setup",
}

__getattr__, __dir__ = lazy_names(__name__, _LAZY)
