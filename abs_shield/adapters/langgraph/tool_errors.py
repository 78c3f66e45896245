"""Let exceptions of a tool pass a `ToolNode` as they would without a wrapper around the call."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType
from typing import Any

from langgraph.prebuilt import ToolNode

_FLAG = "_handle_tool_errors"
_WRAPPERS = ("_wrap_tool_call", "_awrap_tool_call")
_SUBCLASSES: dict[type[Any], type[Any]] = {}
_PASSING: ContextVar[int] = ContextVar("abs_shield_passing", default=0)
"""Id of the exception that is passing; a reference to it would keep its frames alive."""


@contextmanager
def let_errors_pass(handler: Any, wrapper: Any) -> Iterator[None]:
    """
    Let an exception of *handler* pass the node that called *wrapper*.

    A node catches every exception of a wrapper, whatever `handle_tool_errors` says, but of its own
    execution only those that the setting names. This makes both behave alike.

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
                node.__class__ = _with_switchable_setting(type(node))
            _PASSING.set(id(error))
        raise


def missing_parts() -> Iterator[str]:
    """Yield each missing part of a `ToolNode` without which its errors would not pass."""
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


def _with_switchable_setting(kind: type[Any]) -> type[Any]:
    """Return a subclass whose error setting is off while an exception passes."""

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
