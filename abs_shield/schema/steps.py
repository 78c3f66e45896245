"""How much work one judgement may take: counted, so that no schema can hold a call up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import local
from time import perf_counter

MAX_STEPS = 100_000
"""How often one judgement looks at a value with a schema, or at a text with a pattern."""

MAX_SECONDS = 1.0
"""How long the patterns of one judgement may search in all."""


MAX_NAMES = 2_000
"""How many names one judgement compares with misspelt ones, for its hints."""


class Undecided(Exception):
    """A value could not be judged within bounds: our failure to check, and no verdict."""


class _Work(local):
    """What the judgement of this thread has left, and whether only a yes or a no is wanted."""

    left = MAX_STEPS
    seconds = MAX_SECONDS
    names = MAX_NAMES
    asking = False


_WORK = _Work()


def begin(*, asking: bool) -> None:
    """A judgement begins; one that is only *asking* needs no reasons."""
    _WORK.left, _WORK.seconds, _WORK.asking = MAX_STEPS, MAX_SECONDS, asking
    _WORK.names = MAX_NAMES


def spend(steps: int = 1) -> None:
    """Count some work; raise Undecided where there is too much of it."""
    _WORK.left -= steps
    if _WORK.left < 0:
        raise Undecided(f"this schema takes more than {MAX_STEPS:,} steps on these arguments")


def may_compare(names: int) -> bool:
    """Whether so many names may still be compared for a hint; they are counted."""
    _WORK.names -= names
    return _WORK.names >= 0


def timed(search: Callable[[float], bool], *, most: float) -> bool:
    """
    Give what *search* gives, which is told how many seconds it has: *most*, or what is left.

    Raises:
        TimeoutError: It took longer, or there is no time left.
    """
    if _WORK.seconds <= 0:
        raise TimeoutError
    started = perf_counter()
    try:
        return search(min(most, _WORK.seconds))
    finally:
        _WORK.seconds -= perf_counter() - started


def only_asking() -> bool:
    """Whether the judgement wants no reasons."""
    return _WORK.asking


@contextmanager
def asking() -> Iterator[None]:
    """Want no reasons inside the block."""
    before, _WORK.asking = _WORK.asking, True
    try:
        yield
    finally:
        _WORK.asking = before
