"""A parameter by place, and a further argument of its name: both are judged."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from abs_shield import CallBlocked, Shield, Target, shield, shielded

Order = Annotated[str, Target(must_be_seen=True)]


@pytest.fixture
def firewall() -> Shield:
    return Shield(shield.configure(), hooks=None)


def test_a_keyword_hides_no_parameter(firewall) -> None:
    """It was judged on `acct_1`, and ran with `tx_99999`."""

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


def test_a_keyword_hides_no_further_places(firewall) -> None:
    """``*names`` and a further argument that is called ``names``."""

    @shielded(firewall)
    def refund(*names: Order, **further: Any) -> None: ...

    with firewall.session() as session:
        session.user("Refund acct_1.")
        with pytest.raises(CallBlocked) as blocked:
            refund("tx_99999", names=["acct_1"])
        assert "tx_99999" in blocked.value.decision.explain()


def test_a_further_argument_is_judged_by_its_own_type(firewall) -> None:
    """Whatever name it is judged under."""

    @shielded(firewall)
    def refund(order_id: str, /, **further: int) -> None: ...

    with firewall.session() as session:
        session.user("Refund acct_1.")
        with pytest.raises(CallBlocked) as blocked:
            refund("acct_1", order_id="x")
        assert "by name" in blocked.value.decision.explain()
