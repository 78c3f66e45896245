"""The reading of one signal on one result, and the earlier results that it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from abs_shield.verification.tool_baseline import Anomaly, BaselineJudgement


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
