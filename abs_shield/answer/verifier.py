"""Protocol of verifiers: models that compute the probability of a claim, given a premise."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple, Protocol


class Odds(NamedTuple):
    """
    A verifier's opinion of one claim.

    Attributes:
        entailed: P(the premise supports the claim), in [0, 1].
        contradicted: P(the premise contradicts it), in [0, 1]; 0 if the model cannot tell.
        unsupported: The stretches of the claim that the premise does not support, as pairs of
            offsets in the claim; empty if the model marks none.
    """

    entailed: float
    contradicted: float = 0.0
    unsupported: tuple[tuple[int, int], ...] = ()


class Verifier(Protocol):
    """
    Any callable that takes a premise and claims, and returns a probability (or `Odds`) for each.

    One with a true attribute ``uses_question`` also gets the user's question, as ``question=``.
    """

    def __call__(self, premise: str, claims: Sequence[str], /) -> Sequence[float | Odds]:
        """Return P(the premise supports the claim) for each claim, in order."""


def read_odds(reply: object, claims: Sequence[str]) -> list[Odds]:
    """
    Return a verifier's reply as odds.

    Raises:
        ValueError: It is not one probability for each claim.
    """
    items = list(reply) if isinstance(reply, Sequence) and not isinstance(reply, str) else []
    if len(items) != len(claims):
        raise ValueError(f"expected {len(claims)} probabilities")
    return [_read(item, claim) for item, claim in zip(items, claims, strict=True)]


def _read(item: object, claim: str) -> Odds:
    # a tuple may be `Odds` without their name
    odds = Odds(*item) if isinstance(item, tuple) and 0 < len(item) < 4 else Odds(item)  # type: ignore[arg-type]
    for part in odds[:2]:
        # `True` is an integer in Python
        if isinstance(part, bool) or not isinstance(part, int | float):
            raise ValueError(f"{type(part).__name__} is not a probability")
        if not (isfinite(part) and 0 <= part <= 1):
            raise ValueError(f"{part} is not a probability")
    if not all(0 <= start < end <= len(claim) for start, end in odds.unsupported):
        raise ValueError("an unsupported stretch is outside its claim")
    return odds
