"""A model that says how probable claims are, given a premise; trained for that, not prompted."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple, Protocol


class Odds(NamedTuple):
    """
    What a verifier says of one claim.

    Attributes:
        entailed: P(the premise supports the claim), in [0, 1].
        contradicted: P(the premise contradicts it), in [0, 1]; 0 where the model cannot say.
    """

    entailed: float
    contradicted: float = 0.0


class Verifier(Protocol):
    """Any callable: a premise and claims in, one probability (or `Odds`) for each claim out."""

    def __call__(self, premise: str, claims: Sequence[str], /) -> Sequence[float | Odds]:
        """Give P(the premise supports it) of each claim, in order."""


def read(given: object, *, wanted: int) -> list[Odds]:
    """
    Give a verifier's reply as odds.

    Raises:
        ValueError: It is not one probability for each claim.
    """
    items = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else None
    if items is None or len(items) != wanted:
        raise ValueError(f"expected {wanted} probabilities")
    return [_odds(item) for item in items]


def _odds(item: object) -> Odds:
    odds = Odds(*item) if isinstance(item, tuple) and len(item) == 2 else Odds(item)  # type: ignore[arg-type]
    for part in odds:
        if isinstance(part, bool) or not isinstance(part, int | float):
            raise ValueError(f"{type(part).__name__} is no probability")
        if not (isfinite(part) and 0 <= part <= 1):
            raise ValueError(f"{part} is no probability")
    return odds
