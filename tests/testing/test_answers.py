"""The test helpers with answers: separate from calls, and blocked ones are seen."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, shield, shielded
from abs_shield.testing import assert_allowed, assert_blocked, assert_flagged, capture_decisions


@pytest.fixture
def agent():
    """Makes an agent that reads a price and says what it is told to; keywords go to its policy."""

    def make(**declared):
        tools = [Tool(name="get_price", read_only=True)]
        firewall = Shield(shield.configure(**{"tools": tools, **declared}), hooks=None)

        @shielded(firewall)
        def get_price(id: str) -> str:
            return f"Booking {id} costs 420.00 EUR and includes breakfast."

        def answer(text):
            with firewall.session() as session:
                session.user("What is the price of booking ABC123?")
                get_price("ABC123")
                return firewall.check_answer(text)

        return answer

    return make


MADE_UP = "Booking ABC123 costs 999.00 EUR."
TOLD = "Booking ABC123 costs 420.00 EUR."


def test_answers_are_captured_apart(agent) -> None:
    """Calls, results and answers each have their list."""
    with capture_decisions() as decisions:
        agent()(TOLD)

    assert (1, 1, 1) == (len(decisions), len(decisions.results), len(decisions.answers))
    assert [""] == [decision.tool for decision in decisions.answers]


def test_a_blocked_answer_is_a_block(agent) -> None:
    """Its check is `answer`, its code the claim's status, its place the claim."""
    with assert_blocked(layer="answer", where="/claims/0") as blocked:
        agent()(MADE_UP)

    assert "answer" == blocked.decision.subject
    assert "the answer: blocked (answer" in repr(blocked.decisions.answers)


def test_audit_flags_it(agent) -> None:
    """And says what strict would do."""
    with assert_flagged(layer="answer") as flagged:
        agent(mode="audit")(MADE_UP)

    assert "the answer: would be blocked, but the mode is audit" in repr(flagged.decisions.answers)


def test_a_blocked_answer_is_not_allowed(agent) -> None:
    """Every call was allowed, and the user did not get the answer."""
    with pytest.raises(AssertionError, match="the answer: blocked"), assert_allowed():
        agent()(MADE_UP)


def test_a_good_answer_is_allowed(agent) -> None:
    """Nothing weighs against call, result or answer."""
    with assert_allowed() as allowed:
        agent()(TOLD)

    assert [] == allowed.decisions.answers.blocked
