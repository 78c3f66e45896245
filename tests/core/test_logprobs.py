"""The mean log-probability of the tokens of a tool's name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.core.logprobs import mean_logprob, name_logprobs


def tokens(*pairs: tuple[str, float | None]) -> list[dict[str, Any]]:
    return [{"token": token, "logprob": logprob} for token, logprob in pairs]


@given(st.lists(st.floats(max_value=0, min_value=-100), min_size=1))
def test_numbers_are_averaged(numbers: list[float]) -> None:
    """A list of numbers is the name's own."""

    assert pytest.approx(sum(numbers) / len(numbers)) == mean_logprob("f", numbers)


@pytest.mark.parametrize(
    "logprobs", [None, [], [None], [None, None], {}, {"content": None}, tokens(("x", -1.0))]
)
def test_without_tokens_of_the_name_there_is_no_mean(logprobs: Any) -> None:
    """The mean is None if no token spells the name."""

    assert mean_logprob("refund", logprobs) is None


def test_null_entries_are_ignored() -> None:
    """A null among numbers does not count."""

    assert pytest.approx(-0.2) == mean_logprob("f", [None, -0.1, None, -0.3])


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (tokens(("{", -9.0), ("re", -0.2), ("fund", -0.4), ('"', -9.0)), -0.3),
        (tokens(('"refund"', -0.5), (" x", -9.0)), -0.5),
        (tokens(("refunds", -9.0), (" ", -9.0), ("refund", -0.5)), -0.5),
        (tokens(("pre_refund", -9.0), (" refund", -0.5)), -0.5),
        (tokens(("refund", None), (" x", -9.0)), None),
    ],
)
def test_the_names_tokens_are_found(entries: Any, expected: float | None) -> None:
    """Only tokens that spell the name as a whole word count."""

    assert pytest.approx(expected) == mean_logprob("refund", entries)


def test_openai_content_is_unwrapped() -> None:
    """OpenAI's object with `content` is read like its list."""

    assert pytest.approx(-0.5) == mean_logprob("f", {"content": tokens(("f", -0.5))})


def test_tokens_are_found_by_bytes() -> None:
    """A character that is split over two tokens is found by its bytes."""
    entries = [
        {"token": "\\xc3", "bytes": [0xC3], "logprob": -1.0},
        {"token": "\\xa9", "bytes": [0xA9], "logprob": -3.0},
    ]

    assert pytest.approx(-2.0) == mean_logprob("é", entries)


@pytest.mark.parametrize(
    "logprobs",
    [
        [0.1],
        [float("nan")],
        [-0.1, float("nan")],
        ["-1"],
        [True],
        [[1]],
        "abc",
        b"a",
        5,
        {"content": 5},
    ],
)
def test_an_invalid_log_probability_is_an_error(logprobs: Any) -> None:
    """A positive, NaN or non-numeric log-probability raises a ValueError."""
    with pytest.raises(ValueError, match="log-probabilit"):
        mean_logprob("f", logprobs)


def test_minus_infinity_is_very_unlikely() -> None:
    """A probability of zero stays a finite number."""

    assert mean_logprob("f", [float("-inf")]) == -1e3


@given(
    st.lists(st.tuples(st.text("refund{_ ", max_size=4), st.none() | st.floats(-50, 0)), max_size=9)
)
def test_the_names_numbers_say_the_same(pairs: list[tuple[str, float | None]]) -> None:
    """The stored log-probabilities have the mean of the tokens."""
    entries = tokens(*pairs)

    assert mean_logprob("refund", name_logprobs("refund", entries)) == mean_logprob(
        "refund", entries
    )
