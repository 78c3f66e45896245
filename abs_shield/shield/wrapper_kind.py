"""Wrappers that `inspect` reports as the same kind of function as the wrapped function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any


def copy_function_kind(tool: Any, wrapper: Any) -> Any:
    """
    Return a wrapper that `inspect` reports as a generator function if *tool* is one.

    The wrapper runs as an ordinary function, so that the call is judged before the first item.

    >>> def numbers():
    ...     yield 1
    >>> inspect.isgeneratorfunction(copy_function_kind(numbers, lambda: numbers()))
    True
    """
    if inspect.isgeneratorfunction(tool):
        flag = inspect.CO_GENERATOR
    elif inspect.isasyncgenfunction(tool):
        flag = inspect.CO_ASYNC_GENERATOR
    else:
        return wrapper
    return _set_flag(wrapper, flag) if _supports_flag(flag) else wrapper


def _set_flag(function: Callable[..., Any], flag: int) -> Callable[..., Any]:
    # A new function, because Python warns if the code of an existing one changes its kind.
    code = function.__code__.replace(co_flags=function.__code__.co_flags | flag)
    return FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )


@cache
def _supports_flag(flag: int) -> bool:
    """Return whether a function with that flag still runs as before, as since CPython 3.11."""
    return bool(_set_flag(lambda: True, flag)() is True)
