"""Verifies what tools return: honest and fabricated results, a saved engine, a strict Shield."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from abs_shield import ResultBlocked, Shield, Tool, ToolProfile, shield, shielded
from abs_shield.verification import VerificationEngine

policy = shield.configure(
    mode="strict",
    tools=[
        Tool(
            name="get_stock_price",
            read_only=True,
            profile=ToolProfile(required_fields=["price"], has_network_io=False),
        )
    ],
)
firewall = Shield(policy, hooks=None)
backend = [{"price": 650.1}, {"text": "The price is $650."}]
"""What the service answers: once as it should, once as somebody made it up."""


@shielded(firewall)
def get_stock_price(ticker: str) -> dict:
    """Return the price of a share."""
    return backend.pop(0)


def quote(engine: VerificationEngine, price: float) -> str:
    """Verify one quote of NVDA, and tell its verdict."""
    verification = engine.verify(
        "get_stock_price",
        args={"ticker": "NVDA"},
        result={"price": price, "currency": "USD"},
        execution_time_ms=250.0,
        session_id="session-123",
    )
    reason = verification.explanation.partition("; ")[2] or "-"
    return f"{price:8.2f}  {verification.verdict:6}  {reason}"


def main() -> None:
    """Tell the story."""
    dice = random.Random(7)
    engine = VerificationEngine()
    engine.register_tool_profile(
        "get_stock_price", expected_latency_ms=(50, 5000), required_fields=["price"]
    )
    accepted = sum(" accept " in quote(engine, dice.gauss(650, 5)) for _ in range(50))
    print(f"{accepted} of 50 honest quotes accepted")
    print(quote(engine, 50.0))
    print(quote(engine, 50.0))
    print(quote(engine, 651.3))

    verification = engine.verify(
        "get_stock_price", args={}, result={"price": None}, execution_time_ms=90.0
    )
    print(f"   null   {verification.verdict:6}  {verification.signals['schema_mismatch'].detail}")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "verification.db"
        engine.save(path)
        print("after a restart:", quote(VerificationEngine().load(path), 50.0).split()[1])

    with firewall.session() as session:
        session.user("What is NVDA at?")
        print("through the Shield:", get_stock_price("NVDA"))
        try:
            get_stock_price("NVDA")
        except ResultBlocked as withheld:
            print("withheld:", withheld.decision.findings[0].detail)
            print("executed:", [call.value for call in session.executed])


if __name__ == "__main__":
    main()
