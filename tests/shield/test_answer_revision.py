"""The drafts of one answer, for a framework that calls its model itself."""

from __future__ import annotations

import asyncio

from abs_shield import AnswerConfig, Shield, shield
from abs_shield.core.events import Returned
from abs_shield.session import Session
from abs_shield.session.session_record import record_of

TRUE = "Booking ABC123 costs 420.00 EUR."
DRAFT = f"{TRUE} A courier picks you up for 75 euros."


def guard(mode: str = "strict", **config: object) -> Shield:
    """Return a Shield that stores its decisions in memory."""
    return Shield(shield.configure(mode=mode, **config), hooks=None)  # type: ignore[arg-type]


def session_with_price(firewall: Shield) -> Session:
    """Return a session in which a tool returned the price."""
    session = firewall.session()
    session.user("What does my booking ABC123 cost?")
    record_of(session).record_event(Returned("find_booking", TRUE, "c1"))
    return session


def test_drafts_are_submitted_until_one_passes() -> None:
    """`submit` returns the feedback as a text, or the outcome as `Settled`; drafts are recorded."""
    firewall = guard()
    with session_with_price(firewall) as session:
        revision = firewall.answer_revision()
        assert revision is not None
        feedback = revision.submit(DRAFT)
        done = revision.submit(TRUE)

    assert isinstance(feedback, str)
    assert "75 euros" in feedback
    assert (TRUE, 1) == (done.text, done.rounds)  # type: ignore[union-attr]
    assert 2 == len(session.answer_decisions)


def test_a_repeated_draft_is_refused() -> None:
    """Like in `settle_answer`, also in async code."""
    firewall = guard()
    with session_with_price(firewall):
        revision = firewall.answer_revision()
        assert revision is not None
        first, second = (asyncio.run(revision.asubmit(DRAFT)) for _ in range(2))

    assert isinstance(first, str)
    assert second.refused  # type: ignore[union-attr]


def test_feedback_in_a_transcript_is_not_evidence() -> None:
    """It quotes unsupported claims, which the model cannot use as evidence."""
    firewall = guard()
    for frame in ("{}", "The answer failed our checks:\n{}\nTry again.", ""):
        with session_with_price(firewall) as session:
            revision = firewall.answer_revision()
            assert revision is not None
            feedback = revision.submit(DRAFT)
            if frame:
                session.add([{"role": "user", "content": frame.format(feedback)}])
            other = revision.submit(f"{TRUE} That courier picks you up for 75 euros.")

            assert other.refused  # type: ignore[union-attr]
            assert 1 == session.turns


def test_audit_emits_the_first_draft() -> None:
    """Findings are recorded, and no revision is requested."""
    firewall = guard("audit")
    with session_with_price(firewall) as session:
        revision = firewall.answer_revision()
        assert revision is not None
        assert not revision.enforced
        done = revision.submit(DRAFT)

    assert DRAFT == done.text  # type: ignore[union-attr]
    assert 1 == len(session.answer_decisions)


def test_no_revision_where_the_policy_judges_no_answers() -> None:
    """`answer=False` returns None, unless a config is passed."""
    firewall = guard(answer=False)
    with session_with_price(firewall):
        assert firewall.answer_revision() is None
        assert firewall.answer_revision(config=AnswerConfig()) is not None
