"""The work budget of one judgement, so that no schema can delay a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import local
from time import perf_counter
from typing import Any

MAX_STEPS = 100_000
"""
Maximum visits of values by schemas, and searches of texts by patterns, in one judgement.

They take about a second; the arguments of a usual call need some hundred.
"""

MAX_SECONDS = 1.0
"""Maximum total seconds of pattern searches in one judgement, which may search many texts."""


MAX_NAMES = 2_000
"""
Maximum number of names that one judgement compares with misspelt ones, for its hints; a comparison
takes quadratic time.
"""


MAX_BRANCHES = 5_000
"""Maximum number of branches that one judgement explains; nested ones multiply."""


class Undecided(Exception):
    """Raised if a value cannot be judged within the budget: an error, not a verdict."""


@dataclass(slots=True)
class Memo:
    """
    Cached results of one judgement.

    Keys are ids of parts of the schema and of the value, which outlive the judgement.

    Attributes:
        fits: Whether a value fits the target of a reference.
        targets: The targets of references, by the schema that refers to them.
        evaluated: The members, or items, of a value that a schema evaluates.
        unique: Whether the items of a list all differ.
        branches: Whether a value without parts fits a branch, by the branch, its type and itself.
    """

    fits: dict[tuple[int, int], bool] = field(default_factory=dict)
    targets: dict[int, Any] = field(default_factory=dict)
    evaluated: dict[tuple[int, int], Any] = field(default_factory=dict)
    unique: dict[int, bool] = field(default_factory=dict)
    branches: dict[tuple[int, type, Any], bool] = field(default_factory=dict)


class _Work(local):
    """The remaining budget of this thread's judgement, and whether it needs reasons."""

    left = MAX_STEPS
    seconds = MAX_SECONDS
    names = MAX_NAMES
    branches = MAX_BRANCHES
    verdict_only = False
    memo: Memo | None = None


_WORK = _Work()


def begin_judgement(*, verdict_only: bool) -> None:
    """Start a judgement; one with *verdict_only* needs no reasons."""
    _WORK.left, _WORK.seconds, _WORK.verdict_only = MAX_STEPS, MAX_SECONDS, verdict_only
    _WORK.names, _WORK.branches = MAX_NAMES, MAX_BRANCHES


def spend(steps: int = 1) -> None:
    """Count steps; raise Undecided beyond the budget."""
    _WORK.left -= steps
    if _WORK.left < 0:
        raise Undecided(f"this schema takes more than {MAX_STEPS:,} steps on these arguments")


@contextmanager
def memo_for_judgement() -> Iterator[None]:
    """Provide a memo for the judgement inside the block."""
    _WORK.memo = Memo()
    try:
        yield
    finally:
        _WORK.memo = None


def memo() -> Memo | None:
    """Return the memo of this judgement; None if caching is unsafe."""
    return _WORK.memo


def may_compare(names: int) -> bool:
    """Count names to compare for a hint, and return whether the budget allows it."""
    _WORK.names -= names
    return _WORK.names >= 0


def may_explain(branches: int) -> bool:
    """Count branches to explain, and return whether the budget allows it."""
    _WORK.branches -= branches
    return not _WORK.verdict_only and _WORK.branches >= 0


def run_timed(search: Callable[[float], bool], *, most: float) -> bool:
    """
    Return the result of *search*, called with its time limit: *most* seconds, or what is left.

    Raises:
        TimeoutError: The search took longer, or no time was left.
    """
    if _WORK.seconds <= 0:
        raise TimeoutError
    started = perf_counter()
    try:
        return search(min(most, _WORK.seconds))
    finally:
        _WORK.seconds -= perf_counter() - started


def wants_verdict_only() -> bool:
    """Return whether the judgement needs no reasons."""
    return _WORK.verdict_only


class verdict_only:
    """Collect no reasons inside the block."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before, _WORK.verdict_only = _WORK.verdict_only, True

    def __exit__(self, *_: object) -> None:
        _WORK.verdict_only = self._before
