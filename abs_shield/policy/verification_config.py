"""Settings for judging tool results: the prior and the thresholds."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from abs_shield.policy.declaration_base import Declaration

Share = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
# 1 is no evidence; the upper bound keeps the log-odds finite
Above1 = Annotated[float, Field(gt=1, lt=1e9, allow_inf_nan=False)]


class Verification(Declaration):
    """
    Settings for judging results; ``configure(verification=False)`` turns the judging off.

    Attributes:
        prior: Prior P(hallucination), above 0 and below *block_threshold*. If it is at least
            *accept_threshold*, a result is accepted only when enough signals could judge it.
        accept_threshold: P(hallucination) below which a result is accepted.
        block_threshold: P(hallucination) from which a result is blocked.
        session_times: Factor by which a number must differ to contradict the session.
        sub_floor_lr: Likelihood ratio of a network call that returns within 2 ms.
    """

    # Below `accept_threshold`: without evidence a result is accepted.
    prior: Share = 0.15
    # Both thresholds are those of the engine's specification.
    accept_threshold: Share = 0.2
    block_threshold: Share = 0.5
    session_times: Above1 = 50.0  # numbers change within a session, but hardly fifty-fold
    sub_floor_lr: Above1 = 50.0  # "near-certain" in odds: it takes the prior of 0.15 to 0.9

    @model_validator(mode="after")
    def _check_thresholds(self) -> Self:
        if self.accept_threshold >= self.block_threshold:
            raise ValueError(
                f"`accept_threshold` {self.accept_threshold:g} is not below `block_threshold`"
                f" {self.block_threshold:g}; results between them are flagged"
            )
        if self.prior >= self.block_threshold:
            raise ValueError(
                f"`prior` {self.prior:g} is not below `block_threshold` {self.block_threshold:g};"
                " everything would be blocked at first"
            )
        return self
