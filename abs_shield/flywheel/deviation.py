"""The deviation of a claimed value from the right one."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite

from abs_shield.text.values.figure import SUMS
from abs_shield.text.values.figure_reader import figures


# the same claims come back in each curation
@lru_cache(maxsize=4096)
def deviation_of(claim: str, right: str) -> float | None:
    """
    Return the difference of two values as a share of the right one.

    None if one of the texts is not a single value, or if their kinds or units differ.

    >>> deviation_of("$3.2T", "$3.2 trillion"), deviation_of("110 EUR", "100.00 EUR")
    (0.0, 0.1)
    >>> deviation_of("$3.2T", "3.1T EUR"), deviation_of("W12", "W13"), deviation_of("5", "0")
    (None, None, None)
    """
    read = [figures(text) for text in (claim, right)]
    # of several values, it is unknown which ones belong together
    if any(len(values) != 1 for values in read):
        return None
    (one,), (other,) = read
    if one.kind not in SUMS or (one.kind, one.unit) != (other.kind, other.unit):
        return None
    if not other.numbers[0]:  # no share of zero
        return None
    share = float(abs(one.numbers[0] - other.numbers[0]) / abs(other.numbers[0]))
    return share if isfinite(share) else None  # a number of a thousand digits is no float
