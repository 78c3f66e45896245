"""The closed vocabularies, ordered from mild to grave, and the names of the built-in checks."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

PHANTOM_TOOL = "phantom_tool"
PHANTOM_TARGET = "phantom_target"
PARAMETER_MISMATCH = "parameter_mismatch"
SELF_CONTRADICTION = "self_contradiction"
IMPOSSIBLE_STATE = "impossible_state"
CONFIDENCE_DROP = "confidence_drop"

LAYER_NAMES = (
    PHANTOM_TOOL,
    PHANTOM_TARGET,
    PARAMETER_MISMATCH,
    SELF_CONTRADICTION,
    IMPOSSIBLE_STATE,
    CONFIDENCE_DROP,
)

OPT_IN_NAMES = ("untrusted_target", "uninformed_write", "call_loop")
"""Layers that run only if a policy names them."""

PERSONAL_DATA = "personal_data"
"""The layer that a policy's `pii` enables."""

VERIFICATION = "verification"
"""Key of the result check in `modes`."""

ANSWER = "answer"
"""Key of the answer check in `modes`."""

FAITHFULNESS = "faithfulness"
"""Key in `modes` of the check of a text against its context."""

QUALITY = "quality"
"""Key of the quality cascade in `modes`."""

OF_NO_TOOL = (ANSWER, FAITHFULNESS, QUALITY)
"""Checks of texts that are not results of a tool."""

SIGNAL_NAMES = (
    "schema_mismatch",
    "pattern_mismatch",
    "latency_anomaly",
    "length_anomaly",
    "historical_inconsistency",
    "session_inconsistency",
    "spc_anomaly",
    "value_plausibility",
)

UNREGISTERED = "_unregistered"
"""Replaces every name that a model wrote and no tool has, e.g. in metrics."""


class Verdict(StrEnum):
    """
    The verdict on a call, a result, an answer or an output, from mild to grave.

    Verdicts compare by that order: ``decision.verdict >= Verdict.SUSPICIOUS``.

    Attributes:
        CLEAN: No finding counts.
        SUSPICIOUS: Probably wrong; allowed unless the policy asks for approval or a block.
        HALLUCINATED: Wrong; blocked in strict mode.
    """

    CLEAN = "CLEAN"
    SUSPICIOUS = "SUSPICIOUS"
    HALLUCINATED = "HALLUCINATED"

    @property
    def gravity(self) -> int:
        """Position in the order from mild (0) to grave (2)."""
        return _GRAVITY[self]

    @classmethod
    def worst(cls, verdicts: Iterable[Verdict]) -> Verdict:
        """
        Return the gravest of *verdicts*; CLEAN without any.

        Args:
            verdicts: Any number of verdicts.
        """
        return max(verdicts, key=_GRAVITY.__getitem__, default=cls.CLEAN)

    # A `StrEnum` compares its texts, by which SUSPICIOUS is above HALLUCINATED.

    def __lt__(self, other: str) -> bool:
        return self.gravity < _GRAVITY[other] if other in _GRAVITY else NotImplemented

    def __le__(self, other: str) -> bool:
        return self.gravity <= _GRAVITY[other] if other in _GRAVITY else NotImplemented

    def __gt__(self, other: str) -> bool:
        return self.gravity > _GRAVITY[other] if other in _GRAVITY else NotImplemented

    def __ge__(self, other: str) -> bool:
        return self.gravity >= _GRAVITY[other] if other in _GRAVITY else NotImplemented


_GRAVITY: dict[str, int] = {verdict: place for place, verdict in enumerate(Verdict)}


class Action(StrEnum):
    """
    The action that the policy asks for, whether or not the mode enforces it.

    Attributes:
        ALLOW: Allow the subject.
        FLAG: Allow it, and record the findings.
        REVISE: Ask the model for a corrected answer.
        BLOCK: Stop it.
    """

    ALLOW = "allow"
    FLAG = "flag"
    REVISE = "revise"
    BLOCK = "block"


class Mode(StrEnum):
    """
    Enforcement of the action that the policy asks for.

    Attributes:
        AUDIT: Findings are recorded; nothing is blocked or changed.
        STRICT: HALLUCINATED subjects are blocked.
    """

    AUDIT = "audit"
    STRICT = "strict"


class Subject(StrEnum):
    """The kind of thing that is judged."""

    CALL = "call"
    RESULT = "result"
    ANSWER = "answer"
    OUTPUT = "output"


class Outcome(StrEnum):
    """The outcome of one check: it ran, lacked data, was off, or failed."""

    RAN = "ran"
    UNAVAILABLE = "unavailable"
    ERROR = "error"
