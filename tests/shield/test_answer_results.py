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
    """Makes a Shield and a run of it in which one booking was read; keywords go to its policy."""

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
    """The one Decision about an answer."""
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
    """The action and what strict would do are the same in both."""
    decision = check_text(shop, MADE_UP, **declared)

    assert (mode, blocked) == (decision.mode, decision.blocked)
    assert (Action.BLOCK, True) == (decision.action, decision.would_block)


def test_the_kill_switch_stops_enforcement(shop, monkeypatch):
    """An answer is judged as ever, and not stopped."""
    monkeypatch.setenv("ABS_SHIELD_MODE", "audit")
    decision = check_text(shop, MADE_UP)

    assert (Mode.AUDIT, False, True) == (decision.mode, decision.blocked, decision.would_block)


def test_an_answer_that_holds_is_clean(shop):
    """It has no finding, and its check ran."""
    decision = check_text(shop, TOLD)

    assert (Verdict.CLEAN, ()) == (decision.verdict, decision.findings)
    assert {"answer": Outcome.RAN} == {n: c.outcome for n, c in decision.coverage.items()}
    assert "answer is CLEAN: nothing to say" == decision.explain()


def test_findings_point_into_the_report(shop):
    """One for each claim that is not grounded, under its status; the gravest makes the verdict."""
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
def test_what_speaks_against_the_whole_is_a_finding(shop, config, code, where):
    """No claim is to blame, and the verdict has its finding all the same."""
    decision = check_text(shop, TOLD, answer=config)

    assert Verdict.SUSPICIOUS is decision.verdict
    assert (code, where) in [(f.code, f.where) for f in decision.findings if f.weighs]


def test_a_run_without_results_is_reported_as_such(shop):
    """Nothing could be checked: unavailable, with its reason, and no pass."""
    firewall, _ = shop()
    with firewall.session() as session:
        firewall.check_answer(TOLD)
    [decision] = session.answer_decisions

    assert (Verdict.SUSPICIOUS, Action.REVISE) == (decision.verdict, decision.action)
    assert (Outcome.UNAVAILABLE, "no_evidence") == decision.coverage["answer"]
    assert ["/claims"] == [finding.where for finding in decision.findings]


def test_it_says_when_and_how_long(shop):
    """It began before it was made, and took its time."""
    before = time()
    decision = check_text(shop, TOLD)

    assert before <= decision.at <= time()
    assert 0 < decision.elapsed_ms < 60_000


def test_a_log_keeps_it(shop, tmp_path):
    """A record of an answer is written and read back as any other."""
    store = open_store(str(tmp_path / "decisions.db"))
    decision = check_text(shop, MADE_UP, store=store)
    assert store.close()

    with contextlib.closing(open_store(str(tmp_path / "decisions.db"))) as store:
        with_answer = [one for one in store.scan() if not one.tool]
    assert [decision] == with_answer


def test_async_records_the_same(shop):
    """One Decision, with the same findings."""
    firewall, session = shop()
    asyncio.run(firewall.acheck_answer(MADE_UP, session=session))
    [decision] = session.answer_decisions

    assert check_text(shop, MADE_UP).findings == decision.findings


def test_off_is_off(shop):
    """While a test has the shield off nothing is checked, and the record says so."""
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


def test_a_policy_that_judges_none_says_so(shop):
    """An explicit check reports it; a config in the call enables the check."""
    firewall, session = shop(answer=False)
    with pytest.raises(ShieldError, match="answer=False"):
        firewall.check_answer(TOLD, session=session)

    assert "emit" == firewall.check_answer(TOLD, session=session, config=AnswerConfig()).action


def test_no_check_was_requested(shop):
    """A run without an answer check has no decision about an answer."""
    _, session = shop()

    assert ((), 1) == (session.answer_decisions, len(session.decisions))


@pytest.mark.parametrize(("allow", "missed"), [((), 1), (("555-0199",), 0)])
def test_what_the_policy_allows_is_evidence(shop, allow, missed):
    """An unmentioned value in the allowlist is evidence."""
    decision = check_text(shop, f"{BOOKING} The number to call is 555-0199.", allow=allow)

    assert missed == sum("0199" in finding.detail for finding in decision.findings)


def breaks(monkeypatch):
    """A part of the check that raises, as only our own mistake can."""

    def broken(*_, **__):
        raise KeyError("4711 is secret")

    monkeypatch.setattr("abs_shield.answer.check_pipeline.combine", broken)


@pytest.mark.parametrize(
    ("declared", "action", "blocked"),
    [
        ({}, Action.BLOCK, True),
        ({"mode": "audit"}, Action.BLOCK, False),
        ({"on_error": "allow"}, Action.ALLOW, False),
    ],
)
def test_our_own_failure_is_no_verdict(shop, monkeypatch, caplog, declared, action, blocked):
    """It is an error that does not raise, and the policy decides whether to block."""
    breaks(monkeypatch)
    decision = check_text(shop, TOLD, **declared)

    assert (Verdict.CLEAN, action, blocked) == (decision.verdict, decision.action, decision.blocked)
    assert Outcome.ERROR is decision.coverage["answer"].outcome
    assert "KeyError" in decision.errors[0]
    fixed = replace(decision, id="d", at=0.0, elapsed_ms=0.0, session_id="s", run_id="r")
    assert "4711" not in caplog.text + fixed.to_json()


def test_what_could_not_be_checked_is_refused_as_that(shop, monkeypatch):
    """Sync and async; the refusal blames no statement."""
    breaks(monkeypatch)
    firewall, session = shop()
    done = firewall.settle_answer(TOLD, write=str, session=session)
    later = asyncio.run(firewall.asettle_answer(TOLD, write=str, session=session))

    assert "I cannot answer this reliably: it could not be checked." == done.text == later.text
