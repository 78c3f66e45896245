"""Wrappers that `inspect` reports as the same kind of function as the wrapped one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any


def with_kind_of(tool: Any, wrapper: Any) -> Any:
    """
    Return a wrapper that `inspect` reports as a generator function if *tool* is one.

    It runs as an ordinary function: the call is judged when it is made, not at the first item.

    >>> def numbers():
    ...     yield 1
    >>> inspect.isgeneratorfunction(with_kind_of(numbers, lambda: numbers()))
    True
    """
    if inspect.isgeneratorfunction(tool):
        flag = inspect.CO_GENERATOR
    elif inspect.isasyncgenfunction(tool):
        flag = inspect.CO_ASYNC_GENERATOR
    else:
        return wrapper
    return _flagged(wrapper, flag) if _runs_flagged(flag) else wrapper


def _flagged(function: Callable[..., Any], flag: int) -> Callable[..., Any]:
    # Another function, as Python warns where the code of one is replaced by another kind.
    code = function.__code__.replace(co_flags=function.__code__.co_flags | flag)
    return FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )


@cache
def _runs_flagged(flag: int) -> bool:
    """Return whether a function with that flag runs as before: since CPython 3.11."""
    return bool(_flagged(lambda: True, flag)() is True)
