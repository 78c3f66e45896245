"""Layer 6: the model was unsure of the tool's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp
from typing import Any

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable, Verdict
from abs_shield.core.finding import counts, least_strength
from abs_shield.plan import Proposal, ShieldTerms, ToolPlan
from abs_shield.plan.layer import Check, Layer
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord, record_of

# By chance, a normal value is below -3 once in 740 times.
MAX_DEVIATIONS = 3.0
"""Standard deviations below the session's mean from which a likelihood counts as a drop."""
MIN_CALLS = 5  # mean and deviation of fewer calls are mostly noise
# If the model is always sure, the deviation is near 0, and any drop would be many deviations.
MIN_DEVIATION = 0.05
"""Floor of the standard deviation, in nats."""


def confidence_drop(
    proposal: Proposal, session: Session
) -> Iterable[Finding | Unavailable | Failed]:
    """
    The agent calls ``refund`` although the model gave that name a probability of 0.3.

    likelihood = exp(mean log-probability of the name's tokens); strength = 1 - likelihood. A
    drop of z > 3 standard deviations below this session's mean has strength min(1, z / 6).
    Findings below the policy's threshold are omitted: every name has a likelihood below 1, so
    each call would have a finding without any information.
    """
    logprob = proposal.logprob
    if logprob is None:
        fault = proposal.logprob_fault
        return (Failed(fault) if fault else _UNAVAILABLE,)
    findings = (*_low_likelihood(logprob), *_drop(session, logprob))
    threshold = proposal.terms.threshold
    return tuple(finding for finding in findings if counts(finding.strength, threshold=threshold))


_UNAVAILABLE = Unavailable("no log-probabilities")
_NO_LOGPROBS = Coverage(Outcome.UNAVAILABLE, "no log-probabilities")


def prepare_confidence_drop(plan: ToolPlan, terms: ShieldTerms, names: tuple[str, ...]) -> Check:
    """Prepare a check that returns RAN if the likelihood is high and near the session's mean."""
    least = least_strength(terms.threshold)

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        if logprob is None:
            return _NO_LOGPROBS
        baseline = record.likelihoods
        doubt = 1 - exp(logprob)
        low = doubt > 0 and doubt >= least
        # The deviation is at least its floor, so a smaller difference than this is not a drop.
        return None if low or baseline.mean - logprob > MAX_DEVIATIONS * MIN_DEVIATION else RAN

    return check


def _low_likelihood(logprob: float) -> tuple[Finding, ...]:
    likelihood = exp(logprob)
    strength = 1 - likelihood
    if strength <= 0:
        return ()
    detail = f"the model gave the tool's name a likelihood of {likelihood:.2f}"
    return (_finding("low_likelihood", strength, detail),)


def _drop(session: Session, logprob: float) -> tuple[Finding, ...]:
    baseline = record_of(session).likelihoods
    if baseline.n < MIN_CALLS or baseline.mean - logprob <= MAX_DEVIATIONS * MIN_DEVIATION:
        return ()
    z = (baseline.mean - logprob) / max(baseline.deviation, MIN_DEVIATION)
    if z <= MAX_DEVIATIONS:
        return ()
    detail = (
        f"the tool's name lies {z:.1f} standard deviations below this session's mean "
        "log-probability"
    )
    return (_finding("likelihood_drop", min(1.0, z / (2 * MAX_DEVIATIONS)), detail),)


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


LAYER = Layer("confidence_drop", confidence_drop, prepare_confidence_drop, of_model=True)
