"""The fields of a Decision about a result, from the engine's verdict and the policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from operator import itemgetter
from time import time
from typing import TYPE_CHECKING, Any

from abs_shield.core import RAN, Action, Coverage, Finding, Mode, Outcome, Verdict

if TYPE_CHECKING:
    from abs_shield.plan import ToolPlan
    from abs_shield.verification import SignalResult, VerificationResult

_VERDICTS = {
    "accept": Verdict.CLEAN, "flag": Verdict.SUSPICIOUS, "block": Verdict.HALLUCINATED,
}  # fmt: skip
_ACTIONS = {"accept": Action.ALLOW, "flag": Action.FLAG, "block": Action.BLOCK}
_HINT = "do not use what it may have returned, nor repeat the call blindly: it has run"
_REASON = itemgetter(4)
"""The field of a `SignalResult` that says why it was unavailable."""
_LEAST_EVIDENCE = 0.1
"""Minimum excess of a likelihood ratio over 1 for a finding.

Weaker signals are common in honest results: most tools without a profile return within 2 ms.
"""


def coverage_of(result: VerificationResult) -> Mapping[str, Coverage]:
    """Return whether each signal of a result ran."""
    # Cached, because results have only a few different coverages.
    return _coverage(tuple(result.signals), tuple(map(_REASON, result.signals.values())))


def decision_fields(result: VerificationResult, mode: Mode, *, delivered: bool) -> dict[str, Any]:
    """
    Return the verdict and the action of a Decision about a result that is not clean.

    Args:
        result: The engine's verdict.
        mode: The mode of the verification.
        delivered: Whether the caller already has the result: then it is flagged at most, because
            it cannot be withheld.
    """
    ruling = _ruling(result, delivered=delivered)
    would_block = ruling == "block"
    return {
        "verdict": _VERDICTS[ruling],
        "action": _ACTIONS[ruling],
        "would_block": would_block,
        "blocked": would_block and mode is Mode.STRICT,
    }


def _ruling(result: VerificationResult, *, delivered: bool) -> str:
    # A result that the caller already has cannot be blocked.
    return "flag" if delivered and result.verdict == "block" else result.verdict


def findings_of(
    result: VerificationResult, plan: ToolPlan, mode: Mode, *, delivered: bool
) -> tuple[Finding, ...]:
    """
    Return a finding for each signal that fired and is evidence; some may be suppressed.

    Args:
        result: The engine's verdict.
        plan: The plan of the tool.
        mode: The mode of the verification.
        delivered: As in `decision_fields`.
    """
    findings: list[Finding] = []
    clean = result.verdict == "accept"
    for name, signal in result.signals.items():
        # At a ratio of 1 the signal is not evidence.
        if signal.fired and not (
            clean and (signal.likelihood_ratio - 1) * signal.score < _LEAST_EVIDENCE
        ):
            verdict = _VERDICTS[_ruling(result, delivered=delivered)]
            findings.append(_finding(name, signal, verdict, mode))
    if not (findings and plan.suppress):
        return tuple(findings)
    at = time()
    return tuple(replace(one, suppressed=_is_suppressed(one, plan, at)) for one in findings)


def suppression_filter(plan: ToolPlan) -> Callable[[str, SignalResult], bool]:
    """Return a function of a signal's name and result: whether the policy suppresses it."""
    at = time()
    return lambda name, signal: _is_suppressed(
        _finding(name, signal, Verdict.SUSPICIOUS, Mode.AUDIT), plan, at
    )


def _is_suppressed(finding: Finding, plan: ToolPlan, at: float) -> bool:
    return any(each.silences(finding, at=at) for each in plan.suppress)


def _finding(name: str, signal: SignalResult, verdict: Verdict, mode: Mode) -> Finding:
    # HALLUCINATED only by the verdict as a whole: a single signal is never certain.
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


# A tool has few combinations of available signals.
@lru_cache(maxsize=512)
def _coverage(names: tuple[str, ...], reasons: tuple[str, ...]) -> Mapping[str, Coverage]:
    return {
        name: Coverage(Outcome.UNAVAILABLE, reason) if reason else RAN
        for name, reason in zip(names, reasons, strict=True)
    }
