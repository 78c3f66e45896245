"""Behaviour common to all stages of the cascade, with one row per stage."""

from __future__ import annotations

import json

import pytest

from abs_shield.quality import (
    AgentOutput,
    OutputFinding,
    QualityConfig,
    QualityPipeline,
    Stage,
    StageOutcome,
    StageReport,
)
from abs_shield.quality.facts import Fact, FactTable
from abs_shield.quality.guardrails import ProductCatalogue
from abs_shield.quality.plausibility import Limit
from abs_shield.quality.stages import STAGES
from tests.hostile.steps import steps

FACTS = FactTable([Fact(subject="Acme", attribute="revenue", value="$50M")])
CATALOGUE = ProductCatalogue.model_validate(
    {"prices": [{"plan": "Team", "amount": "12", "currency": "USD", "per": "month"}]}
)


def no_promises(output, config):
    """A stage of the user's: one function."""
    start = output.text.find("guaranteed")
    if start < 0:
        return StageReport()
    results = OutputFinding(code="PROMISE", start=start, end=start + 10, detail="a promise")
    return StageReport(StageOutcome.FAILED, (results,), "Promise nothing.")


OWN = Stage("no_promises", no_promises)
EVERY = [*STAGES, OWN]
CONFIG = QualityConfig(
    facts=FACTS, catalogue=CATALOGUE, sample_rate=1, background=False, own_stages=(OWN,),
    constraints=(Limit(quantity="interest rate", minimum=0, unit="%"),),
)  # fmt: skip
FAILING = {
    "pii": ("Her card is 4111 1111 1111 1111.", ""),
    "guardrails": ("Revenue will grow by 3% to 5%, plus or minus 1%, per year.", "financial"),
    "hallucination": ("Acme had a revenue of $58M.", ""),
    "no_promises": ("A guaranteed profit.", ""),
}
HOSTILE = {
    "nothing": "",
    "blanks": " \n\t" * 1_000,
    "digits": "1234567890" * 2_000,
    "percent signs": "%" * 20_000,
    "brackets": "[(" * 10_000,
    "quotes": "\"'" * 10_000,
    "lone surrogates": "\ud800 4111 " * 2_000,
    "null bytes": "\x00" * 20_000,
    "private use": "\ue001\ue009" * 10_000,
    "right to left": "\u202e1.5% " * 4_000,
    "rows": "| a | 1,000 |\n" * 1_500,
    "amounts": "$5 " * 7_000,
    "names": "Acme Team Enterprise " * 1_000,
    "dates": "2024-01-02 " * 2_000,
    "combining marks": "e\u0301\u0315" * 7_000,
}
every_stage = pytest.mark.parametrize("stage", EVERY, ids=lambda stage: stage.name)
every_text = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
DOMAINS = ("", "financial", "legal", "product")


def reports(stage, text):
    for task_type in DOMAINS:
        yield stage.check(AgentOutput(text=text, task_type=task_type, output_id="o"), CONFIG)


def test_each_stage_that_holds_outputs_has_a_text_that_fails():
    """The table of failing texts has all of them."""
    assert {stage.name for stage in EVERY if stage.gate} == FAILING.keys()


@pytest.mark.parametrize("name", FAILING)
def test_a_failing_text_fails_in_its_stage_only(name):
    """The finding has a place and a remedy; strict mode skips later stages, audit runs them."""
    text, task_type = FAILING[name]
    output = AgentOutput(text=text, task_type=task_type)
    strict = QualityPipeline(CONFIG).run(output)
    audit = QualityPipeline(CONFIG.model_copy(update={"mode": "audit"})).run(output)

    assert [name] == [one.name for one in strict.stages if one.outcome == "failed"]
    assert [name] == [one.name for one in audit.stages if one.outcome == "failed"]
    names = [one.name for one in strict.stages]
    behind = strict.stages[names.index(name) + 1 :]
    assert {"an earlier stage failed"} == {one.reason for one in behind}
    assert strict.held
    assert strict.feedback()
    [failed] = [one for one in strict.stages if one.name == name]
    for finding in failed.findings:
        assert 0 <= finding.start < finding.end <= len(text)
        assert finding.code
        assert finding.detail
        assert "\n" not in finding.detail
    json.dumps(strict.to_dict(), allow_nan=False)


