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
    """Makes a Shield and a run of it that read the handbook; keywords go to its policy."""

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


def settled(made, draft, *later, **given):
    """Return what is said in the end, what the writer was told, and the session."""
    firewall, session = made
    messages, left = [], iter(later)

    def write(feedback):
        messages.append(feedback)
        return next(left)

    return firewall.settle_answer(draft, write=write, session=session, **given), messages, session


def test_a_draft_that_holds_is_reported(run):
    """Nobody writes again."""
    done, messages, _ = settled(run(), GOOD)

    assert (GOOD, 0, "", []) == (done.text, done.rounds, done.refused, messages)


def test_a_draft_that_does_not_is_written_again(run):
    """Each draft has its Decision."""
    done, messages, session = settled(run(), UNSURE, GOOD)

    assert (GOOD, 1, "") == (done.text, done.rounds, done.refused)
    assert "picks them up at your door" in messages[0]
    assert ["revise", "allow"] == [one.action for one in session.answer_decisions]


def test_a_refuted_draft_is_refused(run):
    """By the policy's own words."""
    config = AnswerConfig(refusal="Please ask our staff: {reason}.")
    done, messages, _ = settled(run(answer=config), WRONG)

    assert done.text.startswith("Please ask our staff: a statement in it contradicts")
    assert ([], True) == (messages, bool(done.refused))


@pytest.mark.parametrize(
    "declared", [{"mode": "audit"}, {"modes": {"answer": "audit"}}], ids=["audit", "answer"]
)
def test_audit_says_the_draft(run, declared):
    """It is checked once, written down, and not touched."""
    done, messages, session = settled(run(**declared), WRONG)
    [decision] = session.answer_decisions

    assert (WRONG, 0, "", []) == (done.text, done.rounds, done.refused, messages)
    assert (True, False) == (decision.would_block, decision.blocked)


def test_the_kill_switch_says_the_draft(run, monkeypatch):
    """As it lets every call run."""
    monkeypatch.setenv("ABS_SHIELD_MODE", "audit")

    assert WRONG == settled(run(), WRONG)[0].text


def test_off_says_the_draft(run):
    """While a test has the shield off, nothing is checked."""
    with no_shield():
        done, _, _ = settled(run(), WRONG)

    assert (WRONG, ("shield_off",)) == (done.text, done.checked.notes)


def test_a_policy_that_judges_none_says_the_draft(run):
    """No Decision is made; who gives a config asks for a check."""
    record = run(answer=False)
    done, _, session = settled(record, WRONG)

    assert (WRONG, (), ("answers_not_judged",)) == (
        done.text, session.answer_decisions, done.checked.notes,
    )  # fmt: skip
    assert settled(record, WRONG, config=AnswerConfig())[0].refused


def test_async_is_the_same(run):
    """With a writer that is awaited."""
    firewall, session = run()

    async def write(feedback):
        return GOOD

    done = asyncio.run(firewall.asettle_answer(UNSURE, write=write, session=session))

    assert (GOOD, 1, "") == (done.text, done.rounds, done.refused)


@pytest.mark.parametrize("declared", [{"mode": "audit"}, {"answer": False}, {}])
def test_async_passes_as_sync_does(run, declared):
    """In every mode."""
    firewall, session = run(**declared)
    later = asyncio.run(firewall.asettle_answer(WRONG, write=None, session=session))
    at_once, _, _ = settled(run(**declared), WRONG)

    assert (at_once.text, at_once.refused) == (later.text, later.refused)


def test_an_answer_that_is_no_text(run):
    """Is a mistake of the caller's."""
    with pytest.raises(ShieldError, match="give a text"):
        settled(run(), 5)
