"""The decision that follows from the engine's verdict on a result under a policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from operator import itemgetter
from time import time
from typing import TYPE_CHECKING, Any

from abs_shield.core import RAN, Action, Coverage, Finding, Mode, Outcome, Verdict
from abs_shield.plan import ToolPlan

if TYPE_CHECKING:
    from abs_shield.verification import SignalResult, VerificationResult

_VERDICTS = {
    "accept": Verdict.CLEAN, "flag": Verdict.SUSPICIOUS, "block": Verdict.HALLUCINATED,
}  # fmt: skip
_ACTIONS = {"accept": Action.ALLOW, "flag": Action.FLAG, "block": Action.BLOCK}
_HINT = "do not use what it may have returned, nor repeat the call blindly: it has run"
_FIRED, _REASON = itemgetter(0), itemgetter(4)
"""Fields of a `SignalResult`: whether it fired, and why it was unavailable."""
_LEAST_EVIDENCE = 0.1
"""Minimum excess of a likelihood ratio over 1 for a finding: that an unprofiled tool returns
within 2 ms is hardly evidence, and true of every call of most tools."""


def decision_fields(
    result: VerificationResult, plan: ToolPlan, mode: Mode, *, delivered: bool
) -> dict[str, Any]:
    """
    Return the fields of a Decision that follow from a verdict under a policy.

    Fields that keep their values for a clean result are left out.

    Args:
        result: The verdict.
        plan: The tool.
        mode: The mode of the verification.
        delivered: Whether the caller already has the result: it is flagged at most, as strict
            mode cannot withhold it either.
    """
    signals = result.signals.values()
    fields: dict[str, Any] = {
        # The coverage of clean results is one of a few objects, so it is built once.
        "coverage": _coverage(tuple(result.signals), tuple(map(_REASON, signals))),
        "probability": result.posterior,
        "retryable": not plan.writes,
    }
    if result.verdict == "accept" and not any(map(_FIRED, signals)):
        return fields
    # The caller has it already: saying `blocked` would be untrue.
    ruling = "flag" if delivered and result.verdict == "block" else result.verdict
    verdict, would_block = _VERDICTS[ruling], ruling == "block"
    return fields | {
        "verdict": verdict,
        "action": _ACTIONS[ruling],
        "would_block": would_block,
        "blocked": would_block and mode is Mode.STRICT,
        "findings": _findings(result, plan, verdict, mode),
    }


def _findings(
    result: VerificationResult, plan: ToolPlan, verdict: Verdict, mode: Mode
) -> tuple[Finding, ...]:
    """Return one finding for each signal that fired and is evidence; mark the suppressed ones."""
    clean = verdict is Verdict.CLEAN
    findings = [
        _finding(name, signal, verdict, mode)
        for name, signal in result.signals.items()
        if signal.fired and not (clean and _added_evidence(signal) < _LEAST_EVIDENCE)
    ]
    if not (findings and plan.suppress):
        return tuple(findings)
    at = time()
    return tuple(replace(one, suppressed=_silenced(one, plan, at)) for one in findings)


def suppressed_by(plan: ToolPlan) -> Callable[[str, SignalResult], bool]:
    """Return a function that says whether the policy suppresses a signal that fired."""
    at = time()
    return lambda name, signal: _silenced(
        _finding(name, signal, Verdict.SUSPICIOUS, Mode.AUDIT), plan, at
    )


def _silenced(finding: Finding, plan: ToolPlan, at: float) -> bool:
    return any(each.silences(finding, at=at) for each in plan.suppress)


def _added_evidence(signal: SignalResult) -> float:
    """Return the excess of the likelihood ratio over 1; at 1 the signal is not evidence."""
    return (signal.likelihood_ratio - 1) * signal.score


def _finding(name: str, signal: SignalResult, verdict: Verdict, mode: Mode) -> Finding:
    # Only of the whole verdict: a single signal is never certain.
    hallucinated = verdict is Verdict.HALLUCINATED
    return Finding(
        check=name,
        verdict=verdict if hallucinated else Verdict.SUSPICIOUS,
        strength=round(signal.score, 6),
        where=signal.where,
        detail=signal.detail,
        code=name,
        hint=_HINT if hallucinated else "",
        evidence={"likelihood_ratio": signal.likelihood_ratio},
        mode=mode,
        counted=verdict is not Verdict.CLEAN,
    )


# A tool has few combinations of signals that could judge.
@lru_cache(maxsize=512)
def _coverage(names: tuple[str, ...], reasons: tuple[str, ...]) -> Mapping[str, Coverage]:
    return {
        name: Coverage(Outcome.UNAVAILABLE, reason) if reason else RAN
        for name, reason in zip(names, reasons, strict=True)
    }
