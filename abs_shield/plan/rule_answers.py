"""Answers of several rules to the same sampled calls of one tool, which represent all its calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice, pairwise, product
from math import prod
from time import perf_counter
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.plan.code_constants import find_constants
from abs_shield.plan.compile import rejects_name
from abs_shield.plan.proof_context import Arguments, ProofContext
from abs_shield.plan.rule_plan import RulePlan, accepts_call
from abs_shield.plan.value_lines import (
    ValueLine,
    build_value_line,
    listed_values,
    midpoint,
    schema_alternatives,
    schema_kind,
)
from abs_shield.schema.json_equality import canonical_key
from abs_shield.schema.samples import Pool
from abs_shield.session import Session

SECONDS = 8.0
"""Time limit for comparing the rules of one tool, so that a slow rule does not block a proof."""
_MAX_SAMPLES = 400  # calls for a comparison; every rule is run on each
_MAX_RULES = 12  # rules of a tool, as all pairs are compared
_MAX_TOOLS = 40  # each may take the eight seconds above
_MAX_SETTINGS = 60  # combinations of the other parameters, each with thousands of points
_MAX_LISTED = 5_000  # combinations of listed values; each is one call
_MAX_ORDERED = 40
"""Values of each of two parameters that are combined: 1,600 calls for every comparison."""
# a rule about a range has at most two changes of its answer
_MAX_SWITCHES = 2
_SEPARATORS = ("", " ", ",", ", ", ";", "-", "/", ".", ":", "_", "@", "\n")
"""Separators between two words of a text."""
_MIN_MOMENTS = 10
"""Date-times that a rule must accept, and must reject, to be compared; fewer prove little."""

CallAnswers = tuple[bool, ...]
"""The answers of the compared rules to one call."""


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
        joint = _JointAnswers(
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
# For rules that do not take the call.
_NO_CALL = ToolCall("")


@dataclass(slots=True)
class _JointAnswers:
    """
    A few rules, and the calls that all of them are run on.

    Attributes:
        answers: All rules of the tool.
        rules: Indices of the compared rules.
        samples: Arguments that the schema accepts.
        words: Numbers and strings in the rules' code.
        base: A sample that has every parameter of the rules.
        listed_values: The values of the parameters for which the schema lists every value.
    """

    answers: RuleAnswers
    rules: tuple[int, ...]
    samples: list[Arguments] = field(kw_only=True)
    words: list[Any] = field(kw_only=True)
    base: Arguments = field(kw_only=True)
    listed_values: dict[str, list[Any]] = field(kw_only=True)

    def answers_to_listed(self) -> list[CallAnswers] | None:
        """Return the answers to every combination of the listed values."""
        return self._answers_to([*self.samples, *self._accepted_settings()])

    def answers_along(self, name: str, kind: str) -> list[CallAnswers] | None:
        """Return the answers to all values of one parameter, for every setting of the others."""
        settings = [*self._accepted_settings()]
        if not kind or len(settings) > _MAX_SETTINGS:
            return None
        if kind == "text":
            return self._answers_along_words(name, settings)
        line = self._line(name, kind)
        if line is None:
            return None
        # The samples are included, as they may have values that are on no line.
        answers = self._answers_to(self.samples) or []
        for setting in settings:
            along_line = self._answers_along(line, name, setting)
            if along_line is None:
                return None
            answers += along_line
        # Moments lie between the points of a line, so a comparison needs enough of both answers.
        if kind not in ("number", "integer") and not self._has_enough(answers):
            return None
        return answers

    def answers_in_order(self, names: list[str], kind: str) -> list[CallAnswers] | None:
        """Return the answers to both orders of two parameters, if only the order matters."""
        line = None if kind in ("", "text") else self._line(names[0], kind)
        takes = [self.answers.plans[n].takes for n in self.rules]
        if line is None or any(each != {*names} for each in takes):
            return None
        first, then = names
        points = sorted({*line.points[:: max(1, len(line.points) // _MAX_ORDERED)]})
        by_order: dict[int, set[CallAnswers]] = {}
        # Neighbours are included, as a rule may be about a distance; 2,000 days are over 5 years.
        for one, other in (*product(points, repeat=2), *pairwise(line.points[-2_000:])):
            call = {**self.base, first: line.value_at(one), then: line.value_at(other)}
            answer = self._answer(call)
            if answer is not None:
                by_order.setdefault((one > other) - (one < other), set()).add(answer)
        # Three orders: before, equal, after.
        if self.answers.is_late or len(by_order) < 3 or any(len(s) > 1 for s in by_order.values()):
            return None
        # each order has one answer, repeated as a comparison needs three rejected calls
        return [answer for each in by_order.values() for answer in each for _ in range(3)]

    def _line(self, name: str, kind: str) -> ValueLine | None:
        key = (name, kind, tuple(self.words))
        if key not in self.answers.lines:
            self.answers.lines[key] = self._build_line(name, kind)
        return self.answers.lines[key]

    def _build_line(self, name: str, kind: str) -> ValueLine | None:
        at, values = self.answers.context.at, [each[name] for each in self.samples if name in each]
        schema = self.answers.context.plans[self.answers.tool].schema
        # A schema may require an offset, or forbid it.
        for suffix in ("Z", ""):
            line = build_value_line(kind, self.words, values, at=at, suffix=suffix)
            if line is None or schema is None:
                return None
            middle = line.points[len(line.points) // 2]
            if kind in ("number", "integer", "date") or schema.accepts(
                {**self.base, name: line.value_at(middle)}
            ):
                return line
        return None

    def _answers_along(
        self, line: ValueLine, name: str, setting: Arguments
    ) -> list[CallAnswers] | None:
        """Return the answers at each point of a line, and at the bounds of each rule's ranges."""
        schema = self.answers.context.plans[self.answers.tool].schema
        by_point: dict[Any, CallAnswers] = {}

        def answer_at(point: Any) -> CallAnswers | None:
            call = {**setting, name: line.value_at(point)}
            answer = self._answer(call) if schema is None or schema.accepts(call) else None
            if answer is not None:
                by_point[point] = answer
            return answer

        key, calls = self.answers.collect_calls_along(line, name, setting)
        columns = [self.answers.column(rule, key) for rule in self.rules]
        if self.answers.is_late or not all(columns):
            return None
        for (point, _), *column_answers in zip(calls, *columns, strict=True):
            if None not in column_answers:
                by_point[point] = tuple(map(bool, column_answers))
        if not by_point:
            return None
        # If every day or minute is a point, there is nothing between the points.
        for n in () if line.decides_alone else range(len(self.rules)):
            points = sorted(by_point)
            ends = [(a, b) for a, b in pairwise(points) if by_point[a][n] is not by_point[b][n]]
            if len(ends) > _MAX_SWITCHES:
                return None
            for low, high in ends:
                _bisect(low, high, n, answer_at, whole=line.whole)
        return [*by_point.values()]

    def _has_enough(self, answers: list[CallAnswers]) -> bool:
        counts = [sum(answer[n] for answer in answers) for n in range(len(self.rules))]
        return all(_MIN_MOMENTS <= n <= len(answers) - _MIN_MOMENTS for n in counts)

    def _answers_along_words(
        self, name: str, settings: list[Arguments]
    ) -> list[CallAnswers] | None:
        """Return the answers to the strings in the code, if no rule accepts any other text."""
        words = [word for word in dict.fromkeys(self.words) if isinstance(word, str)]
        schema = self.answers.context.plans[self.answers.tool].schema
        calls = [{**setting, name: word} for setting in settings for word in words]
        calls = [call for call in calls if schema is None or schema.accepts(call)]
        for rule in self.rules:
            plan = self.answers.plans[rule]
            own = {word for word in rule_words(plan) if isinstance(word, str)}
            right = [
                call[name] for call in (*calls, *self.samples) if self.answers.answer(rule, call)
            ]
            if name not in plan.takes or not right or not {*right} <= own:
                return None
            # A rule that accepts a longer text with the word is about a part of the text.
            probes = {text for word in right for text in _longer_texts(word, words)} - own
            probe_calls = ({**setting, name: text} for setting in settings for text in probes)
            if any(self.answers.answer(rule, call) for call in probe_calls):
                return None
        return self._answers_to([*self.samples, *calls])

    def _accepted_settings(self) -> Iterator[Arguments]:
        """Yield the base with every combination of the listed values that the schema accepts."""
        schema = self.answers.context.plans[self.answers.tool].schema
        for values in product(*self.listed_values.values()):
            call = {**self.base, **dict(zip(self.listed_values, values, strict=True))}
            if schema is None or schema.accepts(call):
                yield call

    def _answers_to(self, calls: Iterable[Arguments]) -> list[CallAnswers] | None:
        answers = [self._answer(call) for call in calls]
        return None if self.answers.is_late else [each for each in answers if each is not None]

    def _answer(self, call: Arguments) -> CallAnswers | None:
        if self.answers.is_late:
            return None
        answers = [self.answers.answer(rule, call) for rule in self.rules]
        return None if None in answers else tuple(map(bool, answers))


