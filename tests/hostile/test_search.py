"""A deterministic search finds no input for which a public function takes quadratic steps."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.hostile.entrances import ENTRANCES, Action
from tests.hostile.grammar import Input
from tests.hostile.searching import MOST_GROWTH, search

MOST = 60
_SHARE = 16
"""Of the examples of a profile so many give one of a search, which takes some .4 seconds."""


def test_the_search_finds_a_quadratic_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst input that it finds has hyphens, for which this function takes quadratic steps."""

    def square(one: Input, size: int) -> Action:
        text = one.text(size)
        hyphens = [n for n, each in enumerate(text) if each == "-"]
        return lambda: sum(1 for n in hyphens for _ in range(n // 400))

    monkeypatch.setitem(ENTRANCES, "square", square)
    worst = search("square", examples=60)[0]

    assert "-" in "".join(worst.input.pieces)
    assert worst.growth > MOST_GROWTH


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_no_public_function_takes_quadratic_steps(entrance: str) -> None:
    """If this fails, add the input in the message to the table of growing inputs."""
    examples = max(1, min(MOST, settings().max_examples // _SHARE))
    worst = search(entrance, examples=examples)[0]

    assert worst.growth <= MOST_GROWTH, worst
