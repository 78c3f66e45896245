"""One remembered result: its numbers and shape, without its texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abs_shield.verification.result_shape import ResultShape


@dataclass(slots=True)
class Observation:
    """
    The remembered properties of one result, learnt if it is accepted.

    Attributes:
        id: Unique, across processes.
        at: Its time, in seconds since the epoch.
        key: Digest of its call's arguments; empty if unknown.
        session: Its session; empty for none.
        numbers: Its numbers by JSON pointer without the first slash.
        latency_ms: Duration of its call.
        size: Approximate number of characters of its JSON.
        shape: Its JSON type and those of its members; empty if it has no shape.
        kinds: JSON type of each required field it had.
        probability: P(hallucination), as it was judged.
        unlike: Whether it differed from earlier results.
        turn: Number of changes from rejected back to accepted results before it was rejected.
        fault: The difference of its shape from earlier ones; empty if there is none; not saved.
        endless: Its numbers that are NaN or infinite, by pointer; judged, and not saved.
    """

    id: str
    at: float
    key: bytes
    session: str
    numbers: Mapping[str, float]
    latency_ms: float
    size: int
    shape: ResultShape
    kinds: Mapping[str, str]
    probability: float = 0.0
    unlike: bool = False
    turn: int = 0
    endless: Sequence[str] = ()
    fault: str = ""
