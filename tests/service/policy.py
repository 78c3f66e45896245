"""The policy of the tested proxies; it prints, which must not reach the protocol."""

from __future__ import annotations

from abs_shield import inverse, rule, shield

print("the policy is imported")


@rule(tool="refund")
def small_refund(amount: float) -> bool:
    """A refund is at most 500."""
    print("the rule runs")
    return amount <= 500


policy = shield.configure(
    mode="strict",
    on_suspicious="block",
    rules=[small_refund],
    inverses=[inverse("create_user", "delete_user", same="user_id")],
)
