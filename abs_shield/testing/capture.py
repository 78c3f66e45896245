"""Hears every decision that is recorded while a block is open."""

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
from abs_shield.text.show import shown


@contextmanager
def capture_decisions(firewall: Shield | Policy | None = None) -> Iterator[CapturedDecisions]:
    """
    Give a list that grows by every decision recorded while the block is open: of those about
    calls, its ``results`` of those about what they returned, its ``answers`` of those about
    answers.

    Captures nest, and hear of all threads and tasks. A call that is proposed and never dispatched
    is recorded when its turn ends.

    Args:
        firewall: Hear this Shield only, or the one that this policy's tools share; every Shield
            of the process where None.

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
        if lifecycle is None or by is lifecycle:
            decisions.add(decision)

    with LISTENERS.hearing(add_decision):
        yield decisions


def shield_of(firewall: Shield | Policy) -> Shield:
    """
    Give the Shield itself, or the one that everybody who decorates with a policy shares.

    Raises:
        PolicyError: It is neither.
    """
    if isinstance(firewall, Policy):
        return Shield.of(firewall)
    if not isinstance(firewall, Shield):
        raise PolicyError(f"`firewall` is {shown(firewall)}; give a Shield or a policy")
    return firewall
