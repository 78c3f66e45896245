"""A candidate is promoted only if it is better on the target and no worse elsewhere."""

from __future__ import annotations

import json
from random import Random

import pytest

from abs_shield.errors import ShieldError
from abs_shield.flywheel.candidate import Function
from abs_shield.flywheel.cases import EvaluationCase, read_cases
from abs_shield.flywheel.evaluate import Evaluation, Recommendation, evaluate
from abs_shield.flywheel.policy_candidate import PolicyCandidate, run_cases
from abs_shield.flywheel.version_comparison import (
    Pairs,
    PartComparison,
    PartStanding,
    Rules,
    compare,
)
from abs_shield.policy import configure

RULES = Rules(rounds=200)
ALL = {"": 1.0}
"""Right everywhere."""


def cases(target: int, elsewhere: int, again: int = 0) -> list[EvaluationCase]:
    """Return cases of three parts, the regression part in two tasks."""
    parts = [("target", "caps", target), ("hallucination", "caps", again)]
    parts += [("regression", task, elsewhere) for task in ("law", "sums")]
    return [
        EvaluationCase(
            id=f"{part} {task} {n}",
            prompt=f"{part} {task} {n}",
            expected="yes",
            part=part,
            task=task,
        )
        for part, task, count in parts
        for n in range(count)
    ]


def version(shares: dict[str, float], *, seed: int = 0) -> Function:
    """Return a version that is right on these shares of the parts and tasks, and else wrong."""

    def answer(prompt: str) -> str:
        share = next(share for name, share in shares.items() if name in prompt)
        return "yes" if Random(f"{seed} {prompt}").random() < share else "it may be"

    return Function(answer)


def outcome(candidate: dict[str, float], *counts: int) -> Evaluation:
    """Return the evaluation of a candidate against a version that is right on 40 % and 90 %."""
    present = version({"target": 0.4, "law": 0.9, "sums": 0.9, "hallucination": 1.0})
    new = version({**candidate, "hallucination": 1.0})
    return evaluate(cases(*counts), candidate=new, present=present, rules=RULES)


def test_a_better_candidate_is_promoted() -> None:
    """On 200 cases of the target and 200 of each other task."""
    evaluation = outcome({"target": 0.8, "law": 0.9, "sums": 0.92}, 200, 200, 100)

    assert Recommendation.PROMOTE is evaluation.outcome
    assert ["target", "regression: law", "regression: sums", "hallucination"] == [
        one.name for one in evaluation.comparisons
    ]


def test_a_candidate_that_forgets_is_rejected() -> None:
    """However much better it is on the target."""
    evaluation = outcome({"target": 1.0, "law": 0.9, "sums": 0.5}, 200, 200)

    assert Recommendation.REJECT is evaluation.outcome
    assert ("regression: sums is worse",) == evaluation.reasons


def test_a_candidate_without_a_gain_is_rejected() -> None:
    """With enough cases a gain below the least gain is a rejection."""
    evaluation = outcome({"target": 0.4, "law": 0.9, "sums": 0.9}, 400, 200)

    assert Recommendation.REJECT is evaluation.outcome
    assert ("target is not better",) == evaluation.reasons


def test_too_few_cases_are_undecided() -> None:
    """The reasons name the number of cases that are needed for each undecided part."""
    evaluation = outcome({"target": 0.6, "law": 0.9, "sums": 0.9}, 12, 20)

    assert Recommendation.UNDECIDED is evaluation.outcome
    assert evaluation.needed >= 73
    assert "are needed" in evaluation.reasons[0]
    assert "undecided with 20 cases; 73 are needed" in evaluation.reasons[-1]


def part(gained: int, lost: int, n: int, *, is_target: bool = False) -> PartComparison:
    """Return a part of *n* cases with this many gained and lost."""
    old = [0] * gained + [1] * (n - gained)
    new = [1] * gained + [0] * lost + [1] * (n - gained - lost)
    return compare("part", Pairs(old, new), RULES, is_target=is_target)


def test_a_gain_that_is_not_worth_it_is_rejected() -> None:
    """40 gained and 10 lost of 10,000 is a gain for sure, and less than 5 % for sure."""
    small, large = part(40, 10, 10_000, is_target=True), part(160, 10, 1_000, is_target=True)

    assert (PartStanding.NOT_BETTER, PartStanding.BETTER) == (small.standing, large.standing)
    assert small.p_value is not None
    assert small.p_value < 0.001


@pytest.mark.parametrize(
    ("gained", "lost", "n", "is_target"),
    [
        (0, 3, 100, False), (0, 5, 150, False), (10, 0, 10, False), (0, 0, 20, False),
        (3, 1, 40, False), (3, 5, 60, False), (4, 2, 30, True), (0, 0, 20, True), (1, 3, 40, True),
        (9, 2, 60, True),
    ],
)  # fmt: skip
def test_the_needed_number_of_cases_is_sufficient(
    gained: int, lost: int, n: int, is_target: bool
) -> None:
    """With the reported number of similar cases the part is no longer undecided."""
    evaluation = part(gained, lost, n, is_target=is_target)
    times = evaluation.needed / n
    more = part(round(gained * times), round(lost * times), evaluation.needed, is_target=is_target)

    assert PartStanding.UNDECIDED is evaluation.standing
    assert PartStanding.UNDECIDED is not more.standing
    assert n + 1 < evaluation.needed < 5_000


