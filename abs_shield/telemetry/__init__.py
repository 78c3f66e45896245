"""What the outside world hears: a hook is any callable of one `Decision`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from abs_shield.telemetry.hooks import Hook, emit

if TYPE_CHECKING:
    from abs_shield.telemetry.log import StructLog
    from abs_shield.telemetry.otel import Otel
    from abs_shield.telemetry.sdk import Telemetry, setup

__all__ = ["Hook", "Otel", "StructLog", "Telemetry", "emit", "setup"]

_LAZY = {"Otel": "otel", "StructLog": "log", "Telemetry": "sdk", "setup": "sdk"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
