"""
Stops a hallucinating agent before it acts.

Decorate the agent's tools with `shielded`, declare a policy with ``shield.configure``, and read
the `Decision` that is made about every proposed call.

(PYTEST_DONT_REWRITE: pytest need not warn that this was imported before it.)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abs_shield import shield
    from abs_shield.core import Action, Decision, Finding, Mode, ToolCall, Verdict
    from abs_shield.errors import (
        CallBlocked,
        PolicyError,
        ResultBlocked,
        ShieldError,
        StoreError,
    )
    from abs_shield.policy import (
        AnswerConfig,
        Creates,
        Free,
        Injected,
        Policy,
        Soft,
        Suppression,
        Target,
        Tool,
        ToolProfile,
        Verification,
        inverse,
        load_policy,
        rule,
    )
    from abs_shield.session import Session
    from abs_shield.shield import Shield, shielded
    from abs_shield.version import __version__

_PACKAGES = {
    "Action": "core",
    "CallBlocked": "errors",
    "Creates": "policy",
    "Decision": "core",
    "Finding": "core",
    "Free": "policy",
    "Injected": "policy",
    "Mode": "core",
    "Policy": "policy",
    "PolicyError": "errors",
    "ResultBlocked": "errors",
    "Session": "session",
    "Shield": "shield",
    "ShieldError": "errors",
    "Soft": "policy",
    "StoreError": "errors",
    "Suppression": "policy",
    "Target": "policy",
    "Tool": "policy",
    "ToolCall": "core",
    "AnswerConfig": "policy",
    "ToolProfile": "policy",
    "Verdict": "core",
    "Verification": "policy",
    "__version__": "version",
    "inverse": "policy",
    "load_policy": "policy",
    "rule": "policy",
    "shielded": "shield",
}

__all__ = [
    "Action",
    "AnswerConfig",
    "CallBlocked",
    "Creates",
    "Decision",
    "Finding",
    "Free",
    "Injected",
    "Mode",
    "Policy",
    "PolicyError",
    "ResultBlocked",
    "Session",
    "Shield",
    "ShieldError",
    "Soft",
    "StoreError",
    "Suppression",
    "Target",
    "Tool",
    "ToolCall",
    "ToolProfile",
    "Verdict",
    "Verification",
    "__version__",
    "inverse",
    "load_policy",
    "rule",
    "shield",
    "shielded",
]


def __getattr__(name: str) -> Any:
    if name == "shield":
        return import_module("abs_shield.shield")
    if name not in _PACKAGES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"abs_shield.{_PACKAGES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
