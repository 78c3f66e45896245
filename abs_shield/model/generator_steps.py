"""Moves a generator on: what it yields next, or that it is done and what it returned."""

from __future__ import annotations

from collections.abc import Generator
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
Y = TypeVar("Y")
S = TypeVar("S")


class Done(NamedTuple, Generic[T]):
    """The end of a generator, and what it returned."""

    value: T


def advance(steps: Generator[Y, S | None, T], sent: S | None = None) -> Y | Done[T]:
    """Send *steps* what it waits for; None begins it."""
    try:
        return steps.send(sent)
    except StopIteration as end:
        return Done(end.value)
