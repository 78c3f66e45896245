"""Evaluation of a candidate against the present version on the same cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from abs_shield.errors import ShieldError
from abs_shield.flywheel.answer_grading import is_right
from abs_shield.flywheel.candidate import Answers, Candidate, hashes_of
from abs_shield.flywheel.cases import (
    HALLUCINATION,
    REGRESSION,
    TARGET,
    EvaluationCase,
    require_distinct,
    without_repeats,
)
from abs_shield.flywheel.mutate.leakage import hash_of
from abs_shield.flywheel.version_comparison import (
    Pairs,
    PartComparison,
    PartStanding,
    Rules,
    compare,
)
from abs_shield.text.safe_display import escaped, shown

Grade: TypeAlias = Callable[[EvaluationCase, str], float]
"""A callable that grades an answer, in [0, 1]."""


class Recommendation(StrEnum):
    """The result of an evaluation, from good to bad."""

    PROMOTE = "promote"
    UNDECIDED = "undecided"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """
    The evaluation of a candidate.

    Attributes:
        outcome: Promote, reject, or undecided for too few cases.
        reasons: The reasons, one line each.
        comparisons: The target, each task of the regression part, the hallucination re-check.
        margin: How much worse the candidate was allowed to be outside the target.
        cases: Hash of the cases.
        candidate: Hashes of the candidate's files, by place; see `hashes_of`.
        present: Likewise for the present version.
        needed: Number of cases needed by the part furthest from a decision; 0 if all are decided.
        repeated: Cases left out because they repeat a prompt.
    """

    outcome: Recommendation
    reasons: tuple[str, ...]
    comparisons: tuple[PartComparison, ...]
    margin: float
    cases: str
    candidate: Mapping[str, str] = field(default_factory=dict)
    present: Mapping[str, str] = field(default_factory=dict)
    needed: int = 0
    repeated: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as JSON-able data."""
        record = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {
            **record,
            "candidate": dict(self.candidate),
            "present": dict(self.present),
            "reasons": [*self.reasons],
            "comparisons": [one.to_dict() for one in self.comparisons],
        }

    def __str__(self) -> str:
        lines = [str(one) for one in self.comparisons]
        if self.repeated:
            lines.append(f"left out: {self.repeated:,} cases that repeat the prompt of another one")
        return "\n".join([*lines, f"{self.outcome}: {'; '.join(self.reasons)}"])


def evaluate(
    cases: Sequence[EvaluationCase],
    *,
    candidate: Candidate,
    present: Candidate,
    rules: Rules | None = None,
    grade: Grade = is_right,
) -> Evaluation:
    """
    Evaluate a candidate and the present version on the same cases.

    Promotion is recommended only if the candidate is better on the target and, within the margin,
    as good in every task of the regression part and in the hallucination re-check.

    Args:
        cases: The cases, with unique ids and at least one of the target. Of repeated prompts in
            one part and task, only the first counts.
        candidate: The new version.
        present: The version that is in use.
        rules: Margin, least gain and level.
        grade: Grades an answer.

    Raises:
        ShieldError: No case has the part `target`, an id repeats, a version fails, or a grade is
            out of range.
    """
    rules = Rules() if rules is None else rules
    if not any(case.part == TARGET for case in cases):
        raise ShieldError("evaluate: no case has the part `target`; give the cases of the gap")
    require_distinct(cases)
    distinct = without_repeats(cases)
    # before the answers: a file that is changed while it runs does not match later
    hashes = hashes_of(candidate), hashes_of(present)
    answers = (present(distinct), candidate(distinct))
    comparisons = tuple(
        compare(name, _pairs(part, answers, grade), rules, is_target=name == TARGET)
        for name, part in _parts(distinct)
    )
    outcome, reasons = decide(comparisons)
    return Evaluation(
        outcome=outcome,
        reasons=reasons,
        comparisons=comparisons,
        margin=rules.margin,
        cases=hash_of([[case.id, case.prompt, case.expected, case.part] for case in distinct]),
        candidate=hashes[0],
        present=hashes[1],
        needed=max((one.needed for one in comparisons), default=0),
        repeated=len(cases) - len(distinct),
    )


def require_evaluation(record: Mapping[str, Any]) -> None:
    """
    Raise ShieldError if a record is not from `Evaluation.to_dict`; an empty record is accepted.

    Raises:
        ShieldError: A field has a value of another type.
    """
    wrong = next(
        (one for one, fits in _VALID_FIELDS.items() if one in record and not fits(record[one])), ""
    )
    if wrong or (record and "outcome" not in record):
        name = wrong or "outcome"
        hint = "give what `abs-shield flywheel evaluate --output` wrote"
        raise ShieldError(f"evaluation: `{name}` is {shown(record.get(name))}; {hint}")


def _is_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)


def _is_hashes(value: Any) -> bool:
    return isinstance(value, Mapping) and _is_texts([*value.keys(), *value.values()])


_VALID_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    "outcome": lambda value: _is_texts([value]) and value in [*Recommendation],
    "reasons": _is_texts,
    "candidate": _is_hashes,
    "present": _is_hashes,
}


def _parts(cases: Sequence[EvaluationCase]) -> Iterator[tuple[str, list[EvaluationCase]]]:
    """Yield the target, each task of the regression part separately, and the re-check."""
    yield TARGET, [case for case in cases if case.part == TARGET]
    # each task on its own: a loss in a small task disappears in the total
    tasks = dict.fromkeys(case.task for case in cases if case.part == REGRESSION)
    for task in tasks:
        name = f"{REGRESSION}: {escaped(task)}" if task else REGRESSION
        yield name, [one for one in cases if one.part == REGRESSION and one.task == task]
    again = [case for case in cases if case.part == HALLUCINATION]
    if again:
        yield HALLUCINATION, again


def _pairs(
    cases: Sequence[EvaluationCase], answers: tuple[Answers, Answers], grade: Grade
) -> Pairs:
    present, candidate = (_graded(cases, one, grade) for one in answers)
    return Pairs(present, candidate)


def _graded(cases: Sequence[EvaluationCase], answers: Answers, grade: Grade) -> list[float]:
    return [_grade(case, answers, grade) for case in cases]


def _grade(case: EvaluationCase, answers: Answers, grade: Grade) -> float:
    if case.id not in answers:
        raise ShieldError(f"evaluate: case `{escaped(case.id)}` has no answer")
    value = float(grade(case, answers[case.id]))
    if not 0 <= value <= 1:  # also refuses NaN
        raise ShieldError(f"evaluate: case `{escaped(case.id)}` has the grade {shown(value)}")
    return value


def decide(comparisons: Sequence[PartComparison]) -> tuple[Recommendation, tuple[str, ...]]:
    """Return the recommendation for a candidate by its standing in each part, with reasons."""
    bad = [
        one for one in comparisons if one.standing in (PartStanding.WORSE, PartStanding.NOT_BETTER)
    ]
    if bad:
        return Recommendation.REJECT, tuple(f"{one.name} is {one.standing}" for one in bad)
    left = [one for one in comparisons if one.standing is PartStanding.UNDECIDED]
    if left:
        return Recommendation.UNDECIDED, tuple(
            f"{one.name} is undecided with {one.cases:,} cases; {one.needed:,} are needed"
            for one in left
        )
    # a version that only learnt the gap may have forgotten everything else
    if len(comparisons) == 1:
        reason = "target is better; nothing else was tested: give cases of the part `regression`"
        return Recommendation.UNDECIDED, (reason,)
    return Recommendation.PROMOTE, tuple(f"{one.name} is {one.standing}" for one in comparisons)
