"""Find the layers for which strict mode would block a call."""

from __future__ import annotations

from abs_shield.core import Decision, Outcome, Verdict


def blocking_layers(decision: Decision) -> set[str]:
    """
    Return the layers for which strict mode would have blocked the call.

    These are the layers of the gravest findings that weigh, and those that failed; if no finding
    is HALLUCINATED and a layer failed, only the failed layers.
    """
    if not decision.would_block:  # a call that runs in strict mode, too, is blocked by no layer
        return set()
    gravest = {f.check for f in decision.findings if f.weighs and f.verdict is decision.verdict}
    broken = {k for k, entry in decision.coverage.items() if entry.outcome is Outcome.ERROR}
    # a suspicious finding does not block; the error did
    return broken if decision.verdict is not Verdict.HALLUCINATED and broken else gravest | broken
