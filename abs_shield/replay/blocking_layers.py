"""Because of which layers strict mode would have blocked a call."""

from __future__ import annotations

from abs_shield.core import Decision, Outcome, Verdict


def blocking_layers(decision: Decision) -> set[str]:
    """
    Name the layers because of which strict mode would have blocked.

    These are the layers of the gravest findings that weigh, and those that broke; where nothing
    is HALLUCINATED and a layer broke, it is to blame alone.
    """
    if not decision.would_block:
        return set()
    gravest = {f.check for f in decision.findings if f.weighs and f.verdict is decision.verdict}
    broken = {k for k, said in decision.coverage.items() if said.outcome is Outcome.ERROR}
    return broken if decision.verdict is not Verdict.HALLUCINATED and broken else gravest | broken
