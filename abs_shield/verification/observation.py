"""One result as it is remembered and saved: its numbers, and no text of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abs_shield.verification.result_shape import ResultShape


@dataclass(slots=True)
class Observation:
    """
    What is remembered of one result, and learnt if it is accepted.

    Attributes:
        id: Unique, across processes.
        at: When it came, in seconds since the epoch.
        key: Digest of its call's arguments; empty where they are not known.
        session: The session it came in; empty for none.
        numbers: Its numbers by JSON pointer without the first slash.
        latency_ms: How long its call took.
        size: About how many characters its JSON has.
        shape: Its JSON type and those of its members; empty of what teaches no shape.
        kinds: JSON type of each required field it had.
        probability: P(hallucination), as it was judged.
        unlike: Whether it was unlike what was known; else it was odd by itself, or not at all.
        turn: How often results had been refused and accepted again, when it was refused.
        fault: In what its shape differs from what is known; empty where it does not; not saved.
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
