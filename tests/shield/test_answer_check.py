"""Answers by mode: revised, refused or emitted, with a record for each draft."""

from __future__ import annotations

import asyncio

import pytest

from abs_shield import AnswerConfig, Shield, ShieldError, Tool, shield
from abs_shield.testing import no_shield

HANDBOOK = "Returns are accepted within 30 days of delivery. Standard delivery costs 4.90 euros."
GOOD = "Returns are accepted within 30 days of delivery."
UNSURE = f"{GOOD} A courier also picks them up at your door for 7.50 euros."
WRONG = "Returns are accepted within 60 days of delivery."


@pytest.fixture
def run():
    """Return a function that creates a Shield and a session with a tool result."""

    def make(**declared):
        tools = [Tool(name="read", read_only=True)]
        firewall = Shield(shield.configure(**{"tools": tools, **declared}), hooks=None)
        session = firewall.session()
        session.user("May I send my order back?")
        call = {"name": "read", "arguments": {}, "id": "c1"}
        firewall.check_call(call, session=session)
        firewall.check_result(call, HANDBOOK, elapsed_ms=3, session=session)
        return firewall, session

    return make


def settle_draft(made, draft, *later, **given):
    """Return the outcome, the feedback to the writer, and the session."""
    firewall, session = made
    messages, left = [], iter(later)

    def write(feedback):
        messages.append(feedback)
        return next(left)

    return firewall.settle_answer(draft, write=write, session=session, **given), messages, session


def test_a_supported_draft_is_emitted(run):
    """No revision is requested."""
    done, messages, _ = settle_draft(run(), GOOD)

    assert (GOOD, 0, "", []) == (done.text, done.rounds, done.refused, messages)


def test_an_unsupported_draft_is_revised(run):
    """Each draft has a Decision."""
    done, messages, session = settle_draft(run(), UNSURE, GOOD)

    assert (GOOD, 1, "") == (done.text, done.rounds, done.refused)
    assert "picks them up at your door" in messages[0]
    assert ["revise", "allow"] == [one.action for one in session.answer_decisions]


def test_a_refuted_draft_is_refused(run):
    """The text is the refusal of the policy."""
    config = AnswerConfig(refusal="Please ask our staff: {reason}.")
    done, messages, _ = settle_draft(run(answer=config), WRONG)

    assert done.text.startswith("Please ask our staff: a statement in it contradicts")
    assert ([], True) == (messages, bool(done.refused))


@pytest.mark.parametrize(
    "declared", [{"mode": "audit"}, {"modes": {"answer": "audit"}}], ids=["audit", "answer"]
)
def test_audit_emits_the_draft(run, declared):
    """It is checked once, recorded, and not changed."""
    done, messages, session = settle_draft(run(**declared), WRONG)
    [decision] = session.answer_decisions

    assert (WRONG, 0, "", []) == (done.text, done.rounds, done.refused, messages)
    assert (True, False) == (decision.would_block, decision.blocked)


def test_the_kill_switch_emits_the_draft(run, monkeypatch):
    """The kill switch stops enforcement for answers, too."""
    monkeypatch.setenv("ABS_SHIELD_MODE", "audit")

    assert WRONG == settle_draft(run(), WRONG)[0].text


def test_a_shield_that_is_off_emits_the_draft(run):
    """While the Shield is off, nothing is checked."""
    with no_shield():
        done, _, _ = settle_draft(run(), WRONG)

    assert (WRONG, ("shield_off",)) == (done.text, done.checked.notes)


def test_a_policy_without_answer_checks_emits_the_draft(run):
    """No Decision is made, unless a config is passed."""
    record = run(answer=False)
    done, _, session = settle_draft(record, WRONG)

    assert (WRONG, (), ("answers_not_judged",)) == (
        done.text, session.answer_decisions, done.checked.notes,
    )  # fmt: skip
    assert settle_draft(record, WRONG, config=AnswerConfig())[0].refused


def test_async_is_the_same(run):
    """The writer may be async."""
    firewall, session = run()

    async def write(feedback):
        return GOOD

    done = asyncio.run(firewall.asettle_answer(UNSURE, write=write, session=session))

    assert (GOOD, 1, "") == (done.text, done.rounds, done.refused)


@pytest.mark.parametrize("declared", [{"mode": "audit"}, {"answer": False}, {}])
def test_async_passes_as_sync_does(run, declared):
    """Sync and async give equal results in every mode."""
    firewall, session = run(**declared)
    later = asyncio.run(firewall.asettle_answer(WRONG, write=None, session=session))
    at_once, _, _ = settle_draft(run(**declared), WRONG)

    assert (at_once.text, at_once.refused) == (later.text, later.refused)


def test_an_answer_that_is_not_a_text(run):
    """It raises a `ShieldError`."""
    with pytest.raises(ShieldError, match="give a text"):
        settle_draft(run(), 5)
