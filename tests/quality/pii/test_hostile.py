"""Long texts of one kind take linear time."""

from __future__ import annotations

import time

import pytest

from abs_shield.quality.pii.scan import scan

KINDS = (
    "1", "1 ", "%", "(", "[", "@", "a@", "a@b.", "+1 ", "-", "A1", "12-", "ssn ", "ssn 219440178 ",
    "call 030 1234567 ", "4111 ", "**4111** ", "<b>4</b>", "\u200b4 ", "%40",
    "order 4539148803436467 ",
    "our ein 12-3456789 ", "DE89 3704 ", "a.", "https://a/", "電話", "Aa", "1A" * 3 + " ",
)  # fmt: skip
SIZE = 1_000_000
SECONDS = 60
"""Of one megabyte on a slow and busy machine; a quadratic time is hours."""


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_megabyte_is_read(kind: str):
    """Digits, signs, introducing words and identifiers are scanned within a time limit."""
    text = kind * (SIZE // len(kind))
    started = time.perf_counter()
    scan(text)

    assert time.perf_counter() - started < SECONDS


@pytest.mark.parametrize("kind", KINDS)
def test_time_grows_with_the_length(kind: str):
    """Eight times the text takes no more than some eight times as long."""
    short, long = (_least(kind * (size // len(kind))) for size in (1_000, 8_000))

    assert long < 30 * short + 0.05


def _least(text: str) -> float:
    times = []
    for _ in range(2):
        started = time.process_time()  # other processes take their share of a clock's time
        scan(text)
        times.append(time.process_time() - started)
    return min(times)