def test_a_part_without_a_loss_needs_no_more_than_the_least() -> None:
    """Ten gained of ten: thirty cases are enough."""
    assert (30, 73) == (part(10, 0, 10).needed, part(0, 0, 20).needed)


def test_a_target_without_regression_cases_is_undecided() -> None:
    """Without other cases regressions are not measured."""
    evaluation = outcome({"target": 1.0}, 100, 0)

    assert Recommendation.UNDECIDED is evaluation.outcome
    assert "nothing else was tested" in evaluation.reasons[0]


def test_the_intervals_are_printed() -> None:
    """McNemar's p, Tango's interval and the bootstrap, on one line for each part."""
    first = str(outcome({"target": 0.8, "law": 0.9, "sums": 0.9}, 100, 100)).splitlines()[0]

    assert first.startswith("target: ")
    assert " of 100 cases, " in first
    for word in ("gained", "lost", "p ", "difference +", "bootstrap ["):
        assert word in first


def test_continuous_grades_are_bootstrapped() -> None:
    """A higher mean grade is detected by bootstrap, without an exact test."""

    def grade(case: EvaluationCase, answer: str) -> float:
        return float(answer)

    def graded(mean: float) -> Function:
        return Function(lambda prompt: str(min(1, max(0, Random(prompt).gauss(mean, 0.1)))))

    evaluation = evaluate(
        cases(60, 60), candidate=graded(0.6), present=graded(0.4), rules=RULES, grade=grade
    )

    assert Recommendation.PROMOTE is evaluation.outcome
    assert {None} == {one.p_value for one in evaluation.comparisons}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "line 1 is not JSON"),
        ("[]", "give an object"),
        ('{"prompt": "a"}', "`expected` is null"),
        ('{"prompt": "a", "expected": "b", "part": "all"}', "`part`"),
        ('{"prompt": "a", "expected": "b", "answer": "c"}', "answer"),
        ('{"id": 1, "prompt": "a", "expected": "b"}\n' * 2, "repeats"),
    ],
)
def test_wrong_cases_are_named(text: str, message: str) -> None:
    """With their line."""
    with pytest.raises(ShieldError, match=message):
        read_cases(text)


def test_two_cases_with_one_id_are_refused() -> None:
    """Else the answer to one would be graded as that to the other."""
    twice = [*cases(5, 0), *cases(0, 5)]
    shared = [EvaluationCase(id=str(n % 5), prompt=f"{n}", expected="a") for n in range(10)]

    with pytest.raises(ShieldError, match='the id "0" repeats'):
        evaluate(shared, candidate=version({}), present=version({}))
    assert 0 == evaluate(twice, candidate=version(ALL), present=version(ALL)).repeated


def test_a_repeated_prompt_counts_once() -> None:
    """Copies of a prompt are one case, and the result has the number of copies left out."""
    one = [
        EvaluationCase(id=f"{part} {n}", prompt=f"{part} caps", expected="yes", part=part)
        for part in ("target", "regression")
        for n in range(40)
    ]
    evaluation = evaluate(
        one, candidate=version(ALL), present=version({"target": 0.0, "regr": 1.0})
    )

    assert Recommendation.UNDECIDED is evaluation.outcome
    assert [1, 1] == [part.cases for part in evaluation.comparisons]
    assert "left out: 78 cases that repeat the prompt" in str(evaluation)


def test_a_prompt_with_two_expected_answers_is_an_error() -> None:
    """The error names the two cases."""
    two = [EvaluationCase(id=str(n), prompt="Cap?", expected=str(n)) for n in range(2)]

    with pytest.raises(ShieldError, match='"0" and "1" ask the same and expect different'):
        evaluate(two, candidate=version(ALL), present=version(ALL))


def test_a_target_is_needed() -> None:
    """Else there is nothing to be better at."""
    with pytest.raises(ShieldError, match="no case has the part `target`"):
        evaluate(cases(0, 5), candidate=version({}), present=version({}))


def test_a_policy_is_a_candidate() -> None:
    """Recorded runs with an invented tool: a policy that switches the layer off finds nothing."""

    def run(name: str, n: int) -> str:
        call = {"id": "c", "type": "function", "function": {"name": name, "arguments": "{}"}}
        tool = {"name": "refund", "parameters": {"type": "object", "properties": {}}}
        return json.dumps(
            {
                "run_id": f"{name} {n}",
                "tools": [{"type": "function", "function": tool}],
                "messages": [
                    {"role": "user", "content": "refund it"},
                    {"role": "assistant", "content": None, "tool_calls": [call]},
                ],
                "labels": {"success": name == "refund"},
            }
        )

    def lines(name: str) -> str:
        return "\n".join(run(name, n) for n in range(80))

    evaluation = evaluate(
        [*run_cases(lines("issue_refund")), *run_cases(lines("refund"), part="regression")],
        candidate=PolicyCandidate(configure()),
        present=PolicyCandidate(configure(layers=["parameter_mismatch"])),
        rules=RULES,
    )

    assert Recommendation.PROMOTE is evaluation.outcome


@pytest.mark.parametrize("wrong", [{"margin": 0}, {"level": 1}, {"least_gain": "a"}, {"rounds": 0}])
def test_invalid_rules_are_refused(wrong: dict[str, float]) -> None:
    """A share that is not between 0 and 1 raises an error."""
    with pytest.raises(ShieldError, match=f"`{next(iter(wrong))}` is"):
        Rules(**wrong)  # type: ignore[arg-type]
