"""Stepping of a generator: its next value, or its end with the returned value."""

from __future__ import annotations

from collections.abc import Generator
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
Y = TypeVar("Y")
S = TypeVar("S")


class Done(NamedTuple, Generic[T]):
    """The end of a generator, with its returned value."""

    value: T


def advance(steps: Generator[Y, S | None, T], sent: S | None = None) -> Y | Done[T]:
    """Send a value to a generator (None to start it); return its next value or `Done`."""
    try:
        return steps.send(sent)
    except StopIteration as end:
        return Done(end.value)
