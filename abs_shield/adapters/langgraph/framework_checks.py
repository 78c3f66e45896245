"""Checks of undocumented parts of the framework, and its handling of a tool's exceptions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from functools import cache
from types import CodeType
from typing import Any

from langchain.agents.middleware import SummarizationMiddleware, summarization
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from abs_shield.errors import ShieldError

_FLAG = "_handle_tool_errors"
_WRAPPERS = ("_wrap_tool_call", "_awrap_tool_call")
_SUBCLASSES: dict[type[Any], type[Any]] = {}
_PASSING: ContextVar[int] = ContextVar("abs_shield_passing", default=0)
"""Id of the exception that propagates; a reference to it would keep its frames alive."""


@contextmanager
def let_errors_pass(handler: Any, wrapper: Any) -> Iterator[None]:
    """
    Let an exception of *handler* propagate through the node that called *wrapper*.

    A node catches every exception of a wrapper, but of a tool only those that its setting
    `handle_tool_errors` names. Here, only exceptions that the setting does not name arrive.

    Args:
        handler: The function that the node passed to the wrapper to run the call.
        wrapper: The Shield's method; a node with a wrapper of the host is not changed.
    """
    _PASSING.set(0)  # an id of an earlier exception may have been reused
    try:
        yield
    except Exception as error:
        node = _calling_node(handler)
        if node is not None and wrapper in [getattr(node, name) for name in _WRAPPERS]:
            if not isinstance(vars(type(node)).get(_FLAG), property):
                node.__class__ = _switchable_class(type(node))
            _PASSING.set(id(error))
        raise


def missing_parts() -> Iterator[str]:
    """Yield each missing attribute of `ToolNode` that `let_errors_pass` needs."""
    parts = vars(ToolNode([]))
    yield from (f"`ToolNode.{name}`" for name in (_FLAG, *_WRAPPERS) if name not in parts)
    for name in ("_run_one", "_arun_one"):
        constants = getattr(getattr(ToolNode, name, None), "__code__", None)
        inner = (each for each in getattr(constants, "co_consts", ()) if isinstance(each, CodeType))
        if not any("self" in each.co_freevars for each in inner):
            yield f"the node in the closure that `ToolNode.{name}` passes to a wrapper"


def _calling_node(handler: Any) -> ToolNode | None:
    """Return the node in the closure of *handler*."""
    cells = getattr(handler, "__closure__", None) or ()
    for name, cell in zip(getattr(handler, "__code__", handler).co_freevars, cells, strict=False):
        if name == "self" and isinstance(cell.cell_contents, ToolNode):
            return cell.cell_contents if _FLAG in vars(cell.cell_contents) else None
    return None


def _switchable_class(kind: type[Any]) -> type[Any]:
    """Return a subclass whose error setting is off while an exception propagates."""

    def read(node: Any) -> Any:
        error = sys.exception()
        if error is not None and id(error) == _PASSING.get():
            return False
        return vars(node)[_FLAG]

    def write(node: Any, value: Any) -> None:
        vars(node)[_FLAG] = value

    # one subclass per class, because every class stays in memory
    if kind not in _SUBCLASSES:
        members = {_FLAG: property(read, write), "__doc__": kind.__doc__}
        _SUBCLASSES[kind] = type(kind.__name__, (kind,), members)
    return _SUBCLASSES[kind]


NAMESPACE = "langgraph_checkpoint_ns"
"""The metadata key of a step's namespace in the graph."""
_SUPPORTED = "langchain >=1.4.6,<2 with its langgraph; report this version, or install one of these"


@cache
def check_framework() -> None:
    """
    Raise if the framework does not have an attribute that the adapter reads.

    Raises:
        ShieldError: An attribute is missing, so runs or summaries could not be distinguished.
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
    Raise if a step inside a graph has no namespace.

    Raises:
        ShieldError: It has none, so the agents of one run could not be distinguished.
    """
    inside = "checkpoint_ns" in config.get("configurable", {})
    if inside and NAMESPACE not in config.get("metadata", {}):
        raise unsupported_error(
            f"a step's metadata has no `{NAMESPACE}`", "an agent from one inside its tool"
        )


def unsupported_error(missing: str, distinction: str) -> ShieldError:
    """Return the error for a missing attribute, without which *distinction* is impossible."""
    return ShieldError(
        f"{missing}: the adapter cannot distinguish {distinction}; it was written for {_SUPPORTED}"
    )


def _marks_summaries() -> bool:
    # the function is called, because the source may not be installed; if its signature has changed,
    # the source is read
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
