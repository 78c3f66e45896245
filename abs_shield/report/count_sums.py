"""Add the counts of dataclasses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any


def add_counts(total: Any, part: Any, *, times: int = 1, without: Collection[str] = ()) -> None:
    """
    Add the numbers, counters and dataclasses of one dataclass to another of the same kind.

    Args:
        total: The sum, which is changed.
        part: The summand; private fields and fields of other types are left out.
        times: The factor.
        without: Names of further fields that are left out.
    """
    kind: Any = type(part)
    for name in _public_fields(kind):
        value = getattr(part, name)
        if not value or name in without or isinstance(value, bool):
            continue
        if isinstance(value, Counter):
            counter = getattr(total, name)
            for key, count in value.items():  # not `Counter.update`, which would add once
                counter[key] += times * count
        elif isinstance(value, int):
            setattr(total, name, getattr(total, name) + times * value)
        elif is_dataclass(value):
            add_counts(getattr(total, name), value, times=times)


@lru_cache
def _public_fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if not field.name.startswith("_"))
