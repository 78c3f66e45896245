"""Stages 3 to 5 of Ultra Instinct, as the document has them: its example, numbers, verdicts."""

from __future__ import annotations

import pytest

from abs_shield.flywheel.candidate import Function
from abs_shield.flywheel.cases import EvaluationCase
from abs_shield.flywheel.evaluate import Evaluation, Recommendation, evaluate
from abs_shield.flywheel.mutate import MutationSources, TrainingExample, mutate
from abs_shield.quality.facts import Fact
from tests.flywheel.catches import catch, gap

PARTS = {"target": "market cap", "regression": "legal citation", "hallucination": "similar claim"}


@pytest.fixture(scope="module")
def examples() -> tuple[TrainingExample, ...]:
    """Return examples around the market cap of the document, of two companies and two periods."""
    pytest.importorskip("rapidfuzz", reason="needs `pip install abs-shield[flywheel]`")
    pytest.importorskip("faker", reason="needs `pip install abs-shield[flywheel]`")
    facts = [
        Fact(subject=name, attribute="market cap", value=value, period=period)
        for name, value, period in (
            ("Apple", "$3.1T", "Q4 2025"),
            ("Microsoft", "$3.0T", "Q3 2025"),
        )
    ]
    claim = "Apple market cap reached $3.2T in Q4 2025"
    sources = MutationSources(facts=facts)
    return mutate(gap(), [catch(claim=claim)], sources, count=50).examples


def test_twenty_to_fifty_examples_a_gap(examples: tuple[TrainingExample, ...]) -> None:
    """The document's own question is one of them."""
    prompts = [one.prompt for one in examples]

    assert 20 <= len(examples) <= 50
    assert any(one.startswith("What was Apple's market cap in Q4 2025?") for one in prompts)
    assert any(one.answer.startswith("As of Q4 2025, the market cap of Apple") for one in examples)


def test_the_variations_of_the_document(examples: tuple[TrainingExample, ...]) -> None:
    """Companies, time periods, phrasing, levels of detail."""
    facts = [one.context["fact"] for one in examples]
    phrasings, details = zip(*(one.template.split(", ")[:2] for one in examples), strict=True)

    assert len({fact["subject"] for fact in facts}) > 2
    assert len({fact["period"] for fact in facts}) > 2
    assert 12 == len(set(phrasings))
    assert 4 == len(set(details))


def test_the_answer_is_the_verified_value(examples: tuple[TrainingExample, ...]) -> None:
    """The answers have the verified $3.1T and not the $3.2T of the claim."""
    apple = [one for one in examples if one.source.startswith("Apple")]

    assert {(True, False)} == {("$3.1T" in one.answer, "$3.2T" in one.answer) for one in apple}


def run_evaluation(**shares: float) -> Evaluation:
    """Evaluate a candidate that is right on these shares; the present one on half of the target."""
    cases = [
        EvaluationCase(id=f"{part} {n}", prompt=f"{task} {n}", expected="yes", part=part, task=task)
        for part, task in PARTS.items()
        for n in range(100)
    ]

    def version(shares: dict[str, float]) -> Function:
        right = {PARTS[part]: int(100 * share) for part, share in shares.items()}

        def answer(prompt: str) -> str:
            task, _, number = prompt.rpartition(" ")
            return "yes" if int(number) < right[task] else "perhaps"

        return Function(answer)

    present = {"target": 0.5, "regression": 0.9, "hallucination": 0.9}
    return evaluate(cases, candidate=version(present | shares), present=version(present))


def test_three_kinds_of_tests() -> None:
    """Task-specific tests, regression tests, the hallucination re-check."""
    evaluation = run_evaluation(target=0.9)

    assert Recommendation.PROMOTE is evaluation.outcome
    assert ["target", "regression: legal citation", "hallucination"] == [
        one.name for one in evaluation.comparisons
    ]


def test_worse_at_legal_citations_is_not_deployed() -> None:
    """However much better at market caps."""
    evaluation = run_evaluation(target=1.0, regression=0.7)

    assert Recommendation.REJECT is evaluation.outcome
    assert ("regression: legal citation is worse",) == evaluation.reasons
