"""
Checks of the undocumented parts of the framework that the adapter reads, made when first used.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from langchain.agents.middleware import SummarizationMiddleware, summarization
from langgraph.runtime import Runtime

from abs_shield.adapters.langgraph.tool_errors import missing_parts
from abs_shield.errors import ShieldError

NAMESPACE = "langgraph_checkpoint_ns"
"""The key of a step's metadata that names its namespace in the graph."""
_SUPPORTED = "langchain >=1.4.6,<2 with its langgraph; report this version, or install one of these"


@cache
def check_framework() -> None:
    """
    Raise if the framework lacks a part of its steps and messages that is read here.

    Raises:
        ShieldError: A part is missing, so runs or summaries could not be distinguished.
    """
    field_names = {field.name for field in fields(Runtime)}
    for name in ("control", "execution_info"):
        if name not in field_names:
            raise unsupported_error(
                f"langgraph's `Runtime` has no `{name}`", "one run from another"
            )
    for part in missing_parts():
        raise unsupported_error(
            f"langgraph has no {part}", "handled errors of a tool from unhandled ones"
        )
    if not _marks_summaries():
        raise unsupported_error(
            "`SummarizationMiddleware` no longer marks its message with `lc_source`",
            "a summary from the user's own words",
        )


def check_step(config: Mapping[str, Any]) -> None:
    """
    Raise if a step inside a graph does not name its namespace.

    Raises:
        ShieldError: It does not, so the agents of one run could not be distinguished.
    """
    inside = "checkpoint_ns" in config.get("configurable", {})
    if inside and NAMESPACE not in config.get("metadata", {}):
        raise unsupported_error(
            f"a step's metadata has no `{NAMESPACE}`", "an agent from one inside its tool"
        )


def unsupported_error(missing: str, distinction: str) -> ShieldError:
    """Return the error that names a missing part."""
    return ShieldError(
        f"{missing}: the adapter cannot distinguish {distinction}; it was written for {_SUPPORTED}"
    )


def _marks_summaries() -> bool:
    # called first, because the source may not be installed; read second, because the signature may
    # change
    build = getattr(SummarizationMiddleware, "_build_new_messages", None)
    if build is not None:
        try:
            (message,) = build("a summary")
            return bool(message.additional_kwargs.get("lc_source") == "summarization")
        except (TypeError, ValueError):  # its signature or result has changed
            pass
    try:
        return "lc_source" in inspect.getsource(summarization)
    except OSError:  # installed without its source
        return True
