"""
The closed vocabularies, each declared from mild to grave.

`Verdict.worst` compares by that order: as strings SUSPICIOUS > HALLUCINATED.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """How bad is the whole?"""

    CLEAN = "CLEAN"
    SUSPICIOUS = "SUSPICIOUS"
    HALLUCINATED = "HALLUCINATED"

    @property
    def gravity(self) -> int:
        """Place in the order from mild (0) to grave (2)."""
        return _GRAVITY[self]

    @classmethod
    def worst(cls, verdicts: Iterable[Verdict]) -> Verdict:
        """Give the gravest of *verdicts*; CLEAN where there are none."""
        return max(verdicts, key=_GRAVITY.__getitem__, default=cls.CLEAN)


_GRAVITY = {verdict: place for place, verdict in enumerate(Verdict)}


class Action(StrEnum):
    """What does the policy ask for?"""

    ALLOW = "allow"
    FLAG = "flag"
    REVISE = "revise"
    BLOCK = "block"


class Mode(StrEnum):
    """Is it done, or only written down?"""

    AUDIT = "audit"
    STRICT = "strict"


class Subject(StrEnum):
    """What was judged?"""

    CALL = "call"
    RESULT = "result"
    ANSWER = "answer"
    OUTPUT = "output"


class Outcome(StrEnum):
    """Did a check run?"""

    RAN = "ran"
    UNAVAILABLE = "unavailable"
    ERROR = "error"
