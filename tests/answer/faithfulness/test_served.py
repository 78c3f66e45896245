"""The faithfulness guardrail with a model behind an HTTP server in another process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from fractions import Fraction

import pytest

pytest.importorskip("openai", reason="needs `pip install abs-shield[judge]`")

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


def test_a_served_model_judges_each_statement(url):
    """Statements and verdicts come from the server; `check` and `acheck` return the same."""
    report = guard(url, "reads")
    result = report.check(RESPONSE)

    assert (Fraction(2, 3), True) == (result.score, result.denied)
    assert result == asyncio.run(guard(url, "reads").acheck(RESPONSE))


def test_prose_around_the_json_is_ignored(url):
    """A reply with prose and code fences around the JSON is parsed."""
    result = guard(url, "reads-aloud").check(RESPONSE)

    assert (Fraction(2, 3), "") == (result.score, result.undetermined)


@pytest.mark.parametrize("model", ["busy", "broken", "prose", "half", "empty", "refusing", "page"])
def test_a_failure_of_the_server_is_undetermined(url, model):
    """A failed reply is an undetermined result, which is denied."""
    result = guard(url, model).check(RESPONSE)

    assert result.undetermined
    assert result.denied
    assert result == asyncio.run(guard(url, model).acheck(RESPONSE))
