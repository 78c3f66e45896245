"""
A rule that looks at what the run has done: no refund before the customer was verified.

    python examples/policy_with_state.py
"""

from __future__ import annotations

from typing import Any

from abs_shield import CallBlocked, Session, Shield, rule, shield, shielded


@rule(tool="refund")
def customer_is_verified(customer: str, session: Session) -> bool | str:
    """A refund needs a verified customer."""
    return session.did("verify", customer=customer) or f"Nobody has verified {customer}."


@rule(tool="refund")
def refunds_are_few(session: Session) -> bool:
    """One session refunds twice at most."""
    return sum(ran.tool == "refund" and not ran.error for ran in session.executed) < 2


policy = shield.configure(mode="strict", rules=[customer_is_verified, refunds_are_few])
firewall = Shield(policy, hooks=None)


@shielded(firewall)
def verify(customer: str) -> str:
    """Check who the customer is."""
    return f"{customer} is verified"


@shielded(firewall)
def refund(customer: str, amount: float) -> str:
    """Refund a customer."""
    return f"refunded {amount:.2f} to {customer}"


def attempt(tool: Any, *arguments: Any) -> None:
    """Call a tool, and say what came of it."""
    try:
        print(f"ran      {tool(*arguments)}")
    except CallBlocked as blocked:
        print(f"blocked  {blocked.decision.findings[0].detail}")


def main() -> None:
    with firewall.session() as session:
        session.user("Refund ann, please.")
        attempt(refund, "ann", 20.0)
        attempt(verify, "ann")
        attempt(refund, "bob", 20.0)
        attempt(refund, "ann", 20.0)
        attempt(refund, "ann", 5.0)
        attempt(refund, "ann", 1.0)


if __name__ == "__main__":
    main()
