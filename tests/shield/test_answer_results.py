"""The one Decision about an answer: mode, verdict, findings that point into the report, time."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from time import time

import pytest

from abs_shield import AnswerConfig, Mode, Shield, ShieldError, Tool, Verdict, shield
from abs_shield.core import Action, Outcome
from abs_shield.stores import open_store
from abs_shield.testing import no_shield

CALL = {"name": "get_booking", "arguments": {"id": "ABC123"}, "id": "c1"}
BOOKING = "Booking ABC123 costs 420.00 EUR and includes breakfast."
MADE_UP = "Booking ABC123 costs 999.00 EUR. I have cancelled booking ABC123."
TOLD = "Booking ABC123 costs 420.00 EUR."


@pytest.fixture
def shop():
    """Return a function that creates a Shield and a session in which a booking was read."""

    def make(store=None, **declared):
        tools = [Tool(name="get_booking", read_only=True), Tool(name="cancel_booking")]
        policy = shield.configure(**{"mode": "strict", "tools": tools, **declared})
        firewall = Shield(policy, hooks=None, store=store)
        session = firewall.session()
        session.user("Please tell me the price of booking ABC123.")
        firewall.check_call(CALL, session=session)
        firewall.check_result(CALL, BOOKING, elapsed_ms=3, session=session)
        return firewall, session

    return make


def check_text(shop, text, /, **given):
    """Return the only Decision about an answer."""
    firewall, session = shop(**given)
    firewall.check_answer(text, session=session)
    [decision] = session.answer_decisions
    return decision


@pytest.mark.parametrize(
    ("declared", "mode", "blocked"),
    [
        ({}, Mode.STRICT, True),
        ({"mode": "audit"}, Mode.AUDIT, False),
        ({"modes": {"answer": "audit"}}, Mode.AUDIT, False),
        ({"mode": "audit", "modes": {"answer": "strict"}}, Mode.STRICT, True),
    ],
)
def test_the_mode_says_whether_a_block_is_enforced(shop, declared, mode, blocked):
    """The action and `would_block` are equal in both modes."""
    decision = check_text(shop, MADE_UP, **declared)

    assert (mode, blocked) == (decision.mode, decision.blocked)
    assert (Action.BLOCK, True) == (decision.action, decision.would_block)


def test_the_kill_switch_stops_enforcement(shop, monkeypatch):
    """An answer is judged, but not blocked."""
    monkeypatch.setenv("ABS_SHIELD_MODE", "audit")
    decision = check_text(shop, MADE_UP)

    assert (Mode.AUDIT, False, True) == (decision.mode, decision.blocked, decision.would_block)


def test_a_supported_answer_is_clean(shop):
    """It has no findings, and the check ran."""
    decision = check_text(shop, TOLD)

    assert (Verdict.CLEAN, ()) == (decision.verdict, decision.findings)
    assert {"answer": Outcome.RAN} == {n: c.outcome for n, c in decision.coverage.items()}
    assert "answer is CLEAN: nothing to say" == decision.explain()


def test_findings_point_into_the_report(shop):
    """Each claim that is not grounded is a finding; the worst one decides the verdict."""
    decision = check_text(shop, MADE_UP)
    told_of = [(f.where, f.code) for f in decision.findings]

    assert ("/claims/1", "contradicted") in told_of
    assert decision.verdict is Verdict.worst(f.verdict for f in decision.findings if f.weighs)
    assert decision.explain().startswith("answer is HALLUCINATED: answer at /claims/0: ")


@pytest.mark.parametrize(
    ("config", "code", "where"),
    [
        (AnswerConfig(high_stakes=True), "not_probed", "/consistency_probes"),
        (AnswerConfig(emit_threshold=1.0), "below_emit_threshold", "/overall_score"),
    ],
)
def test_a_reason_against_the_whole_answer_is_a_finding(shop, config, code, where):
    """The verdict has a finding, even if no claim is unsupported."""
    decision = check_text(shop, TOLD, answer=config)

    assert Verdict.SUSPICIOUS is decision.verdict
    assert (code, where) in [(f.code, f.where) for f in decision.findings if f.weighs]


def test_a_run_without_results_is_reported_as_such(shop):
    """The check is unavailable, with its reason."""
    firewall, _ = shop()
    with firewall.session() as session:
        firewall.check_answer(TOLD)
    [decision] = session.answer_decisions

    assert (Verdict.SUSPICIOUS, Action.REVISE) == (decision.verdict, decision.action)
    assert (Outcome.UNAVAILABLE, "no_evidence") == decision.coverage["answer"]
    assert ["/claims"] == [finding.where for finding in decision.findings]


def test_a_decision_has_its_start_and_duration(shop):
    """The start is before the Decision, and the duration is positive."""
    before = time()
    decision = check_text(shop, TOLD)

    assert before <= decision.at <= time()
    assert 0 < decision.elapsed_ms < 60_000


def test_a_log_stores_it(shop, tmp_path):
    """The Decision about an answer is stored and read like any other."""
    store = open_store(str(tmp_path / "decisions.db"))
    decision = check_text(shop, MADE_UP, store=store)
    assert store.close()

    with contextlib.closing(open_store(str(tmp_path / "decisions.db"))) as store:
        with_answer = [one for one in store.scan() if not one.tool]
    assert [decision] == with_answer


def test_async_records_the_same(shop):
    """The async check records one Decision with equal findings."""
    firewall, session = shop()
    asyncio.run(firewall.acheck_answer(MADE_UP, session=session))
    [decision] = session.answer_decisions

    assert check_text(shop, MADE_UP).findings == decision.findings


def test_a_shield_that_is_off_checks_nothing(shop):
    """While the Shield is off, nothing is checked, and the Decision has a note."""
    firewall, session = shop()
    with no_shield():
        report = firewall.check_answer(MADE_UP, session=session)
        later = asyncio.run(firewall.acheck_answer(MADE_UP, session=session))
    decision = session.answer_decisions[0]

    assert ("emit", (), None) == (report.action, report.claims, report.overall_score)
    assert report == later
    assert (("shield_off",), Outcome.UNAVAILABLE) == (
        decision.notes, decision.coverage["answer"].outcome,
    )  # fmt: skip


def test_a_policy_without_answer_checks_raises(shop):
    """An explicit check raises, unless a config is passed."""
    firewall, session = shop(answer=False)
    with pytest.raises(ShieldError, match="answer=False"):
        firewall.check_answer(TOLD, session=session)

    assert "emit" == firewall.check_answer(TOLD, session=session, config=AnswerConfig()).action


def test_no_check_was_requested(shop):
    """A run without an answer check has no decision about an answer."""
    _, session = shop()

    assert ((), 1) == (session.answer_decisions, len(session.decisions))


@pytest.mark.parametrize(("allow", "missed"), [((), 1), (("555-0199",), 0)])
def test_the_allowlist_is_evidence(shop, allow, missed):
    """An unmentioned value in the allowlist is evidence."""
    decision = check_text(shop, f"{BOOKING} The number to call is 555-0199.", allow=allow)

    assert missed == sum("0199" in finding.detail for finding in decision.findings)


def break_check(monkeypatch):
    """Replace a part of the check by a function that raises."""

    def broken(*_, **__):
        raise KeyError("4711 is secret")

    monkeypatch.setattr("abs_shield.answer.claim_scores.combine", broken)


@pytest.mark.parametrize(
    ("declared", "action", "blocked"),
    [
        ({}, Action.BLOCK, True),
        ({"mode": "audit"}, Action.BLOCK, False),
        ({"on_error": "allow"}, Action.ALLOW, False),
    ],
)
def test_an_internal_error_is_not_a_verdict(shop, monkeypatch, caplog, declared, action, blocked):
    """It does not raise, and the policy decides whether it blocks."""
    break_check(monkeypatch)
    decision = check_text(shop, TOLD, **declared)

    assert (Verdict.CLEAN, action, blocked) == (decision.verdict, decision.action, decision.blocked)
    assert Outcome.ERROR is decision.coverage["answer"].outcome
    assert "KeyError" in decision.errors[0]
    fixed = replace(decision, id="d", at=0.0, elapsed_ms=0.0, session_id="s", run_id="r")
    assert "4711" not in caplog.text + fixed.to_json()


def test_an_unchecked_answer_is_refused_with_that_reason(shop, monkeypatch):
    """The refusal does not mention a claim, in sync and async code."""
    break_check(monkeypatch)
    firewall, session = shop()
    done = firewall.settle_answer(TOLD, write=str, session=session)
    later = asyncio.run(firewall.asettle_answer(TOLD, write=str, session=session))

    assert "I cannot answer this reliably: it could not be checked." == done.text == later.text
