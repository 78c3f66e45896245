"""Cases that versions are tested on, and when an answer is right."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.flywheel.lines import numbered_lines
from abs_shield.flywheel.mutate.canonical import canonical
from abs_shield.text.normal import normal
from abs_shield.text.polarity import read
from abs_shield.text.show import escaped, shown
from abs_shield.text.values.figure import Figure, same
from abs_shield.text.values.reader import figures

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


def is_right(case: EvaluationCase, answer: str) -> bool:
    """
    Return whether an answer is right: it has the words and values that are expected, in any form.

    Of the hallucination part an answer without a claim is right, too: one without a value where a
    value is expected, else one that says it does not know. An answer that denies what is expected,
    or that states another value of its kind beside it, is wrong.

    >>> case = EvaluationCase(id="1", prompt="Apple's market cap?", expected="$3.1T")
    >>> is_right(case, "It was 3.1 trillion dollars."), is_right(case, "It was $3.2T.")
    (True, False)
    """
    if _claims_another(case, answer):
        return False
    if case.part == HALLUCINATION and (_values(case.expected) or _abstains(answer)):
        return True
    if read(case.expected).negated != read(answer).negated:
        return False
    if len(case.expected.split()) == 1 and not figures(case.expected):
        return _stands_alone(normal(case.expected.strip()), normal(answer))
    expected = canonical(case.expected)
    if not expected.keys:
        return expected.letters == canonical(answer).letters
    return expected.bag <= canonical(answer).bag


def _abstains(answer: str) -> bool:
    """Return whether an answer claims nothing: it is empty, or says that something is not known."""
    return not answer.strip() or read(answer).negated


def _values(text: str) -> list[Figure]:
    return [one for one in figures(text) if not one.soft]


def _stands_alone(word: str, text: str) -> bool:
    """Return whether a text has a word, and not as a part of another one: of ``issue_refund``."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def _claims_another(case: EvaluationCase, answer: str) -> bool:
    """Return whether an answer has a value of the expected kind that is not the expected one."""
    expected = _values(case.expected)
    if not expected:
        return False
    known = [*expected, *figures(case.prompt)]
    return any(
        one.kind in {value.kind for value in expected} and not _is_among(one, known)
        for one in _values(answer)
    )


def _is_among(one: Figure, known: Iterable[Figure]) -> bool:
    return any(same(one, value) and same(value, one) for value in known)


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