def _bisect(low: Any, high: Any, rule: int, answer_at: Any, *, whole: bool) -> None:
    """Bisect between two points at which a rule's answers differ, down to neighbouring values."""
    low_answers = answer_at(low)
    while (middle := midpoint(low, high, whole=whole)) is not None:
        middle_answers = answer_at(middle)
        if middle_answers is None or low_answers is None:
            return
        low, high = (middle, high) if middle_answers[rule] is low_answers[rule] else (low, middle)


def _longer_texts(word: str, words: Sequence[str]) -> Iterator[str]:
    """Yield texts that contain a word, which a rule about a part of a text also accepts."""
    yield from (word.lower(), word.upper(), word.title(), word[:-1], word[1:], word * 2)
    for between in _SEPARATORS:
        for other in ("", "x", "7", "A1", *words[:20]):
            yield from (f"{word}{between}{other}", f"{other}{between}{word}")


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


def rule_words(plan: RulePlan) -> tuple[Any, ...]:
    """Return the constants in a rule's code, and its declared examples."""
    return (*plan.rule.tries, *find_constants(plan.rule.function))


def answer_call(
    plan: RulePlan, tool: str, arguments: Mapping[str, Any], *, flat: bool = False
) -> bool | None:
    """
    Return whether a rule accepts a call in an empty session; None if it gives no answer.

    Args:
        plan: The rule.
        tool: The tool's name.
        arguments: The arguments of the call.
        flat: Whether all arguments that the rule takes are known to be scalars.
    """
    if not plan.runs_on(arguments):
        return None
    # Most rules take neither, and a proof runs them on thousands of calls.
    session = Session() if plan.session else None
    call = ToolCall(tool, dict(arguments)) if plan.call else _NO_CALL
    with suppress(Exception):
        return accepts_call(plan.run(arguments, session, call, flat=flat))
    return None
