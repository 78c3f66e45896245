"""What a tool raises passes a `ToolNode` as it does where no wrapper stands around the call."""

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
_KINDS: dict[type[Any], type[Any]] = {}
_PASSING: ContextVar[int] = ContextVar("abs_shield_passing", default=0)
"""Identity of the exception that passes now; the exception itself would keep its frames alive."""


@contextmanager
def passing(handler: Any, wrapper: Any) -> Iterator[None]:
    """
    Let an exception of *handler* pass the node that called *wrapper*.

    A node catches whatever comes out of a wrapper, with any setting of `handle_tool_errors`, but
    of its own execution only what the setting names. Here the wrapper adds nothing to catch.

    Args:
        handler: What the node gave the wrapper to run the call.
        wrapper: The Shield's method; a node behind a wrapper of the host's stays as it is.
    """
    _PASSING.set(0)
    try:
        yield
    except Exception as error:
        node = _node(handler)
        if node is not None and wrapper in [getattr(node, name) for name in _WRAPPERS]:
            if not isinstance(vars(type(node)).get(_FLAG), property):
                node.__class__ = _kind(type(node))
            _PASSING.set(id(error))
        raise


def missing_parts() -> Iterator[str]:
    """Name each part of a `ToolNode` that is gone, so that its errors would no longer pass it."""
    parts = vars(ToolNode([]))
    yield from (f"`ToolNode.{name}`" for name in (_FLAG, *_WRAPPERS) if name not in parts)
    for name in ("_run_one", "_arun_one"):
        constants = getattr(getattr(ToolNode, name, None), "__code__", None)
        inner = (each for each in getattr(constants, "co_consts", ()) if isinstance(each, CodeType))
        if not any("self" in each.co_freevars for each in inner):
            yield f"the node in what `ToolNode.{name}` gives a wrapper"


def _node(handler: Any) -> ToolNode | None:
    """Return the node whose function *handler* is."""
    cells = getattr(handler, "__closure__", None) or ()
    for name, cell in zip(getattr(handler, "__code__", handler).co_freevars, cells, strict=False):
        if name == "self" and isinstance(cell.cell_contents, ToolNode):
            return cell.cell_contents if _FLAG in vars(cell.cell_contents) else None
    return None


def _kind(kind: type[Any]) -> type[Any]:
    """Return *kind* with a setting that is off while an exception passes."""

    def read(node: Any) -> Any:
        error = sys.exception()
        if error is not None and id(error) == _PASSING.get():
            return False
        return vars(node)[_FLAG]

    def write(node: Any, value: Any) -> None:
        vars(node)[_FLAG] = value

    if kind not in _KINDS:
        members = {_FLAG: property(read, write), "__doc__": kind.__doc__}
        _KINDS[kind] = type(kind.__name__, (kind,), members)
    return _KINDS[kind]
