"""Answers of several rules to the same sampled calls of one tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice, pairwise
from time import perf_counter
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.plan.case import Arguments, Case
from abs_shield.plan.compile import refuses
from abs_shield.plan.constants import constants_of
from abs_shield.plan.rules import RulePlan, accepted
from abs_shield.schema.equality import canonical
from abs_shield.schema.samples import Pool
from abs_shield.schema.samples.shapes import shapes, types
from abs_shield.session import Session

SECONDS = 2.0
"""After so long the rules of one tool are asked no more."""
_MOST_EACH = 400
_MOST_RULES = 12
_MOST_TOOLS = 40
_DENSE = 60
"""Values between two neighbouring numbers of one parameter, or whole numbers, that are tried."""
_LARGE = 1e12
_ORDERED = {"number", "integer", "boolean", "null"}
_MOMENTS = {"date", "date-time", "time"}


@dataclass(slots=True)
class Answers:
    """
    Sampled calls of one tool, and whether each of its rules accepts them.

    Attributes:
        plans: The rules that need no session.
        calls: The arguments, no two equal.
        accepts: For each rule and each call: True accepts, False rejects, None is no answer.
    """

    tool: str
    plans: list[RulePlan]
    calls: list[Arguments] = field(default_factory=list)
    accepts: list[list[bool | None]] = field(default_factory=list)

    def both(self, one: int, other: int) -> list[tuple[bool, bool]]:
        """Return the answers of two rules to the calls that both answer."""
        pairs = zip(self.accepts[one], self.accepts[other], strict=True)
        return [(a, b) for a, b in pairs if a is not None and b is not None]

    def switches(self, rule: int, parameter: str) -> int:
        """Count how often an answer changes along the values of the only parameter of a rule."""
        values = {
            value: said
            for arguments, said in zip(self.calls, self.accepts[rule], strict=True)
            if said is not None and isinstance(value := arguments.get(parameter), (int, float))
        }
        along = [values[value] for value in sorted(values)]
        return sum(a != b for a, b in pairwise(along))

    def accepted(self, rule: int, parameter: str) -> set[Any]:
        """Return the different values of a parameter that a rule accepts."""
        return {
            canonical(arguments.get(parameter))
            for arguments, said in zip(self.calls, self.accepts[rule], strict=True)
            if said
        }


def answers_of(case: Case) -> Iterator[Answers]:
    """Yield the answers for each tool of which two rules share a parameter, the first 40."""
    yield from islice((found for tool in case.tools if (found := _of(tool, case))), _MOST_TOOLS)


def _of(tool: str, case: Case) -> Answers | None:
    plan = case.plans[tool]
    if plan.schema is None:
        return None
    schema = plan.schema
    asked = [
        each
        for each in plan.rules
        if each.takes and not each.session and not any(refuses(schema, name) for name in each.needs)
    ]
    plans = [*_with_a_partner(asked, case.tools[tool].parameters)][:_MOST_RULES]
    if not plans:
        return None
    answers = Answers(tool, plans)
    answers.calls = [*_calls(tool, plans, case)]
    answers.accepts = [*_evaluate(answers)]
    return answers


def _with_a_partner(plans: list[RulePlan], root: Any) -> Iterator[RulePlan]:
    """The rules that look at a plain value at which another one looks as well."""
    names = Counter(name for plan in plans for name in plan.takes)
    plain = {name for name, n in names.items() if n > 1 and all(map(_is_plain, _parts(root, name)))}
    return (plan for plan in plans if not plain.isdisjoint(plan.takes))


def _is_plain(part: Mapping[str, Any]) -> bool:
    return _is_ordered(part) or part.get("type") == "string"


def _calls(tool: str, plans: list[RulePlan], case: Case) -> Iterator[Arguments]:
    """Samples near the numbers and words of every rule, and what lies between the numbers."""
    pool = Pool.of([value for plan in plans for value in words_of(plan)])
    seen: set[Any] = set()
    for names in dict.fromkeys(plan.takes for plan in plans):
        samples = [*islice(case.samples(tool, pool=pool, focus=sorted(names)), _MOST_EACH)]
        for arguments in (*samples, *_between(samples, names, tool, case)):
            key = canonical(arguments)
            if key not in seen:
                seen.add(key)
                case.asked += 1
                yield arguments


def words_of(plan: RulePlan) -> tuple[Any, ...]:
    """Return the numbers and words with which a rule was written."""
    return (*plan.rule.tries, *constants_of(plan.rule.function))


def _between(
    samples: list[Arguments], names: Iterable[str], tool: str, case: Case
) -> Iterator[Arguments]:
    """Vary the only number of a rule: two bounds without a sample between them look like none."""
    name, *more = names
    schema = case.plans[tool].schema
    held = [each for each in samples if _is_number(each.get(name))]
    if more or not held or schema is None:
        return
    numbers: set[float] = {each[name] for each in held}
    for value in _dense(sorted(number for number in numbers if abs(number) < _LARGE)):
        arguments = {**held[0], name: value}
        if schema.accepts(arguments):
            yield arguments


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _dense(numbers: list[float]) -> Iterator[float]:
    for low, high in pairwise(numbers):
        yield (low + high) / 2
        yield from range(int(low) + 1, min(int(high), int(low) + _DENSE))


def _evaluate(answers: Answers) -> Iterator[list[bool | None]]:
    ends = perf_counter() + SECONDS
    for plan in answers.plans:
        yield [
            answer(plan, answers.tool, arguments) if perf_counter() < ends else None
            for arguments in answers.calls
        ]


def answer(plan: RulePlan, tool: str, arguments: Arguments) -> bool | None:
    """Return whether a rule accepts a call in an empty session; None where it gives no answer."""
    if not plan.runs_on(arguments):
        return None
    with suppress(Exception):
        return accepted(plan.ask(arguments, Session(), ToolCall(tool, arguments)))
    return None


def are_comparable(answers: Answers, one: int, other: int, case: Case) -> bool:
    """
    Return whether samples of what two rules share are as good as all of its values.

    Numbers whose bounds are samples, listed values, dates; texts only where each rule accepts no
    others than those that stand in its code.
    """
    plans = answers.plans[one], answers.plans[other]
    shared = plans[0].takes & plans[1].takes
    if not shared:
        return False
    root = case.tools[answers.tool].parameters
    for name in shared:
        parts = _parts(root, name)
        if all(map(_is_ordered, parts)):
            continue
        if not all(_is_listed(n, name, answers) for n in (one, other)):
            return False
    single = plans[0].takes == plans[1].takes and len(shared) == 1
    name = next(iter(shared))
    return not single or all(answers.switches(n, name) <= 2 for n in (one, other))


def _parts(root: Any, name: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for shape in shapes(root, root):
        said = shape.get("properties")
        found += shapes(said.get(name, True) if isinstance(said, Mapping) else True, root)
    return found


def _is_ordered(part: Mapping[str, Any]) -> bool:
    if "enum" in part or "const" in part or part.get("format") in _MOMENTS:
        return True
    return "type" in part and {*types(part["type"])} <= _ORDERED


def _is_listed(rule: int, name: str, answers: Answers) -> bool:
    """Return whether a rule accepts nothing but the words in its code."""
    accepted = answers.accepted(rule, name)
    known = {canonical(value) for value in words_of(answers.plans[rule])}
    return bool(accepted) and accepted <= known
