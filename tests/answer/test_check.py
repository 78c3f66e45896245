"""The check of an answer: statuses, notes, the gate, sync and async."""

from __future__ import annotations

import asyncio
import re

import pytest

from abs_shield import AnswerConfig, Shield, ShieldError, Tool, shield
from abs_shield.answer.answer_revision import asettled, feedback_on, settled
from abs_shield.answer.check_pipeline import achecked, check_answer, checked
from abs_shield.answer.evidence.evidence_collection import evidence_from
from abs_shield.answer.hallucination_report import REPORT_SCHEMA
from abs_shield.answer.scorers.word_scorer import answer_score, words
from abs_shield.core import Action, Subject, Verdict
from abs_shield.schema import compile_schema

TOWER = "The Eiffel Tower is located in Paris, France. It was built in 1889 for the World's Fair."
CONFIG = AnswerConfig()


def statuses(found):
    return [claim.status for claim in found.report.claims]


@pytest.mark.parametrize(
    ("answer", "action", "wanted"),
    [
        ("The Eiffel Tower is in Paris. It was built in 1889.", "emit", ["grounded", "grounded"]),
        ("The Eiffel Tower is in Paris. It was built in 1925.", "block", ["grounded", None]),
        ("The Eiffel Tower is in Paris. It is 330 meters tall.", "block", ["grounded", None]),
        ("Hello! How can I help you?", "emit", []),
        ("I could not find anything about that.", "emit", []),
    ],
)
def test_claims_are_compared_with_a_document(answer, action, wanted):
    """Claims that a document contains are grounded, and others are not."""
    report = checked(answer, evidence=TOWER)

    assert action == report.report.action
    assert len(wanted) == len(report.report.claims)
    assert all(one in (None, text) for one, text in zip(wanted, statuses(report), strict=True))
    assert "grounded" not in [
        text for one, text in zip(wanted, statuses(report), strict=True) if one is None
    ]


def test_no_claims_have_no_score():
    """An answer without claims has no score and the note `no_claims`."""
    report = checked("Hello! How can I help you?", evidence=TOWER)

    assert (None, "emit") == (report.report.overall_score, report.report.action)
    assert "no_claims" in report.notes


def test_no_evidence_verifies_nothing():
    """Without evidence claims are unverified, and the answer is revised."""
    report = checked("It was built in 1889.", evidence=[])

    assert (["unverified"], "revise") == (statuses(report), report.report.action)
    assert "no_evidence" in report.notes


def test_overall_score_is_that_of_the_answer_layer():
    """The overall score is the answer layer's, not the lowest of the claims'."""
    answer = "The Eiffel Tower is in Paris. It stands near a river. It was built for a fair."
    report = checked(answer, evidence=TOWER)
    found_words = words([one.claim for one in report.claims], evidence_from(TOWER))

    assert answer_score(found_words) == report.report.overall_score
    assert [one.score for one in found_words] == [one.score for one in report.claims]


def test_refuted_claim_bounds_the_overall_score():
    """The overall score is at most that of a refuted claim."""
    answer = "The Eiffel Tower is located in Paris, France. It was built in 1889. It is 330 meters."
    report = checked(answer, evidence=TOWER)
    refuted = [one.score for one in report.claims if one.confirmed]

    assert 1 == len(refuted)
    assert report.report.overall_score <= refuted[0] < 0.6


@pytest.mark.parametrize("task", ["creative", "brainstorm", "draft"])
def test_creative_answer_is_not_scored(task):
    """A creative answer is emitted without claims and with the note `grounding_skipped`."""
    report = checked("It was built in 1925.", evidence=TOWER, config=AnswerConfig(task_type=task))

    assert ("emit", ()) == (report.report.action, report.report.claims)
    assert "grounding_skipped" in report.notes


def test_high_stakes_never_emit_without_probes():
    """With high stakes an answer is revised if there is no judge to probe it."""
    answer = "The Eiffel Tower is in Paris. It was built in 1889."
    report = checked(answer, evidence=TOWER, config=AnswerConfig(high_stakes=True))

    assert "revise" == report.report.action
    assert {"not_probed", "probes_not_run"} <= {*report.notes}


