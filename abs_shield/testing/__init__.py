"""What users test their agents' policies with: the model is scripted, the shield is real."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abs_shield.testing.capture import capture_decisions
    from abs_shield.testing.claims import assert_allowed, assert_blocked, assert_flagged
    from abs_shield.testing.decisions import Decisions
    from abs_shield.testing.proof import assert_proved
    from abs_shield.testing.runfile import recorded
    from abs_shield.testing.script import ascripted, scripted
    from abs_shield.testing.steps import Step, assistant, call, result, system, user
    from abs_shield.testing.unguarded import no_shield

_FILE = {
    "Decisions": "decisions",
    "Step": "steps",
    "ascripted": "script",
    "assert_allowed": "claims",
    "assert_blocked": "claims",
    "assert_flagged": "claims",
    "assert_proved": "proof",
    "assistant": "steps",
    "call": "steps",
    "capture_decisions": "capture",
    "no_shield": "unguarded",
    "recorded": "runfile",
    "result": "steps",
    "scripted": "script",
    "system": "steps",
    "user": "steps",
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
    if name not in _FILE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_FILE[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
