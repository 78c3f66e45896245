"""The faithfulness guardrail with a model behind HTTP: the whole way, in another process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from fractions import Fraction

import pytest

pytest.importorskip("openai", reason="the extra `judge` is not installed")

from abs_shield.answer.faithfulness import Faithfulness
from abs_shield.model.openai_judge import OpenAIJudge
from tests.model.served import serving

CONTEXT = "The Eiffel Tower is located in Paris, France. It was built in 1889."
RESPONSE = "The Eiffel Tower is in Paris. It was built in 1889. It is 330 meters tall."


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as server:
        yield server


def guard(url: str, model: str) -> Faithfulness:
    judge = OpenAIJudge(model, base_url=url, api_key="k", retries=0)
    return Faithfulness(ref="provider_x", providers={"provider_x": judge}, context=CONTEXT)


def test_a_served_model_gives_the_table(url):
    """Statements and verdicts come over the wire; sync and async agree."""
    report = guard(url, "reads")
    result = report.check(RESPONSE)

    assert (Fraction(2, 3), True) == (result.score, result.denied)
    assert result == asyncio.run(guard(url, "reads").acheck(RESPONSE))


def test_a_served_model_that_talks_is_read(url):
    """Prose and fences around the JSON are no reason to deny."""
    result = guard(url, "reads-aloud").check(RESPONSE)

    assert (Fraction(2, 3), "") == (result.score, result.undetermined)


@pytest.mark.parametrize("model", ["busy", "broken", "prose", "half", "empty", "refusing", "page"])
def test_a_served_model_that_fails_denies(url, model):
    """Each failure of a server is undetermined, and blocks in strict mode."""
    result = guard(url, model).check(RESPONSE)

    assert result.undetermined
    assert result.denied
    assert result == asyncio.run(guard(url, model).acheck(RESPONSE))
