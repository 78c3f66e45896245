"""How much work one judgement may take: counted, so that no schema can hold a call up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import local
from time import perf_counter
from typing import Any

MAX_STEPS = 100_000
"""How often one judgement looks at a value with a schema, or at a text with a pattern."""

MAX_SECONDS = 1.0
"""How long the patterns of one judgement may search in all."""


MAX_NAMES = 2_000
"""How many names one judgement compares with misspelt ones, for its hints."""


MAX_BRANCHES = 5_000
"""How many branches one judgement asks why they do not fit."""


class Undecided(Exception):
    """A value could not be judged within bounds: our failure to check, and no verdict."""


@dataclass(slots=True)
class Memo:
    """
    Results of one judgement that would otherwise be computed again and again.

    Every key is made of ids of parts of the schema and of the value, which outlive the judgement.

    Attributes:
        fits: Whether a value fits the target of a reference.
        targets: The targets of references, by the schema that refers to them.
        evaluated: The members, or items, of a value that a schema looks at.
        unique: Whether the items of a list all differ.
    """

    fits: dict[tuple[int, int], bool] = field(default_factory=dict)
    targets: dict[int, Any] = field(default_factory=dict)
    evaluated: dict[tuple[int, int], Any] = field(default_factory=dict)
    unique: dict[int, bool] = field(default_factory=dict)


class _Work(local):
    """What the judgement of this thread has left, and whether only a yes or a no is wanted."""

    left = MAX_STEPS
    seconds = MAX_SECONDS
    names = MAX_NAMES
    branches = MAX_BRANCHES
    verdict_only = False
    memo: Memo | None = None


_WORK = _Work()


def begin_judgement(*, verdict_only: bool) -> None:
    """A judgement begins; one that is only *asking* needs no reasons."""
    _WORK.left, _WORK.seconds, _WORK.verdict_only = MAX_STEPS, MAX_SECONDS, verdict_only
    _WORK.names, _WORK.branches = MAX_NAMES, MAX_BRANCHES


def spend(steps: int = 1) -> None:
    """Count some work; raise Undecided where there is too much of it."""
    _WORK.left -= steps
    if _WORK.left < 0:
        raise Undecided(f"this schema takes more than {MAX_STEPS:,} steps on these arguments")


@contextmanager
def memo_for_judgement() -> Iterator[None]:
    """Keep a memo for the judgement inside the block, and for nothing after it."""
    _WORK.memo = Memo()
    try:
        yield
    finally:
        _WORK.memo = None


def memo() -> Memo | None:
    """Return the memo of this judgement; None where nothing may be remembered."""
    return _WORK.memo


def may_compare(names: int) -> bool:
    """Whether so many names may still be compared for a hint; they are counted."""
    _WORK.names -= names
    return _WORK.names >= 0


def may_explain(branches: int) -> bool:
    """Whether so many branches may still be asked why they do not fit; they are counted."""
    _WORK.branches -= branches
    return not _WORK.verdict_only and _WORK.branches >= 0


def run_timed(search: Callable[[float], bool], *, most: float) -> bool:
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


def wants_verdict_only() -> bool:
    """Whether the judgement wants no reasons."""
    return _WORK.verdict_only


class verdict_only:
    """Want no reasons inside the block."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before, _WORK.verdict_only = _WORK.verdict_only, True

    def __exit__(self, *_: object) -> None:
        _WORK.verdict_only = self._before
