"""The document of the five-stage quality pipeline: its messages, numbers and defaults."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from abs_shield import Shield, shield
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.curate import curate, examples_of
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.flywheel.harvest import harvest
from abs_shield.flywheel.review import Choice, Review, review
from abs_shield.flywheel.review_file import summary_of
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline, Task
from abs_shield.quality.calibration import PRIORS, band_of, note_of
from abs_shield.quality.facts import Fact, FactTable
from abs_shield.quality.hallucination_score import WEIGHTS, SubCheck, hallucination_score
from abs_shield.quality.output_judge import is_high_stakes
from abs_shield.quality.plausibility import Direction
from abs_shield.quality.quality_score import is_sampled
from abs_shield.quality.quality_types import OutputFinding, QualityResult
from abs_shield.stores import MemoryStore

APPLE = Fact(subject="Apple", attribute="market cap", value="$3.1T", period="Q4 2025")
FAULT = OutputFinding(code="X", start=0, end=1, detail="x")


WRONG = "Apple market cap reached $3.2T in Q4 2025."


def run(text: str, *, task_type: str = "", **settings: object) -> QualityResult:
    """Return the result of the cascade for a text."""
    pipeline = QualityPipeline(QualityConfig(**settings))
    return pipeline.run(AgentOutput(text=text, task_type=task_type))


def test_personal_data_is_blocked_at_once() -> None:
    """The two lines of the document, with types and counts, and no value."""
    text = "Her SSN is 219-44-0178; account numbers 0532013000 and 648489890."
    feedback = run(text).feedback().splitlines()

    assert [
        "Output blocked: PII detected.",
        "Entities: SSN (1), BankAccountNumber (2)",
    ] == feedback[:2]
    assert feedback[2].startswith("Please regenerate without exposing: ")
    assert "0178" not in feedback[2]


def test_the_guardrail_of_the_example() -> None:
    """Four lines: the rule, the claim, the requirement, the action."""
    assert (
        "Guardrail violation: FINANCIAL_CONFIDENCE_INTERVAL\n"
        'Claim: "Our market share is 23%"\n'
        "Requirement: Claims with ±1% variability must include confidence interval\n"
        'Action: Regenerate with interval (e.g., "23% ±1.2%")'
    ) == run("Our market share is 23%.", task_type="financial").feedback()


@pytest.mark.parametrize(
    ("task_type", "text", "rule"),
    [
        ("financial", "Revenue rose by 12% in the third quarter.", "FINANCIAL_BASIS_POINTS"),
        ("financial", "We project that the market will reach $40 billion.", "FINANCIAL_DATE_RANGE"),
        ("legal", "See Smith v. Jones for this point.", "LEGAL_CASE_CITATION"),
    ],
)  # fmt: skip
def test_rules_of_domains(task_type: str, text: str, rule: str) -> None:
    """Each rule applies to outputs of its domain and to no others."""
    assert rule in run(text, task_type=task_type).feedback()
    assert "" == run(text, task_type="support").feedback()


def test_a_tenth_of_the_outputs_is_scored() -> None:
    """The sample of about 10 % is determined by the output id."""
    ids = [f"output-{n}" for n in range(5_000)]
    sampled = [one for one in ids if is_sampled(one, QualityConfig().sample_rate)]

    assert 400 < len(sampled) < 600
    assert sampled == [one for one in ids if is_sampled(one, 0.1)]


def test_the_market_cap_of_the_example() -> None:
    """$3.2T where the fact is $3.1T: 3.2 % off."""
    table = FactTable([APPLE])
    feedback = run("In Q4 2025, Apple's market cap reached $3.2T.", facts=table).feedback()

    assert "threshold: 1%)" in feedback
    assert '- Entity verification: "$3.2T" unverified (actual: $3.1T)' in feedback
    assert "Please regenerate addressing:" in feedback


def test_the_sea_ice_of_the_example() -> None:
    """Domain knowledge is declared, and not built in."""
    text = "Arctic sea ice is increasing at 5% per year due to global warming."
    known = (Direction(subject="Arctic sea ice", direction="falls"),)

    assert "block" == run(text, constraints=known).action
    assert "ship" == run(text).action


def test_the_revenue_of_the_example() -> None:
    """50 / 1.1 is 45.45, not 55.5 as in the document; 55 contradicts either."""
    text = (
        "Our Q1 revenue was $50M. This represents a 10% year-over-year increase. "
        "Last year's Q1 revenue was ${}M."
    )

    assert ["block", "block", "ship"] == [
        run(text.format(prior)).action for prior in ("55", "55.5", "45.45")
    ]
    assert "ship" == run(text.replace("increase", "decrease").format("55.56")).action


def test_the_weights_and_the_threshold() -> None:
    """40, 35 and 25 %; 1 % passes; one in twenty of two sub-checks is 3.25 %."""
    one, none = SubCheck(20, (FAULT,)), SubCheck(20)

    assert {"entity": 0.40, "plausibility": 0.35, "self_contradiction": 0.25} == WEIGHTS
    assert 1.0 == QualityConfig().hallucination_threshold
    assert 3.25 == hallucination_score(
        {"entity": one, "plausibility": none, "self_contradiction": one}
    )


@pytest.mark.parametrize(
    ("task", "high"),
    [
        (Task(output_classification="CLIENT_FACING"), True),
        (Task(output_classification="FINANCIAL"), True),
        (Task(output_classification="LEGAL"), True),
        (Task(output_classification="SECURITY"), True),
        (Task(output_classification="client-facing"), True),
        (Task(output_classification=" Client Facing "), True),
        (Task(output_classification="INTERNAL"), False),
        (Task(estimated_impact_value=100_001), True),
        (Task(estimated_impact_value=100_000), False),
    ],
)
def test_high_stakes_classifications(task: Task, high: bool) -> None:
    """High-stakes outputs are those of the document's table and security assessments."""
    assert high is is_high_stakes(task)


