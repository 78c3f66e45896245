"""Test tools for agents' policies: the model is scripted, the shield is real."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abs_shield.testing.decision_assertions import (
        assert_allowed,
        assert_blocked,
        assert_flagged,
        assert_proved,
        no_shield,
    )
    from abs_shield.testing.decision_list import Decisions
    from abs_shield.testing.expectations import capture_decisions
    from abs_shield.testing.script import ascripted, scripted
    from abs_shield.testing.script_steps import (
        Step,
        assistant,
        call,
        recorded,
        result,
        system,
        user,
    )

_MODULES = {
    "Decisions": "decision_list",
    "Step": "script_steps",
    "ascripted": "script",
    "assert_allowed": "decision_assertions",
    "assert_blocked": "decision_assertions",
    "assert_flagged": "decision_assertions",
    "assert_proved": "decision_assertions",
    "assistant": "script_steps",
    "call": "script_steps",
    "capture_decisions": "expectations",
    "no_shield": "decision_assertions",
    "recorded": "script_steps",
    "result": "script_steps",
    "scripted": "script",
    "system": "script_steps",
    "user": "script_steps",
}

__all__ = [
    "Decisions",
    "Step",
    "ascripted",
    "assert_allowed",
    "assert_blocked",
    "assert_flagged",
    "assert_proved",
    "assistant",
    "call",
    "capture_decisions",
    "no_shield",
    "recorded",
    "result",
    "scripted",
    "system",
    "user",
]


def __getattr__(name: str) -> Any:
    # lazy: pytest loads the plugin, and with it this package, also in projects that do not use it
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value  # later uses do not come here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
