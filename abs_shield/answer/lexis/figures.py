"""Numbers as the words of a text write them, and how exactly they are written."""

from __future__ import annotations

import re
from typing import NamedTuple


class Figure(NamedTuple):
    """
    A number that a text writes.

    Attributes:
        value: The number; 1.2 million is 1,200,000.
        within: Half of its last digit: what rounding it may hide.
    """

    value: float
    within: float


_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_POINTED = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+")
_COMMA = re.compile(r"\d+,\d{1,2}")
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_LONGEST = 15
SCALES = {
    "hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "mn": 1e6,
    "billion": 1e9, "bn": 1e9, "b": 1e9, "trillion": 1e12,
}  # fmt: skip
COUNTS = {
    word: n
    for n, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve".split(), start=2
    )
}
"""Small numbers in words: often a fair count that no source writes."""
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
WRITTEN: dict[str, float] = {word: n for n, word in enumerate(_TEENS, start=13)}
WRITTEN |= {word: 10.0 * n for n, word in enumerate(_TENS, start=2)}
WRITTEN |= {
    f"{ten}-{one}": WRITTEN[ten] + n
    for ten in _TENS
    for one, n in {"one": 1, **{w: n for w, n in COUNTS.items() if n < 10}}.items()
}
NAMES_OF_MONTHS = (
    "january february march april may june july august september october november december"
).split()
MONTHS = {name: name for name in NAMES_OF_MONTHS}
MONTHS |= {name[:3]: name for name in NAMES_OF_MONTHS} | {"sept": "september"}
"""A month's name for each way to write it with a capital."""


def figure(digits: str, scale: str = "") -> Figure | None:
    """
    Give the number that *digits* write, times its scale; None of versions, addresses and codes.

    >>> figure("1,200"), figure("1.2", "million"), figure("4.1.2.3")
    (Figure(value=1200.0, within=0.5), Figure(value=1200000.0, within=50000.0), None)
    """
    if len(digits) > _LONGEST:
        return None
    if _GROUPED.fullmatch(digits):
        plain = digits.replace(",", "")
    elif _POINTED.fullmatch(digits):
        plain = digits.replace(".", "").replace(",", ".")
    elif _COMMA.fullmatch(digits):
        plain = digits.replace(",", ".")
    elif _PLAIN.fullmatch(digits):
        plain = digits
    else:
        return None
    times = SCALES.get(scale, 1.0)
    shown = len(plain.partition(".")[2])
    return Figure(float(plain) * times, 0.5 * times / 10**shown)
