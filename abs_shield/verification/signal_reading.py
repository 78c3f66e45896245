"""The reading of one signal on one result."""

from __future__ import annotations

from typing import NamedTuple


class SignalReading(NamedTuple):
    """
    One signal's reading; silence (score 0) is evidence as well.

    Attributes:
        score: Strength of evidence against the result, in [0, 1]; 0 is silence.
        detail: One line; names fields and sizes, never a value.
        where: JSON pointer of the worst field; empty for the whole result.
        likelihood_ratio: The ratio of this reading; None for the signal's own.
    """

    score: float = 0.0
    detail: str = ""
    where: str = ""
    likelihood_ratio: float | None = None


SILENT = SignalReading()
