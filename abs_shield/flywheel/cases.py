"""Cases that versions are tested on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.flywheel.lines import numbered_lines
from abs_shield.text.normal import normal
from abs_shield.text.show import escaped, shown

TARGET, REGRESSION, HALLUCINATION = PARTS = ("target", "regression", "hallucination")
"""Task tests, tests of everything else, and the hallucination re-check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationCase:
    """
    One case.

    Attributes:
        id: Its id, unique.
        prompt: What the version is asked.
        expected: The right answer; the version never sees it.
        part: ``target``, ``regression`` or ``hallucination``.
        task: The kind of task; each kind of the regression part is compared by itself.
    """

    id: str
    prompt: str
    expected: str
    part: str = TARGET
    task: str = ""


def read_cases(text: str, *, name: str = "") -> list[EvaluationCase]:
    """
    Return the cases of a JSONL text: ``{"id"?, "prompt", "expected", "part"?, "task"?}`` a line.

    Args:
        text: The lines.
        name: Name of the file; a case without an id is ``name:line``, so that several files go
            together.

    Raises:
        ShieldError: A line is not a case, or an id repeats.
    """
    cases = [_case(number, line, name) for number, line in numbered_lines(text)]
    require_distinct(cases)
    return cases


def require_distinct(cases: Iterable[EvaluationCase]) -> None:
    """
    Refuse cases of which two have one id: an answer could not be told from the other's.

    Raises:
        ShieldError: An id repeats.
    """
    repeated = [name for name, count in Counter(case.id for case in cases).items() if count > 1]
    if repeated:
        raise ShieldError(f"cases: the id {shown(repeated[0])} repeats; give each case its own")


def once_each(cases: Iterable[EvaluationCase]) -> list[EvaluationCase]:
    """
    Return the cases without those that ask again what an earlier one of their part and task asks.

    A repeated prompt is no further evidence, but the statistics would count it as such.

    Raises:
        ShieldError: Two cases ask the same and expect different answers.
    """
    first: dict[tuple[str, str, str], EvaluationCase] = {}
    for case in cases:
        asked = " ".join(normal(case.prompt).split())
        one = first.setdefault((case.part, case.task, asked), case)
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
    unknown = sorted({*record} - {*EvaluationCase.__dataclass_fields__})
    if unknown:
        fields = ", ".join(EvaluationCase.__dataclass_fields__)
        raise ShieldError(f"cases: line {number} has {shown(unknown[0])}; use {fields}")
    fields_of = {"id": case_id(number, name), **record}
    for field in ("prompt", "expected"):
        _require_text(fields_of, field, number)
    case = EvaluationCase(**{field: str(value) for field, value in fields_of.items()})
    if case.part not in PARTS:
        raise ShieldError(f"cases: line {number}: `part` is {shown(case.part)}; use {PARTS}")
    return case


def case_id(number: int, name: str) -> str:
    """Return the id of a case that has none: its line, and its file where that has a name."""
    return f"{name}:{number}" if name else str(number)


def _require_text(record: Mapping[str, Any], name: str, number: int) -> None:
    if not isinstance(record.get(name), str):
        raise ShieldError(
            f"cases: line {number}: `{name}` is {shown(record.get(name))}; give a text"
        )
