"""Answers of several rules to the same sampled calls of one tool, which represent all its calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from math import prod
from time import perf_counter
from typing import Any

from abs_shield.plan.compile import rejects_name
from abs_shield.plan.joint_answers import CallAnswers, JointAnswers
from abs_shield.plan.proof_context import Arguments, ProofContext
from abs_shield.plan.rule_call import answer_call, rule_words
from abs_shield.plan.rule_plan import RulePlan
from abs_shield.plan.value_lines import ValueLine, listed_values, schema_alternatives, schema_kind
from abs_shield.schema.json_equality import canonical_key
from abs_shield.schema.samples import Pool

SECONDS = 8.0
"""Time limit for comparing the rules of one tool, so that a slow rule does not block a proof."""
_MAX_SAMPLES = 400  # calls for a comparison; every rule is run on each
_MAX_RULES = 12  # rules of a tool, as all pairs are compared
_MAX_TOOLS = 40  # each may take the eight seconds above
_MAX_LISTED = 5_000  # combinations of listed values; each is one call


@dataclass(slots=True)
class RuleAnswers:
    """
    The rules of one tool that take only arguments, and their answers.

    Attributes:
        tool: The tool's name.
        plans: The rules.
        context: The compiled tools.
        answered: The answers so far, by rule and by the arguments that it takes.
        compared: Counts of each combination of answers, for the rules compared so far.
        sampled: The samples, by the parameters that they cover.
        lines: The representative values of a parameter, by its name and kind.
        points: The calls that differ only in one parameter and that the schema accepts, by the
            parameter's name and the other arguments.
        columns: A rule's answers to these calls.
    """

    tool: str
    plans: list[RulePlan]
    context: ProofContext
    answered: dict[Any, bool | None] = field(default_factory=dict)
    compared: dict[tuple[int, ...], Counter[CallAnswers] | None] = field(default_factory=dict)
    sampled: dict[tuple[str, ...], list[Arguments]] = field(default_factory=dict)
    lines: dict[Any, ValueLine | None] = field(default_factory=dict)
    points: dict[Any, list[tuple[Any, Arguments]]] = field(default_factory=dict)
    columns: dict[Any, list[bool | None]] = field(default_factory=dict)
    _seconds_left: float = SECONDS
    _deadline: float = 0.0

    def compare(self, *rules: int) -> Counter[CallAnswers] | None:
        """
        Count the answers of rules to the same calls; None if no calls represent all others.

        Sampled calls represent all others in three cases: the schema lists the values of each
        parameter; one parameter is a number, a date-time, or a text for which each rule accepts
        only strings of its code; the rules depend only on the order of two parameters.
        """
        if rules not in self.compared:
            started = perf_counter()
            self._deadline = started + self._seconds_left
            answers = self._compare(rules)
            # The time limit is shared by all comparisons of a tool.
            self._seconds_left -= perf_counter() - started
            self.compared[rules] = None if answers is None else Counter(answers)
        return self.compared[rules]

    def _compare(self, rules: tuple[int, ...]) -> list[CallAnswers] | None:
        plans = [self.plans[n] for n in rules]
        root = self.context.tools[self.tool].parameters
        names = sorted(frozenset[str]().union(*(plan.takes for plan in plans)))
        parts = {name: schema_alternatives(root, name) for name in names}
        listed_by_name = {name: listed_values(parts[name]) for name in names}
        unlisted = [name for name in names if listed_by_name[name] is None]
        listed_values_by_name = {
            name: values for name, values in listed_by_name.items() if values is not None
        }
        words = self._words(names)
        samples = self._samples(names)
        base = next((each for each in samples if {*names} <= each.keys()), None)
        # The comparison needs a call that has all parameters.
        if base is None or prod(map(len, listed_values_by_name.values())) > _MAX_LISTED:
            return None
        joint = JointAnswers(
            self,
            rules,
            samples=samples,
            words=words,
            base=base,
            listed_values=listed_values_by_name,
        )
        if not unlisted:
            return joint.answers_to_listed()
        kinds = {schema_kind(parts[name]) for name in unlisted}
        if len(unlisted) == 1:
            return joint.answers_along(unlisted[0], kinds.pop())
        if len(unlisted) == 2 and not listed_values_by_name and len(kinds) == 1:
            return joint.answers_in_order(unlisted, kinds.pop())
        return None

    def _words(self, names: Sequence[str]) -> list[Any]:
        """Return the constants of all rules that take any of these parameters."""
        near = (plan for plan in self.plans if not plan.takes.isdisjoint(names))
        return [*dict.fromkeys(word for plan in near for word in rule_words(plan))]

    def _samples(self, names: Sequence[str]) -> list[Arguments]:
        key = tuple(names)
        if key not in self.sampled:
            samples = self.context.samples(self.tool, pool=Pool.of(self._words(names)), focus=names)
            self.sampled[key] = [*islice(samples, _MAX_SAMPLES)]
        return self.sampled[key]

    def collect_calls_along(
        self, line: ValueLine, name: str, setting: Arguments
    ) -> tuple[Any, list[tuple[Any, Arguments]]]:
        """Return the accepted calls with the values of *line* for a parameter, and their key."""
        schema = self.context.plans[self.tool].schema
        key = (name, canonical_key({k: v for k, v in setting.items() if k != name}), id(line))
        if key not in self.points:
            calls = ((point, {**setting, name: line.value_at(point)}) for point in line.points)
            self.points[key] = [
                (point, call) for point, call in calls if schema is None or schema.accepts(call)
            ]
        return key, self.points[key]

    def column(self, rule: int, key: Any) -> list[bool | None]:
        """Return a rule's answers to the calls of a key of `collect_calls_along`; empty if late."""
        if (rule, key) not in self.columns:
            column = []
            for _, call in self.points[key]:
                if self.is_late:
                    return []
                column.append(self.answer(rule, call))
            self.columns[rule, key] = column
        return self.columns[rule, key]

    def answer(self, rule: int, arguments: Arguments) -> bool | None:
        """Return whether a rule accepts a call, None without an answer; cached by its arguments."""
        plan = self.plans[rule]
        taken = (arguments.get(name, _ABSENT) for name in sorted(plan.takes))
        # The type belongs to the key, as `1 == True == 1.0`.
        key = (rule, *((type(value), value) for value in taken))
        with suppress(TypeError):  # a list or an object has no hash
            if key not in self.answered:
                # what has a hash is a scalar, which a rule cannot change
                self.answered[key] = answer_call(plan, self.tool, arguments, flat=True)
                self.context.sample_count += 1
            return self.answered[key]
        return answer_call(plan, self.tool, arguments)

    @property
    def is_late(self) -> bool:
        """True if the rules have taken too long."""
        return perf_counter() > self._deadline


_ABSENT = object()


def compile_rule_answers(context: ProofContext) -> Iterator[RuleAnswers]:
    """Yield the comparable rules of each tool that has at least two, for at most 40 tools."""
    yield from islice(
        (answers for tool in context.tools if (answers := _rule_answers_of(tool, context))),
        _MAX_TOOLS,
    )


def _rule_answers_of(tool: str, context: ProofContext) -> RuleAnswers | None:
    schema = context.plans[tool].schema
    if schema is None:
        return None
    plans = [
        each
        for each in context.plans[tool].rules
        if each.takes
        # The answer of a rule that takes the session or the call depends on more than arguments.
        and not (each.session or each.call or each.takes_all)
        and not any(rejects_name(schema, name) for name in each.needs)
    ]
    return RuleAnswers(tool, plans[:_MAX_RULES], context) if len(plans) > 1 else None