def test_report_matches_its_schema():
    """The report has exactly the fields of its schema."""
    report = check_answer("It was built in 1925. It is in Paris.", evidence=TOWER).to_dict()

    assert () == compile_schema(REPORT_SCHEMA).problems(report)
    assert {
        "run_id", "claims", "tool_call_validations", "consistency_probes", "overall_score",
        "action", "version",
    } == {*report}  # fmt: skip
    assert "1.0" == report["version"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"answer": 5, "evidence": "x"}, "give a text"),
        ({"answer": "x"}, "give one of `session=`"),
        ({"answer": "x", "evidence": "y", "run": []}, "give one of"),
        ({"answer": "x", "session": 5}, "give a `Session`"),
        ({"answer": "x", "evidence": "y", "question": 5}, "`question` is 5; give a text"),
        ({"answer": "x", "evidence": "y", "config": 5}, "give an `AnswerConfig`"),
        ({"answer": "x", "evidence": "y", "config": {5: 1}}, "5"),
        ({"answer": "x", "evidence": "y", "allow": "abc"}, "give a list"),
        ({"answer": "x", "evidence": "y", "allow": 5}, "give a list"),
        ({"answer": "x", "evidence": "y", "config": {"emit": 1}}, "emit"),
        ({"answer": "x", "run": "no messages"}, "give its messages"),
        ({"answer": "x", "run": {"id": 5}}, "give its messages"),
        ({"answer": "x", "run": [{"who": "me"}]}, "message"),
        ({"answer": "x", "evidence": "y", "config": {"probing": "background"}}, "`probed=`"),
    ],
)
def test_wrong_input_is_reported_on_one_line(given, expected):
    """Invalid input raises an error whose message says what to pass."""
    with pytest.raises(ShieldError, match=expected):
        check_answer(**given)


def booking():
    firewall = Shield(
        shield.configure(
            tools=[Tool(name="get_booking", read_only=True), Tool(name="cancel_booking")]
        ),
        hooks=None,
    )
    session = firewall.session()
    session.user("Please cancel booking ABC123 and tell me the refund.")
    call = {"name": "get_booking", "arguments": {"id": "ABC123"}, "id": "c1"}
    firewall.check_call(call, session=session)
    firewall.check_result(call, {"id": "ABC123", "price": 420.0}, elapsed_ms=3, session=session)
    return firewall, session


def test_action_without_a_call_is_contradicted():
    """A claimed cancellation without a call is contradicted and has one blocking Decision."""
    firewall, session = booking()
    report = firewall.check_answer("I have cancelled booking ABC123.", session=session)
    [decision] = session.answer_decisions

    assert ["contradicted"] == [claim.status for claim in report.claims]
    assert (Subject.ANSWER, Verdict.HALLUCINATED, Action.BLOCK) == (
        decision.subject, decision.verdict, decision.action,
    )  # fmt: skip
    assert decision in firewall.store.decisions()
    assert [("get_booking", "accepted")] == [
        (one.tool, one.status) for one in report.tool_call_validations
    ]
    assert {"id": "ABC123"} == report.tool_call_validations[0].args


def test_action_with_its_call_is_not_contradicted():
    """A claimed cancellation is not contradicted if its call ran without failing."""
    firewall, session = booking()
    call = {"name": "cancel_booking", "arguments": {"id": "ABC123"}, "id": "c2"}
    firewall.check_call(call, session=session)
    firewall.check_result(call, {"status": "cancelled"}, elapsed_ms=3, session=session)
    report = firewall.check_answer("I have cancelled booking ABC123.", session=session)

    assert "contradicted" not in [claim.status for claim in report.claims]
    assert "block" != report.action


def test_async_is_the_same():
    """The async check returns the claims and notes of the sync check."""
    answer = "The Eiffel Tower is in Paris. It was built in 1925."
    sync = checked(answer, evidence=TOWER)
    later = asyncio.run(achecked(answer, evidence=TOWER))

    assert sync.claims == later.claims
    assert sync.notes == later.notes


