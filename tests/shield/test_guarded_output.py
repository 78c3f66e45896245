"""The Decision about an output that the quality cascade judges on behalf of a Shield."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest

from abs_shield import Mode, Shield, ShieldError, Verdict, shield
from abs_shield.core import Action, Outcome, Subject
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline
from abs_shield.quality.facts import Fact, FactTable
from abs_shield.shield.run_recorder import Recording
from abs_shield.shield.run_redaction import redacted
from abs_shield.stores import open_store
from abs_shield.testing import capture_decisions, no_shield

CARD = "Her card is 4111 1111 1111 1111."
WRONG = "In Q4 2025, Apple's market cap reached $3.2T."
FACTS = FactTable([Fact(subject="Apple", attribute="market cap", value="$3.1T", period="Q4 2025")])


def decide(text, *, policy=None, store=None, attempt=1, output=None, **settings):
    """Return the result and the only Decision about an output."""
    firewall = Shield(shield.configure(**policy or {}), hooks=None, store=store)
    pipeline = QualityPipeline(QualityConfig(facts=FACTS, **settings), shield=firewall)
    agent_output = AgentOutput(text=text, **output or {})
    with firewall.session() as session, capture_decisions(firewall) as decisions:
        result = pipeline.run(agent_output, attempt=attempt)
    assert [] == decisions
    assert list(session.output_decisions) == list(decisions.outputs)
    return result, decisions.outputs.only()


def test_a_held_output_is_a_block():
    """Its findings point into the result; the stages that ran are its coverage."""
    result, decision = decide(WRONG)

    assert result.held
    assert result.decision_id == decision.id
    assert (Subject.OUTPUT, "", Mode.STRICT) == (decision.subject, decision.tool, decision.mode)
    assert (Verdict.HALLUCINATED, Action.BLOCK) == (decision.verdict, decision.action)
    assert decision.blocked
    assert decision.would_block
    [finding] = decision.findings
    assert ("hallucination", "/stages/3/findings/0") == (finding.check, finding.where)
    assert "$3.2T" == WRONG[finding.evidence["start"] : finding.evidence["end"]]
    assert ("market cap", 0.87) == (finding.evidence["about"], finding.evidence["confidence"])
    assert Outcome.RAN is decision.coverage["hallucination"].outcome
    assert Outcome.UNAVAILABLE is decision.coverage["judge"].outcome


def test_personal_data_is_suspicious_and_is_not_repeated(tmp_path):
    """A leak is not a hallucination; the log has only the kind and the place of a value."""
    path = str(tmp_path / "decisions.db")
    with contextlib.closing(open_store(path)) as store:
        _, decision = decide(CARD, store=store)
    with contextlib.closing(open_store(path)) as store:
        kept = [*store.scan()]

    assert (Verdict.SUSPICIOUS, Action.BLOCK) == (decision.verdict, decision.action)
    assert [decision.id] == [one.id for one in kept]
    assert [("pii", "CreditCardNumber")] == [(f.check, f.code) for f in kept[0].findings]
    assert "4111 1111" not in str(kept[0].to_dict())


def test_a_clean_output_is_allowed():
    """Its Decision has the run, the agent and the model."""
    result, decision = decide("All done.", output={"agent_id": "writer", "model": "m-1"})

    assert not result.held
    assert (Verdict.CLEAN, Action.ALLOW, ()) == (
        decision.verdict, decision.action, decision.findings
    )  # fmt: skip
    assert ("writer", "m-1") == (decision.agent, decision.model)
    assert decision.session_id


def test_an_output_with_attempts_left_is_revised():
    """It is held back as well."""
    result, decision = decide(WRONG, attempts=2)

    assert "revise" == result.action
    assert (Action.REVISE, True, True) == (
        decision.action, decision.blocked, decision.would_block
    )  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "mode", "held"),
    [
        ({}, "strict", True),
        ({}, "audit", False),
        ({"mode": "audit"}, "strict", False),
        ({"modes": {"quality": "audit"}}, "strict", False),
        ({"mode": "audit", "modes": {"quality": "strict"}}, "strict", True),
        ({"modes": {"answer": "audit"}}, "strict", True),
    ],
)
def test_audit_takes_precedence(policy, mode, held):
    """Both the policy and the cascade must be strict; the record is the same."""
    result, decision = decide(WRONG, policy=policy, mode=mode)

    assert (held, held) == (result.held, decision.blocked)
    assert (True, Action.BLOCK) == (decision.would_block, decision.action)
    assert ("strict" if held else "audit") == decision.mode


def test_the_kill_switch_stops_enforcement_of_outputs_and_texts(monkeypatch):
    """The kill switch applies to the cascade, too."""
    monkeypatch.setenv("ABS_SHIELD_MODE", "audit")
    result, decision = decide(WRONG)

    assert (False, False, True) == (result.held, decision.blocked, decision.would_block)


def test_a_shield_that_is_off_judges_nothing():
    """Every stage is skipped, and the record has the reason."""
    with no_shield():
        result, decision = decide(WRONG)

    assert "ship" == result.action
    assert {"the shield is off"} == {one.reason for one in result.stages}
    assert ("shield_off",) == decision.notes
    assert Outcome.UNAVAILABLE is decision.coverage["quality"].outcome


def test_a_stage_that_raises_is_an_error_and_no_finding(caplog):
    """Strict mode holds the output back; the log line has the location, but not the output."""

    class Broken:
        def facts_about(self, sentence):
            raise KeyError(sentence)

    firewall = Shield(shield.configure(), hooks=None)
    pipeline = QualityPipeline(QualityConfig(facts=Broken()), shield=firewall)
    with capture_decisions(firewall) as decisions:
        result = pipeline.run(AgentOutput(text=WRONG))

    decision = decisions.outputs.only()
    assert result.held
    assert (Verdict.CLEAN, ()) == (decision.verdict, decision.findings)
    assert ("hallucination: KeyError in the stage",) == decision.errors
    assert Outcome.ERROR is decision.coverage["hallucination"].outcome
    assert "KeyError at test_guarded_output.py:" in caplog.text
    assert "market cap" not in caplog.text


def test_an_async_output_is_recorded_once():
    """The async cascade records one Decision, too."""
    firewall = Shield(shield.configure(), hooks=None)
    pipeline = QualityPipeline(QualityConfig(facts=FACTS), shield=firewall)
    with capture_decisions(firewall) as decisions:
        result = asyncio.run(pipeline.arun(AgentOutput(text=WRONG)))

    assert result.decision_id == decisions.outputs.only().id
    assert "the output: blocked (hallucination" in repr(decisions.outputs)


def test_a_run_file_contains_outputs(tmp_path):
    """Each output is a line that `abs-shield quality` reads; its text is redacted."""
    plain, hidden = tmp_path / "plain.jsonl", tmp_path / "hidden.jsonl"
    agent_output = AgentOutput(text=WRONG, task_type="memo", output_id="o-1")
    for record in (plain, Recording(path=hidden, redact=redacted(lambda text: "***"))):
        firewall = Shield(shield.configure(), hooks=None, record=record)
        with firewall.session() as session:
            session.user("Write the memo.")
            result = QualityPipeline(shield=firewall).run(agent_output)
        firewall.close()
    lines = [json.loads(line) for line in plain.read_text().splitlines()]

    outputs = [output for line in lines for output in line.get("outputs", [])]
    assert [{"id": "o-1", "text": WRONG, "task_type": "memo"}] == [
        {k: v for k, v in one.items() if k != "decision_id"} for one in outputs
    ]
    assert outputs[0]["decision_id"]
    assert result.decision_id
    assert {session.run_id} != {line["run_id"] for line in lines}
    assert "Apple" not in hidden.read_text()
    assert '"text": "***"' in hidden.read_text()


def test_a_value_that_is_not_a_shield_is_refused():
    """The message has one line, with the expected type."""
    with pytest.raises(ShieldError, match="`shield` is 7; give a Shield"):
        QualityPipeline(shield=7)
