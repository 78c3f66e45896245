"""The names of tools that a rule passes to ``session.did``."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType
from typing import Any

_LOADS = frozenset({"LOAD_METHOD", "LOAD_ATTR"})  # the name differs between versions of Python


def did_names(function: Any) -> list[str]:
    """
    Return the names that the code of *function* passes to ``did`` as literal texts.

    >>> did_names(lambda order_id, session: session.did("find_order", order_id=order_id))
    ['find_order']
    """
    code = getattr(inspect.unwrap(function), "__code__", None)
    return [*dict.fromkeys(_names_in(code))] if isinstance(code, CodeType) else []


def _names_in(code: CodeType) -> Iterator[str]:
    for one, after in pairwise(dis.get_instructions(code)):
        is_did = one.opname in _LOADS and one.argval == "did"
        # A variable is loaded by its name, which is a text as well.
        if is_did and after.opname == "LOAD_CONST" and isinstance(after.argval, str):
            yield after.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
