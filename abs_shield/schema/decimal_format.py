"""The text form of a bounded Decimal, as a format: ``decimal, > 0, <= 500``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

PREFIX = "decimal, "

_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
_HOLDS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?")
_LONGEST = 4096  # characters; the time of a comparison is proportional to the digits


def decimal_format(bounds: Mapping[str, Any]) -> str:
    """
    Return the format of a decimal text within pydantic's *bounds*; empty without bounds.

    >>> decimal_format({"gt": 0, "le": 500})
    'decimal, > 0, <= 500'
    """
    limits = [
        f"{sign} {bounds[key]}" for key, sign in _SIGNS.items() if bounds.get(key) is not None
    ]
    return PREFIX + ", ".join(limits) if limits else ""


def decimal_checker(name: str) -> Callable[[str], bool] | None:
    """
    Return the checker of a decimal format; None for another format.

    >>> [decimal_checker("decimal, > 0, <= 500")(text) for text in ("20.50", "600", "1e2", "ten")]
    [True, False, True, False]
    """
    try:
        bounds = [_parse_bound(part) for part in name.removeprefix(PREFIX).split(", ")]
    except (ArithmeticError, KeyError, ValueError):
        return None

    def check(text: str) -> bool:
        if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
            return False
        number = Decimal(text)
        return all(holds(number, limit) for holds, limit in bounds)

    return check


def _parse_bound(part: str) -> tuple[Callable[[Any, Any], bool], Decimal]:
    sign, limit = part.split(" ")
    return _HOLDS[sign], Decimal(limit)
