"""Results of one session neither block results of another nor appear in its texts."""

from __future__ import annotations

import random
from typing import Annotated, Any

import pytest

from abs_shield import Injected, ResultBlocked, Session, Shield, shield, shielded
from abs_shield.verification import VerificationEngine

USERS = 40


def orders(dice: random.Random) -> dict[str, Any]:
    """Make what a shop knows of one user."""
    spent = round(dice.lognormvariate(5, 1.2), 2)
    return {"orders": dice.randint(1, 40), "spent": spent, "points": dice.randint(0, 9_000)}


def withheld_decisions(
    firewall: Shield, tool: Any, users: list[dict[str, Any]], calls: int
) -> list[Any]:
    """Call the tool several times for each user, in separate sessions; return the blocks."""
    stopped = []
    for user in users:
        with firewall.session() as session:
            session.user("What did I order?")
            for _ in range(calls):
                try:
                    assert user == tool(user)
                except ResultBlocked as blocked:
                    stopped.append(blocked.decision)
    return stopped


@pytest.mark.parametrize("calls", [1, 2, 3, 8])
@pytest.mark.parametrize("seed", range(3))
def test_honest_results_of_many_users_are_given_out(calls, seed):
    """Equal arguments, and a result that depends on who asks; on the old code 10 to 30 % went."""
    dice = random.Random(seed)
    firewall = Shield(shield.configure(mode="strict"), hooks=None)
    asks = {}

    @shielded(firewall)
    def get_my_orders() -> dict[str, Any]:
        """Return the orders of the current user."""
        return asks["now"]

    def tool(user: dict[str, Any]) -> dict[str, Any]:
        asks["now"] = user
        return get_my_orders()

    assert [] == withheld_decisions(firewall, tool, [orders(dice) for _ in range(USERS)], calls)


def test_an_injected_context_has_a_separate_history():
    """Results for one injected context are not compared with those for another."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)

    @shielded(firewall)
    def get_balance(account: str, user: Annotated[dict[str, Any], Injected()]) -> dict[str, Any]:
        """Look up a balance."""
        return user

    for balance in (100.0, 101.0, 99.0, 100.5, 100.2, 99.9, 100.1, 99.5, 100.3, 5_000_000.0):
        with firewall.session() as session:
            session.user("What is on main?")
            for _ in range(3):
                get_balance("main", user={"balance": balance})
        assert {"CLEAN"} == {decision.verdict for decision in session.decisions}


def test_another_session_may_flag_and_never_block():
    """A made-up price after fifty real ones of others is suspicious; its own five block it."""
    engine = VerificationEngine()

    def price(value: float, session: str | None) -> Any:
        return engine.verify(
            "get_price", args={"symbol": "NVDA"}, result={"price": value}, execution_time_ms=100,
            session_id=session,
        )  # fmt: skip

    for n in range(50):
        assert "accept" == price(650 + n % 7, f"s{n}").verdict
    other = price(50, "new")
    assert ("flag", "block") == (other.verdict, price(50, None).verdict)

    for n in range(6):
        price(650 + n % 7, "long")
    assert "block" == price(50, "long").verdict


def test_texts_contain_no_values_of_other_sessions():
    """The details have no digit, because a share could reveal a value."""
    engine = VerificationEngine()
    for n in range(60):
        engine.verify(
            "get", args={}, result={"balance": 1234.5 + n % 3}, execution_time_ms=9,
            session_id=f"s{n}",
        )  # fmt: skip
    fault = engine.verify(
        "get", args={}, result={"balance": 5_000}, execution_time_ms=9, session_id="new"
    )

    texts = [signal.detail for signal in fault.signals.values() if signal.fired]
    assert texts
    assert not any(c.isdigit() for one in texts for c in one)


def test_functions_of_a_session_have_a_separate_history():
    """Functions bound to different sessions are different clients."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)
    for n, balance in enumerate([100.0 + k / 10 for k in range(12)] + [7_000_000.0]):

        def get_balance(balance: float = balance) -> dict[str, float]:
            """Look up a balance."""
            return {"balance": balance}

        session: Session = firewall.session(functions={"get_balance": get_balance})
        with session:
            session.user("What is there?")
            for _ in range(3):
                firewall.dispatch("get_balance", {}, call_id=f"c{n}")
        assert {"CLEAN"} == {decision.verdict for decision in session.decisions}


def verdict_on_price(verify, price, session):
    """Return the verdict on one quote."""
    result = verify("quote", args={}, result={"price": price}, execution_time_ms=20.0,
                    session_id=session)  # fmt: skip
    return result.verdict


@pytest.mark.parametrize(("session", "expected"), [("own", "block"), ("another", "flag")])
def test_a_type_known_from_other_sessions_only_is_flagged(session, expected):
    """It is blocked if the session itself had another type; after 31 results it is accepted."""
    engine = VerificationEngine()
    engine.register_tool_profile("quote", required_fields=["price"], expected_latency_ms=(1, 99))
    for n in range(31):
        assert "accept" == verdict_on_price(engine.verify, f"{n}.50", "own")
    sessions = [f"{session}{n if session != 'own' else ''}" for n in range(40)]
    verifications = [
        verdict_on_price(engine.verify, n + 0.5, name) for n, name in enumerate(sessions)
    ]

    assert [expected] * 31 == verifications[:31]
    assert ["accept"] * 9 == verifications[31:]


def test_a_missing_declared_field_blocks_in_every_session():
    """A declared requirement does not depend on the history of a session."""
    engine = VerificationEngine()
    engine.register_tool_profile("quote", required_fields=["price"], expected_latency_ms=(1, 99))
    for n in range(31):
        verdict_on_price(engine.verify, f"{n}.50", "own")

    assert ["block", "block"] == [
        verdict_on_price(engine.verify, p, "other") for p in (None, float("nan"))
    ]
