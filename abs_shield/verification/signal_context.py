"""The context of a result for the signals: earlier results and their statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abs_shield.verification.baseline import Anomaly, BaselineJudgement


@dataclass(slots=True)
class SignalContext:
    """
    Comparisons of one result with earlier ones.

    Attributes:
        kinds: JSON type by field, for fields that had one type in enough results.
        outlook: The judgement of the tool's baseline; None if it has too few results.
        history: Comparison with results of the same arguments; None if there are too few.
        session: Comparison with results of this session; None if there are none.
        sub_floor_lr: Likelihood ratio of a network call that returns instantly.
        shape: Anomaly of its shape; None if too few results are comparable, or the fields are
            declared.
    """

    kinds: Mapping[str, str]
    outlook: BaselineJudgement | None = None
    history: Anomaly | None = None
    session: Anomaly | None = None
    sub_floor_lr: float = 50.0
    shape: Anomaly | None = None
