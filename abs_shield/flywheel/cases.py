"""Evaluation cases, and JSON lines, split only at line feeds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.text.normal_form import normal
from abs_shield.text.safe_display import escaped, shown


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    r"""
    Yield the non-blank lines of a text, each with its number from 1.

    >>> [*numbered_lines("a\u2028b\n\n c\r\n")]
    [(1, 'a\u2028b'), (3, 'c')]
    """
    for number, line in enumerate(text.split("\n"), 1):
        if stripped := line.strip(" \t\r"):
            yield number, stripped


TARGET, REGRESSION, HALLUCINATION = PARTS = ("target", "regression", "hallucination")
"""Task tests, tests of everything else, and the hallucination re-check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationCase:
    """
    One case.

    Attributes:
        id: Its id, unique.
        prompt: The prompt for the version.
        expected: The right answer, which the version never receives.
        part: ``target``, ``regression`` or ``hallucination``.
        task: The kind of task; each kind in the regression part is compared separately.
    """

    id: str
    prompt: str
    expected: str
    part: str = TARGET
    task: str = ""


def read_cases(text: str, *, name: str = "") -> list[EvaluationCase]:
    """
    Parse cases from JSON lines: ``{"id"?, "prompt", "expected", "part"?, "task"?}``.

    Args:
        text: The lines.
        name: Name of the file; a case without an id gets the id ``name:line``, so that several
            files can be combined.

    Raises:
        ShieldError: A line is not a case, or an id repeats.
    """
    cases = [_case(number, line, name) for number, line in numbered_lines(text)]
    require_distinct(cases)
    return cases


def require_distinct(cases: Iterable[EvaluationCase]) -> None:
    """
    Raise ShieldError if two cases have the same id.

    Raises:
        ShieldError: An id repeats.
    """
    repeated = [name for name, count in Counter(case.id for case in cases).items() if count > 1]
    if repeated:
        raise ShieldError(f"cases: the id {shown(repeated[0])} repeats; give each case its own")


def without_repeats(cases: Iterable[EvaluationCase]) -> list[EvaluationCase]:
    """
    Return the cases without repeated prompts within one part and task.

    A repeated prompt adds no evidence, but the statistics would count it.

    Raises:
        ShieldError: Two cases have the same prompt and different expected answers.
    """
    first: dict[tuple[str, str, str], EvaluationCase] = {}
    for case in cases:
        prompt = " ".join(normal(case.prompt).split())
        one = first.setdefault((case.part, case.task, prompt), case)
        if one.expected != case.expected:
            raise ShieldError(
                f"cases: {shown(one.id)} and {shown(case.id)} ask the same and expect different"
                " answers; correct one of them"
            )
    return [*first.values()]


def _case(number: int, line: str, name: str) -> EvaluationCase:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ShieldError(f"cases: line {number} is not JSON: {escaped(str(error))}") from None
    if not isinstance(record, Mapping):
        raise ShieldError(f"cases: line {number} is {shown(record)}; give an object")
    # a misspelt `part` would silently count as a target
    undeclared = sorted({*record} - {*EvaluationCase.__dataclass_fields__})
    if undeclared:
        fields = ", ".join(EvaluationCase.__dataclass_fields__)
        raise ShieldError(f"cases: line {number} has {shown(undeclared[0])}; use {fields}")
    fields_of = {"id": case_id(number, name), **record}
    for field in ("prompt", "expected"):
        _require_text(fields_of, field, number)
    case = EvaluationCase(**{field: str(value) for field, value in fields_of.items()})
    if case.part not in PARTS:
        raise ShieldError(f"cases: line {number}: `part` is {shown(case.part)}; use {PARTS}")
    return case


def case_id(number: int, name: str) -> str:
    """Return the default id of a case: its line, preceded by the name of its file if any."""
    return f"{name}:{number}" if name else str(number)


def _require_text(record: Mapping[str, Any], name: str, number: int) -> None:
    if not isinstance(record.get(name), str):
        raise ShieldError(
            f"cases: line {number}: `{name}` is {shown(record.get(name))}; give a text"
        )