@every_stage
def test_a_plain_text_passes(stage):
    """A text without faults passes every stage, with and without a domain."""
    for report in reports(stage, "The report is ready, and the figures are attached."):
        assert report.outcome in (StageOutcome.PASSED, StageOutcome.SKIPPED)
        assert () == report.findings


@every_stage
@every_text
def test_hostile_texts_are_read(stage, text):
    """Findings in hostile texts have valid offsets and a short detail."""
    for report in reports(stage, text):
        assert isinstance(report, StageReport)
        assert all(0 <= one.start <= one.end <= len(text) for one in report.findings)
        assert all(len(one.detail) < 1_000 for one in report.findings)


@every_stage
@every_text
def test_steps_grow_with_the_text(stage, text):
    """Twice the text takes at most some more than twice the steps."""
    half = text[: len(text) // 2]

    def run(part):
        return lambda: [*reports(stage, part)]

    run(half)(), run(text)()  # what is compiled once
    once = steps(run(f"{half} "))
    twice = steps(run(f"{text} "))

    assert twice <= 2.6 * once + 5_000


def test_a_truncated_text_is_unavailable_not_passed():
    """A stage that reads a part of the text is unavailable unless it finds a fault in it."""
    plain, wrong = "The report is ready. " * 6_000, FAILING["guardrails"][0]
    whole = QualityPipeline(CONFIG).run(AgentOutput(text=plain, task_type="financial"))
    result = QualityPipeline(CONFIG).run(
        AgentOutput(text=f"{wrong} {plain}", task_type="financial")
    )
    other = QualityPipeline(CONFIG).run(AgentOutput(text=plain, task_type="memo"))

    outcomes = {one.name: one.outcome for one in whole.stages}
    assert ("passed", "unavailable", "unavailable") == (
        outcomes["pii"], outcomes["guardrails"], outcomes["hallucination"],
    )  # fmt: skip
    assert "only the first 100,000 of 126,000 characters" in whole.stages[1].reason
    assert "failed" == result.stages[1].outcome
    assert "skipped" == other.stages[1].outcome  # no rule holds for memos


def test_findings_without_end_are_counted():
    """A record stays small."""
    result = QualityPipeline(CONFIG).run(AgentOutput(text="a@b.org " * 1_000))

    assert 250 == len(result.stages[0].findings)
    assert "750 further findings" == result.stages[0].reason


@every_stage
def test_a_stage_that_raises_is_an_error(stage):
    """An error holds the output if the stage is a gate, and it is not a finding."""
    broken = Stage("broken", lambda output, config: 1 / 0, gate=stage.gate)
    no_outcome = Stage("none", lambda output, config: StageReport("fine"))
    for check in (broken, Stage("none", lambda output, config: None), no_outcome):
        config = QualityConfig(own_stages=(check,))
        result = QualityPipeline(config).run(AgentOutput(text="Fine."))
        assert check.gate is result.held
        assert ["error"] == [one.outcome for one in result.stages if one.name == check.name]


def test_an_outcome_may_be_a_text():
    """A custom stage may return its outcome as a string."""
    failing = Stage("own", lambda output, config: StageReport("failed", message="No."))
    result = QualityPipeline(QualityConfig(own_stages=(failing,))).run(AgentOutput(text="x"))

    assert ("block", "No.") == (result.action, result.feedback())


def test_a_custom_stage_with_a_confidence_changes_the_confidence():
    """A custom stage without a confidence changes neither the confidence nor the action."""
    plain = QualityConfig(stages=("pii",), own_stages=(OWN,), confidence={"pii": 0.99})
    sure = plain.model_copy(update={"own_stages": (OWN._replace(confidence=0.5),)})
    output = AgentOutput(text="Fine.")

    assert (0.99, "ship") == _texts_of(QualityPipeline(plain).run(output))
    assert (0.5, "ship") == _texts_of(QualityPipeline(sure).run(output))
    measured = sure.model_copy(update={"confidence": {"pii": 0.99, "no_promises": 0.6}})
    assert (0.6, "block") == _texts_of(QualityPipeline(measured).run(output))


def _texts_of(result):
    return result.confidence, result.action
