"""The Decision about a text that the faithfulness guardrail judges on behalf of a Shield."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from abs_shield import Mode, PolicyError, Shield, Verdict, shield
from abs_shield.answer import Faithfulness
from abs_shield.core import Action, Outcome, Subject
from abs_shield.stores import open_store
from abs_shield.testing import capture_decisions, no_shield

CONTEXT = "The Eiffel Tower is located in Paris, France. It was built in 1889."
TRUE = "The Eiffel Tower is in Paris. It was built in 1889."
WRONG = f"{TRUE} It is 330 meters tall."


def decide(text, *, policy=None, method="check", store=None, **settings):
    """Return the result and the only Decision about a text."""
    firewall = Shield(shield.configure(**policy or {}), hooks=None, store=store)
    options = {"provider": "lexical", "context": CONTEXT, "shield": firewall} | settings
    with firewall.session() as session, capture_decisions(firewall) as decisions:
        result = getattr(Faithfulness(**options), method)(text)
    assert list(session.answer_decisions) == list(decisions.answers)
    assert [] == decisions
    return result, decisions.answers.only()


def test_a_denied_text_is_a_block():
    """Its findings point to the statements that lower the score, and to the score."""
    result, decision = decide(WRONG)

    assert result.denied
    assert (Subject.ANSWER, "", Mode.STRICT) == (decision.subject, decision.tool, decision.mode)
    assert (Verdict.HALLUCINATED, Action.BLOCK) == (decision.verdict, decision.action)
    assert decision.blocked
    assert decision.would_block
    assert {"faithfulness": Outcome.RAN} == {k: v.outcome for k, v in decision.coverage.items()}
    findings = [(one.check, one.where, one.code) for one in decision.findings]
    assert [
        ("faithfulness", "/statements/2", "unfaithful"),
        ("faithfulness", "/score", "below_threshold"),
    ] == findings
    assert "score 0.667 is below 0.8" in decision.explain()
    assert decision.elapsed_ms > 0


def test_a_faithful_text_is_allowed():
    """It has no findings, and its Decision has the run and the policy."""
    result, decision = decide(TRUE)

    assert result.passed
    assert (Verdict.CLEAN, Action.ALLOW, ()) == (
        decision.verdict, decision.action, decision.findings
    )  # fmt: skip
    assert decision.run_id
    assert decision.session_id
    assert shield.configure().revision == decision.policy_revision


@pytest.mark.parametrize(
    ("text", "code"),
    [(WRONG, "unfaithful"), ("The Great Wall is located in China.", "only_out_of_scope")],
)
def test_a_text_that_passes_with_a_note_is_flagged(text, code):
    """One wrong statement of three at 0.5, and a text that is out of scope, are not blocked."""
    result, decision = decide(text, threshold=0.5)

    assert result.passed
    assert (Verdict.SUSPICIOUS, Action.FLAG) == (decision.verdict, decision.action)
    assert not decision.would_block
    assert [code] == [one.code for one in decision.findings]


def test_a_greeting_is_not_judged():
    """The check is unavailable."""
    _, decision = decide("Hello!")

    assert (Verdict.CLEAN, Action.ALLOW) == (decision.verdict, decision.action)
    assert (Outcome.UNAVAILABLE, "no_statements") == decision.coverage["faithfulness"]


def test_an_undetermined_text_is_an_error_and_no_finding():
    """Strict denies a text that could not be judged, without a finding."""

    def broken(messages, schema):
        raise RuntimeError("no route")

    result, decision = decide(TRUE, provider=broken)

    assert result.denied
    assert (Verdict.CLEAN, Action.BLOCK, True) == (
        decision.verdict, decision.action, decision.blocked
    )  # fmt: skip
    assert () == decision.findings
    assert Outcome.ERROR is decision.coverage["faithfulness"].outcome
    assert "no route" in decision.errors[0]


@pytest.mark.parametrize(
    ("policy", "mode", "denied"),
    [
        ({}, "strict", True),
        ({}, "audit", False),
        ({"mode": "audit"}, "strict", False),
        ({"modes": {"faithfulness": "audit"}}, "strict", False),
        ({"mode": "audit", "modes": {"faithfulness": "strict"}}, "strict", True),
        ({"modes": {"answer": "audit"}}, "strict", True),
    ],
)
def test_audit_takes_precedence(policy, mode, denied):
    """Both the policy and the guardrail must be strict; the record is the same."""
    result, decision = decide(WRONG, policy=policy, mode=mode)

    assert (denied, denied) == (result.denied, decision.blocked)
    assert (True, Action.BLOCK) == (decision.would_block, decision.action)
    assert ("strict" if denied else "audit") == decision.mode


def test_the_kill_switch_stops_enforcement_of_outputs_and_texts(monkeypatch):
    """The kill switch applies to the guardrail, too."""
    monkeypatch.setenv("ABS_SHIELD_MODE", "audit")
    result, decision = decide(WRONG)

    assert (False, False, True) == (result.denied, decision.blocked, decision.would_block)


def test_a_shield_that_is_off_judges_nothing():
    """The Decision has a note, like that of a call."""
    with no_shield():
        result, decision = decide(WRONG)

    assert ("not_run: the shield is off",) == result.notes
    assert ("shield_off",) == decision.notes
    assert Outcome.UNAVAILABLE is decision.coverage["faithfulness"].outcome


def test_a_streamed_text_is_recorded_once():
    """The Decision has the statements of all parts, at the end or where the text was denied."""
    text = f"{TRUE} {WRONG}"
    chunks = [text[n : n + 9] for n in range(0, len(text), 9)]
    firewall = Shield(shield.configure(), hooks=None)
    guard = Faithfulness(provider="lexical", context=CONTEXT, shield=firewall)

    async def read():
        async def stream():
            for chunk in chunks:
                yield chunk

        return [part async for part in guard.astream(stream(), window=20)]

    with capture_decisions(firewall) as decisions:
        parts = list(guard.stream(chunks, window=20))
        again = asyncio.run(read())

    assert parts == again
    assert len(parts) > 1
    first, second = decisions.answers
    assert [one.where for one in first.findings] == [one.where for one in second.findings]
    assert ["/statements/4"] == [one.where for one in first.findings]
    assert Action.FLAG is first.action  # 4 of 5 at 0.8


def test_a_stream_that_is_not_read_to_its_end_is_recorded():
    """The part that was judged is recorded."""
    firewall = Shield(shield.configure(), hooks=None)
    guard = Faithfulness(provider="lexical", context=CONTEXT, shield=firewall)
    with capture_decisions(firewall) as decisions:
        stream = guard.stream([f"{TRUE} ", WRONG], window=20)
        next(stream)
        stream.close()

    assert Action.ALLOW is decisions.answers.only().action


def test_an_input_is_distinguished_from_a_response():
    """The Decision about an input has a note; a text that is not judged has no Decision."""
    _, decision = decide(WRONG, method="check_input", before=True)
    firewall = Shield(shield.configure(), hooks=None)
    with capture_decisions(firewall) as decisions:
        Faithfulness(provider="lexical", context=CONTEXT, shield=firewall).check_input(WRONG)

    assert ("user_input",) == decision.notes
    assert [] == decisions.everything


def test_a_store_keeps_the_decision(tmp_path):
    """It has the places of statements, but not their texts."""
    path = str(tmp_path / "decisions.db")
    with contextlib.closing(open_store(path)) as store:
        _, decision = decide("The Eiffel Tower is smaragdine, it was sold.", store=store)
    with contextlib.closing(open_store(path)) as store:
        kept = [*store.scan()]

    assert [decision.id] == [one.id for one in kept]
    assert kept[0].findings
    assert "smaragdine" not in str(kept[0].to_dict())


def test_another_value_than_a_shield_is_refused():
    """A wrong value raises when the guardrail is declared."""
    with pytest.raises(PolicyError, match="`shield` is 5; give a Shield"):
        Faithfulness(provider="lexical", context=CONTEXT, shield=5)


def test_its_mode_is_one_of_the_policy():
    """The policy may set the mode of the check, but not for one tool."""
    firewall = Shield(shield.configure(modes={"faithfulness": "audit"}), hooks=None)

    assert [] == [one.code for one in firewall.prove().problems if "mode" in one.code]
    with pytest.raises(PolicyError, match="an answer has no tool"):
        shield.configure(modes={("refund", "faithfulness"): "audit"})
