"""The test helpers record answers apart from calls and recognise blocked ones."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, shield, shielded
from abs_shield.testing import assert_allowed, assert_blocked, assert_flagged, capture_decisions


@pytest.fixture
def agent():
    """Return a function that creates an agent that reads a price and answers with a given text."""

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


def test_answers_calls_and_results_are_separate_lists(agent) -> None:
    """Calls, results and answers are recorded in separate lists."""
    with capture_decisions() as decisions:
        agent()(TOLD)

    assert (1, 1, 1) == (len(decisions), len(decisions.results), len(decisions.answers))
    assert [""] == [decision.tool for decision in decisions.answers]


def test_assert_blocked_accepts_a_blocked_answer(agent) -> None:
    """A blocked answer matches the layer `answer` and the place of its claim."""
    with assert_blocked(layer="answer", where="/claims/0") as blocked:
        agent()(MADE_UP)

    assert "answer" == blocked.decision.subject
    assert "the answer: blocked (answer" in repr(blocked.decisions.answers)


def test_audit_flags_an_answer(agent) -> None:
    """In audit mode an answer is flagged, and the message contains what strict mode would do."""
    with assert_flagged(layer="answer") as flagged:
        agent(mode="audit")(MADE_UP)

    assert "the answer: would be blocked, but the mode is audit" in repr(flagged.decisions.answers)


def test_assert_allowed_fails_on_a_blocked_answer(agent) -> None:
    """A run whose calls are all allowed fails `assert_allowed` if its answer is blocked."""
    with pytest.raises(AssertionError, match="the answer: blocked"), assert_allowed():
        agent()(MADE_UP)


def test_assert_allowed_passes_on_a_grounded_answer(agent) -> None:
    """A run whose calls, results and answer have no finding passes `assert_allowed`."""
    with assert_allowed() as allowed:
        agent()(TOLD)

    assert [] == allowed.decisions.answers.blocked
