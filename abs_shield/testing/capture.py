"""Capture of every decision that is recorded while a block is open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from abs_shield.core import Decision
from abs_shield.errors import PolicyError
from abs_shield.policy import Policy
from abs_shield.shield import Shield
from abs_shield.shield.lifecycle import Lifecycle
from abs_shield.shield.listeners import LISTENERS
from abs_shield.testing.decision_list import CapturedDecisions
from abs_shield.text.safe_display import shown


@contextmanager
def capture_decisions(firewall: Shield | Policy | None = None) -> Iterator[CapturedDecisions]:
    """
    Return a list that grows with every decision about a call recorded while the block is open.

    Its ``results`` grows with decisions about results, its ``answers`` with those about answers.
    Captures nest, and include all threads and tasks. A call that is proposed and never
    dispatched is recorded when its turn ends.

    Args:
        firewall: Capture only from this Shield, or from the one that this policy's tools share;
            None for every Shield of the process.

    >>> from abs_shield.policy import configure
    >>> firewall = Shield(configure(), hooks=None)
    >>> with capture_decisions(firewall) as decisions:
    ...     _ = firewall.check_call({"name": "refund", "arguments": {}})
    >>> decisions.of("refund").only().blocked
    False
    """
    lifecycle = None if firewall is None else shield_of(firewall).lifecycle
    decisions = CapturedDecisions()

    def add_decision(decision: Decision, by: Lifecycle) -> None:
        # a listener receives the lifecycle, which does not know its Shield
        if lifecycle is None or by is lifecycle:
            decisions.add(decision)

    with LISTENERS.listening(add_decision):
        yield decisions


def shield_of(firewall: Shield | Policy) -> Shield:
    """
    Return the Shield itself, or the one that all tools decorated with a policy share.

    Raises:
        PolicyError: *firewall* is neither a Shield nor a policy.
    """
    if isinstance(firewall, Policy):
        return Shield.of(firewall)
    if not isinstance(firewall, Shield):
        raise PolicyError(f"`firewall` is {shown(firewall)}; give a Shield or a policy")
    return firewall
