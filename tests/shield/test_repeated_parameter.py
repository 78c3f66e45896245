"""A positional parameter and a further argument of the same name are both judged."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from abs_shield import CallBlocked, Shield, Target, shield, shielded

Order = Annotated[str, Target(must_be_seen=True)]


@pytest.fixture
def firewall() -> Shield:
    return Shield(shield.configure(), hooks=None)


def test_a_keyword_does_not_hide_a_parameter(firewall) -> None:
    """Both `acct_1` and `tx_99999` are judged."""

    @shielded(firewall)
    def refund(order_id: Order, /, **further: Any) -> str:
        return order_id

    with firewall.session() as session:
        session.user("Refund acct_1.")
        with pytest.raises(CallBlocked) as blocked:
            refund("tx_99999", order_id="acct_1")
        assert "tx_99999" in blocked.value.decision.explain()
        assert "acct_1" == refund("acct_1", order_id="x")

    assert {"order_id": "acct_1", "order_id (by name)": "x"} == session.executed[0].arguments


def test_a_keyword_does_not_hide_further_positions(firewall) -> None:
    """``*names`` and a further argument that is called ``names``."""

    @shielded(firewall)
    def refund(*names: Order, **further: Any) -> None: ...

    with firewall.session() as session:
        session.user("Refund acct_1.")
        with pytest.raises(CallBlocked) as blocked:
            refund("tx_99999", names=["acct_1"])
        assert "tx_99999" in blocked.value.decision.explain()


def test_a_further_argument_is_judged_by_its_own_type(firewall) -> None:
    """The renamed argument has its own type."""

    @shielded(firewall)
    def refund(order_id: str, /, **further: int) -> None: ...

    with firewall.session() as session:
        session.user("Refund acct_1.")
        with pytest.raises(CallBlocked) as blocked:
            refund("acct_1", order_id="x")
        assert "by name" in blocked.value.decision.explain()
