"""The undocumented parts of the framework that the adapter reads, checked when first used."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from langchain.agents.middleware import SummarizationMiddleware, summarization
from langgraph.runtime import Runtime

from abs_shield.adapters.langgraph.passing import missing_parts
from abs_shield.errors import ShieldError

SPACE = "langgraph_checkpoint_ns"
"""The member of a step's metadata that names its place in the graph."""
_TAKES = "langchain >=1.4.6,<2 with its langgraph; report this version, or install one of these"


@cache
def check_framework() -> None:
    """
    Check that the framework still has the parts of its steps and messages that are read here.

    Raises:
        ShieldError: One is gone, so that runs or summaries could not be told apart.
    """
    known = {field.name for field in fields(Runtime)}
    for name in ("control", "execution_info"):
        if name not in known:
            raise lacking(f"langgraph's `Runtime` has no `{name}`", "one run from another")
    for part in missing_parts():
        raise lacking(f"langgraph has no {part}", "which errors of a tool a node lets pass")
    if not _marks_summaries():
        raise lacking(
            "`SummarizationMiddleware` no longer marks its message with `lc_source`",
            "a summary from the user's own words",
        )


def check_step(config: Mapping[str, Any]) -> None:
    """
    Check that a step that runs in a graph says where it stands.

    Raises:
        ShieldError: It does not, so that agents of one run could not be told apart.
    """
    inside = "checkpoint_ns" in config.get("configurable", {})
    if inside and SPACE not in config.get("metadata", {}):
        raise lacking(f"a step's metadata has no `{SPACE}`", "an agent from one inside its tool")


def lacking(what: str, tells: str) -> ShieldError:
    """Return the error that names what is gone."""
    return ShieldError(f"{what}: the adapter cannot tell {tells}; it was written for {_TAKES}")


def _marks_summaries() -> bool:
    build = getattr(SummarizationMiddleware, "_build_new_messages", None)
    if build is not None:
        try:
            (message,) = build("a summary")
            return bool(message.additional_kwargs.get("lc_source") == "summarization")
        except (TypeError, ValueError):  # it takes, or gives, something else by now
            pass
    try:
        return "lc_source" in inspect.getsource(summarization)
    except OSError:  # installed without its source
        return True