# The revise loop ---------------------------------------------------------------------------------


def check(answer):
    return checked(answer, evidence=TOWER)


UNSURE = "The Eiffel Tower is in Paris. Painters adore its violet light in autumn."
GOOD = "The Eiffel Tower is in Paris. It was built in 1889."


def test_an_answer_is_revised_once_and_emitted():
    """The feedback contains the ungrounded claim and the nearest evidence."""
    messages = []

    def write(feedback):
        messages.append(feedback)
        return GOOD

    done = settled(UNSURE, write=write, check=check, config=CONFIG)

    assert (GOOD, 1, "") == (done.text, done.rounds, done.refused)
    assert "violet light" in messages[0]
    assert "nearest evidence" in messages[0]


@pytest.mark.parametrize("drafts", [[UNSURE], ["Painters love it in spring.", "They really do."]])
def test_answer_without_progress_is_refused(drafts):
    """An answer that revisions do not improve is refused with the failure and no score."""
    left = iter(drafts)
    done = settled(UNSURE, write=lambda feedback: next(left), check=check, config=CONFIG)

    assert done.refused
    assert done.rounds <= 2
    assert "not supported" in done.text
    assert "score" not in done.text


def test_blocked_answer_is_not_revised():
    """A blocked answer is refused without a revision."""
    done = settled("It was built in 1925.", write=None, check=check, config=CONFIG)

    assert (0, True) == (done.rounds, bool(done.refused))


def test_the_loop_may_be_async():
    """The revise loop awaits an async writer and an async check."""

    async def write(feedback):
        return GOOD

    async def acheck(answer):
        return await achecked(answer, evidence=TOWER)

    done = asyncio.run(asettled(UNSURE, write=write, check=acheck, config=CONFIG))

    assert (GOOD, "") == (done.text, done.refused)


def test_feedback_is_bounded_and_escaped():
    """The feedback contains ten claims at most and escapes control characters."""
    answer = "\n".join(f"- The violet painter number {n} adores\x1b[2J autumn." for n in range(40))
    feedback = feedback_on(check(answer))

    assert "and 30 more" in feedback
    assert "\x1b" not in feedback


def test_code_that_is_left_out_is_reported():
    """A code block makes no claims and has the note `code_not_checked`."""
    report = checked("The tower is in Paris.\n```\nbuilt = 1925\n```", evidence=TOWER)

    assert "code_not_checked" in report.notes
    assert "code_not_checked" not in checked("Run `x` in Paris.", evidence=TOWER).notes


def test_weak_and_contradicted_claims_are_marked_whole():
    """Claims below 0.35 and contradicted ones are marked whole, others only at missing values."""
    evidence = "The tower in Lund has 85 steps. The roof of the tower is closed on Mondays in May."
    answer = (
        "The tower in Lund has 85 steps. The roof is closed all spring. The roof of the tower is"
        " open on Mondays in May. Violins from Cremona sleep beneath it. The tower in Lund has"
        " 85 steps and the roof of the tower has 47."
    )
    report = checked(answer, evidence=evidence)
    unsupported = [one.text for one in report.report.claims if one.status != "grounded"]

    assert [
        "The roof of the tower is open on Mondays in May.",
        "Violins from Cremona sleep beneath it.",
        "47",
    ] == [answer[start:end] for start, end in report.marked]
    assert "The roof is closed all spring." in unsupported


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "`evidence` is 5; give a text or a list of documents"),
        (b"x", "`evidence` is a value of type bytes; give"),
        ([5], "document 1 of `evidence` is 5; give a text or"),
        (["x", {"id": "a"}], "document 2 of `evidence` is an object of 1 member; give"),
    ],
)
def test_an_error_names_the_argument(given, message):
    """`evidence` here, and `context` where that is the argument."""
    with pytest.raises(ShieldError, match=re.escape(message)):
        check_answer("It rains.", evidence=given)
    with pytest.raises(ShieldError, match=re.escape(message.replace("evidence", "context"))):
        evidence_from(given)
