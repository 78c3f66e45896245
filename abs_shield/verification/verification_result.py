"""The result of a verification: the verdict, and each signal's part in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

from abs_shield.text.safe_display import escaped

_SHOWN = 3  # signals in one line; all of them are in `signals`


class VerificationTier(IntEnum):
    """The depth of a verification: the result alone, or compared with earlier ones."""

    TIER_0 = 0
    TIER_1 = 1

    def __str__(self) -> str:
        return f"VerificationTier.{self.name}"


class SignalResult(NamedTuple):
    """
    One signal's part in a verdict.

    Attributes:
        fired: Whether it is evidence against the result.
        score: Its strength, in [0, 1].
        likelihood_ratio: P(fires | hallucination) / P(fires | real), at score 1.
        detail: One line; names fields and sizes, never a value.
        unavailable: Why it could not look; empty if it looked. Only then silence is evidence.
        where: JSON pointer of the worst field; empty for the whole result.
    """

    fired: bool
    score: float
    likelihood_ratio: float
    detail: str = ""
    unavailable: str = ""
    where: str = ""


@dataclass(frozen=True)
class VerificationResult:
    """
    The engine's judgement of one result.

    Attributes:
        verdict: ``"accept"``, ``"flag"`` or ``"block"``.
        confidence: P(hallucination) in [0, 1], to three digits: high is bad.
        signals: Every signal by name.
        tier_reached: The highest tier that was evaluated.
        prior: P(hallucination) before any signal.
        posterior: P(hallucination) after all signals.
    """

    verdict: Literal["accept", "flag", "block"]
    confidence: float
    signals: Mapping[str, SignalResult]
    tier_reached: VerificationTier
    prior: float
    posterior: float

    _id: ClassVar[str] = ""
    """Not a field: the id by which an engine identifies the remembered result."""

    @classmethod
    def of(cls, fields: dict[str, Any]) -> VerificationResult:
        """
        Return a result that owns the dict *fields*, bypassing the slower constructor.

        Args:
            fields: Every attribute by its name.
        """
        result = object.__new__(cls)
        object.__setattr__(result, "__dict__", fields)
        return result

    @cached_property
    def explanation(self) -> str:
        """One line for a person; names fields and sizes, never a value."""
        head = f"{self.verdict}: P(hallucination) is {self.posterior:.3f}"
        fired = [(name, signal) for name, signal in self.signals.items() if signal.fired]
        if not fired:
            return f"{head}; no signal fired"
        fired.sort(key=lambda item: -item[1].score * item[1].likelihood_ratio)
        return "; ".join([head, *(_describe(name, signal) for name, signal in fired[:_SHOWN])])

    @property
    def p_hallucination(self) -> float:
        """P(hallucination) in [0, 1]; the plain name of the posterior."""
        return self.posterior

    @property
    def is_hallucinated(self) -> bool:
        """True if the verdict is ``"block"``."""
        return self.verdict == "block"


def _describe(name: str, signal: SignalResult) -> str:
    where = f" at {escaped(signal.where)}" if signal.where else ""
    return f"{name}{where}: {signal.detail}"
