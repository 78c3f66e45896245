"""Layer 6: the model was unsure of the tool it picked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp
from typing import Any

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable, Verdict
from abs_shield.core.finding import counts
from abs_shield.plan import Proposal, Terms, ToolPlan
from abs_shield.plan.layer import Check
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord, record_of

DEVIATIONS = 3.0
"""How many standard deviations below the session's mean is a drop."""
LEAST_CALLS = 5
LEAST_SPREAD = 0.05
"""Floor of the standard deviation, in nats."""


def confidence_drop(
    proposal: Proposal, session: Session
) -> Iterable[Finding | Unavailable | Failed]:
    """
    The agent calls ``refund`` although the model gave that name a probability of 0.3.

    likelihood = exp(mean log-probability of the name's tokens); strength = 1 - likelihood. A
    drop of z > 3 standard deviations below this session's mean has strength min(1, z / 6).
    Nothing is found that the policy's threshold would not count: every name has some likelihood,
    so that each call would carry a finding that says nothing.
    """
    logprob = proposal.logprob
    if logprob is None:
        fault = proposal.logprob_fault
        return (Failed(fault) if fault else _NONE,)
    found = (*_low(logprob), *_dropped(session, logprob))
    threshold = proposal.terms.threshold
    return tuple(finding for finding in found if counts(finding.strength, threshold=threshold))


_NONE = Unavailable("no log-probabilities")
_NOT_GIVEN = Coverage(Outcome.UNAVAILABLE, "no log-probabilities")


def prepare_confidence_drop(plan: ToolPlan, terms: Terms, names: tuple[str, ...]) -> Check:
    """Clean where the likelihood counts for nothing, and no drop lies between it and the mean."""
    threshold = terms.threshold

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        if logprob is None:
            return _NOT_GIVEN
        usual = record.likelihoods
        doubt = 1 - exp(logprob)
        low = doubt > 0 and counts(doubt, threshold=threshold)
        return None if low or usual.mean - logprob > DEVIATIONS * LEAST_SPREAD else RAN

    return check


def _low(logprob: float) -> tuple[Finding, ...]:
    likelihood = exp(logprob)
    strength = 1 - likelihood
    if strength <= 0:
        return ()
    detail = f"the model gave the tool's name a likelihood of {likelihood:.2f}"
    return (_finding("low_likelihood", strength, detail),)


def _dropped(session: Session, logprob: float) -> tuple[Finding, ...]:
    usual = record_of(session).likelihoods
    if usual.n < LEAST_CALLS or usual.mean - logprob <= DEVIATIONS * LEAST_SPREAD:
        return ()
    z = (usual.mean - logprob) / max(usual.deviation, LEAST_SPREAD)
    if z <= DEVIATIONS:
        return ()
    detail = f"the tool's name lies {z:.1f} deviations below this session's mean log-probability"
    return (_finding("likelihood_drop", min(1.0, z / (2 * DEVIATIONS)), detail),)


def _finding(code: str, strength: float, detail: str) -> Finding:
    return Finding(
        check="confidence_drop",
        verdict=Verdict.SUSPICIOUS,
        strength=strength,
        where="/name",
        detail=detail,
        code=code,
        hint="make sure that this is the tool that the task needs",
        expected="a tool that the model is sure of",
    )
