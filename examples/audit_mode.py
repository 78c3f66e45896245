"""
Audit mode stops nothing; its rows say what strict mode would have stopped.

    python examples/audit_mode.py
"""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield import Decision, Shield, rule, shield, shielded


@rule(tool="transfer")
def sum_is_positive(amount: float) -> bool:
    """A transfer moves a sum above 0."""
    return amount > 0


firewall = Shield(shield.configure(mode="audit", rules=[sum_is_positive]), hooks=None)


@shielded(firewall)
def transfer(amount: float, to: str) -> str:
    """Transfer a sum."""
    return f"transferred {amount} to {to}"


def rows() -> Iterator[Decision]:
    """Every decision that strict mode would have blocked."""
    return (decision for decision in firewall.store.decisions() if decision.would_block)


def main() -> None:
    with firewall.session() as session:
        session.user("Send bob 20.")
        print(transfer(20.0, "bob"))
        print(transfer(-500.0, "bob"))
        print(firewall.dispatch("transfer", {"amount": "twenty", "to": "bob"}))
    for row in rows():
        (finding,) = row.findings
        print(f"would_block {row.tool} {finding.check}: {finding.detail} (blocked: {row.blocked})")
    print(f"{len(session.executed)} calls ran")


if __name__ == "__main__":
    main()
