"""The search for inputs of the grammar for which a public function takes the most steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings, target
from hypothesis import strategies as st

from tests.hostile.entrances import ENTRANCES
from tests.hostile.grammar import PIECES, SCHEMAS, SHAPES, WIDTHS, Input
from tests.hostile.steps import TracingLost, calls, steps

SMALL = 2_000
MOST_GROWTH = 2.2
"""How many times the steps of one size those of twice the size may be."""
_NOISE = 1_000
"""Steps that do not count: what is compiled or imported once."""


@dataclass(frozen=True)
class Worst:
    """
    The worst input of one search.

    Attributes:
        input: The input.
        growth: The ratio of the steps at twice a size to those at the size: the least of four
            doublings, so that a bound that is exceeded only once does not count.
        per_byte: The number of steps per character at the largest measured size.
    """

    input: Input
    growth: float
    per_byte: float


def inputs() -> st.SearchStrategy[Input]:
    """Return the strategy of all inputs of the grammar."""
    pieces = st.sampled_from(PIECES) | st.text(max_size=4).filter(bool)
    return st.builds(
        Input,
        pieces=st.lists(pieces, min_size=1, max_size=4).map(tuple),
        head=st.just("") | pieces,
        tail=st.just("") | pieces,
        numbered=st.booleans(),
        shape=st.sampled_from(SHAPES),
        width=st.sampled_from(WIDTHS),
        schema=st.sampled_from(SCHEMAS),
    )


def measure(entrance: str, one: Input, *, least: float = MOST_GROWTH) -> Worst:
    """
    Count the steps at doubling sizes, as long as they grow more than *least*.

    If the input recurses to Python's limit, function calls are counted instead of lines.
    """
    try:
        return _measured(entrance, one, least, steps)
    except TracingLost:
        return _measured(entrance, one, least, calls)


def _measured(
    entrance: str, one: Input, least: float, count: Callable[[Callable[[], Any]], int]
) -> Worst:
    make, size = ENTRANCES[entrance], SMALL
    once, growth = count(make(one, size)), float("inf")
    for _ in range(4):
        size *= 2
        twice = count(make(one, size))
        growth = min(growth, twice / (once + _NOISE))
        once = twice
        if growth <= least:
            break
    return Worst(one, growth, once / size)


def search(entrance: str, *, examples: int) -> list[Worst]:
    """
    Search for inputs for which the steps of a public function grow fastest or are most numerous.

    The search is the same in every run: hypothesis, derandomised, maximises both figures.

    Returns:
        All measured inputs, sorted by growth, the worst first.
    """
    results: list[Worst] = []

    @settings(
        max_examples=examples, derandomize=True, database=None, deadline=None,
        phases=[Phase.generate, Phase.target], suppress_health_check=[*HealthCheck],
    )  # fmt: skip
    @given(inputs())
    def climb(one: Input) -> None:
        worst = measure(entrance, one)
        results.append(worst)
        target(worst.growth, label="growth")
        target(worst.per_byte, label="steps per byte")

    measure(entrance, Input(pieces=("word ",)))  # what is imported and compiled once
    climb()
    return sorted(results, key=lambda worst: worst.growth, reverse=True)