def test_the_confidence_of_each_stage() -> None:
    """Priors, the bands, and the note at 82 %."""
    assert {
        "pii": 0.995, "guardrails": 1.0, "quality_score": 0.85, "hallucination": 0.87,
        "judge": 0.78, "premium_judge": 0.92,
    } == PRIORS  # fmt: skip
    assert ["high", "medium", "medium", "low"] == [band_of(one) for one in (0.96, 0.95, 0.7, 0.69)]
    assert (
        "This output was generated with standard guardrails. We're 82% confident in its quality."
    ) == note_of(0.82)


@pytest.fixture
def gaps(tmp_path: Path) -> tuple[str, list[Gap]]:
    """Return the flywheel's file, and the gaps of four wrong outputs of the analyst."""
    log, book = MemoryStore(), str(tmp_path / "flywheel.db")
    firewall = Shield(shield.configure(), store=log, hooks=None)
    pipeline = QualityPipeline(QualityConfig(facts=FactTable([APPLE])), shield=firewall)
    for _ in range(4):
        with firewall.session():
            pipeline.run(
                AgentOutput(text=WRONG, task_type="market_research", agent_id="the analyst agent")
            )
    harvest(log, book)
    return book, curate(book)


def test_a_catch_is_logged_as_training_data(gaps: tuple[str, list[Gap]]) -> None:
    """The eight fields of the document; of the claim the log keeps the figure, not the sentence."""
    book, [gap] = gaps
    catch: Catch = examples_of(book, [gap])[gap.id][0]
    first = dict(list(catch.to_dict().items())[:8])

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", first.pop("timestamp"))
    assert {
        "agent_id": "the analyst agent",
        "task_type": "market_research",
        "claim": "$3.2T",
        "detected_error": "Entity mismatch",
        "verified_value": "$3.1T",
        "confidence": 0.87,
        "priority": "high",  # the document has medium; strict mode blocks this output
    } == first


def test_a_systematic_gap_of_high_impact_is_tier_1(gaps: tuple[str, list[Gap]]) -> None:
    """Market cap claims that are off again and again, of one agent and one task type."""
    _, [gap] = gaps

    assert ("Entity mismatch: market cap", 1) == (gap.title, gap.tier)
    assert (True, "task-specific") == (gap.systematic, gap.scope)
    assert {"market_research": 4} == gap.task_types
    assert "off by 3.2% to 3.2%" in summary_of(gap)


def test_nothing_goes_on_without_a_review(gaps: tuple[str, list[Gap]]) -> None:
    """A gap is open until a person accepts it."""
    book, [gap] = gaps
    accepted = Review(gap=gap.id, choice=Choice.ACCEPT, by="Sentinel", why="worth fine-tuning on")

    assert GapState.OPEN is gap.state
    review(book, [accepted])
    assert [GapState.ACCEPTED] == [one.state for one in curate(book)]
