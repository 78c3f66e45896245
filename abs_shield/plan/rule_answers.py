"""Answers of several rules to the same calls of one tool, which stand for all its calls."""

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
from abs_shield.plan.compile import rejects_name
from abs_shield.plan.constants import find_constants
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
from abs_shield.schema.equality import canonical
from abs_shield.schema.samples import Pool
from abs_shield.session import Session

SECONDS = 8.0
"""After so long the rules of one tool are not compared any more."""
_MOST_SAMPLES = 400
_MOST_RULES = 12
_MOST_TOOLS = 40
_MOST_SETTINGS = 60
_MOST_LISTED = 5_000
_MOST_ORDERED = 40
"""Values of each of two parameters that are compared with each other."""
_MOST_SWITCHES = 2
_BETWEEN = ("", " ", ",", ", ", ";", "-", "/", ".", ":", "_", "@", "\n")
"""What may stand between two words of a text."""
_FEWEST_MOMENTS = 10
"""Moments that a rule accepts, and rejects, below which it is not compared."""

Said = tuple[bool, ...]
"""The answers of the rules that are compared to one call."""


@dataclass(slots=True)
class RuleAnswers:
    """
    The rules of one tool that need no session.

    Attributes:
        plans: The rules.
        asked: The answers so far, by rule and by the arguments that it takes.
        compared: How often each combination of answers came, for the rules compared so far.
        sampled: The samples, by the parameters that they are about.
        lines: The values of a parameter that stand for all, by its name and kind.
        points: The calls along a parameter that the schema accepts, by its name and the others.
        columns: A rule's answers to these calls.
    """

    tool: str
    plans: list[RulePlan]
    context: ProofContext
    asked: dict[Any, bool | None] = field(default_factory=dict)
    compared: dict[tuple[int, ...], Counter[Said] | None] = field(default_factory=dict)
    sampled: dict[tuple[str, ...], list[Arguments]] = field(default_factory=dict)
    lines: dict[Any, ValueLine | None] = field(default_factory=dict)
    points: dict[Any, list[tuple[Any, Arguments]]] = field(default_factory=dict)
    columns: dict[Any, list[bool | None]] = field(default_factory=dict)
    _left: float = SECONDS
    _ends: float = 0.0

    def compare(self, *rules: int) -> Counter[Said] | None:
        """
        Count the answers of rules to the same calls; None where no calls decide for all others.

        The calls decide where each parameter is listed by its schema, or one is a number, a moment
        or a text of which each rule accepts no others than the words of its code, or where rules
        about two parameters look at their order alone.
        """
        if rules not in self.compared:
            begun = perf_counter()
            self._ends = begun + self._left
            said = self._compare(rules)
            self._left -= perf_counter() - begun
            self.compared[rules] = None if said is None else Counter(said)
        return self.compared[rules]

    def _compare(self, rules: tuple[int, ...]) -> list[Said] | None:
        plans = [self.plans[n] for n in rules]
        root = self.context.tools[self.tool].parameters
        names = sorted(frozenset[str]().union(*(plan.takes for plan in plans)))
        parts = {name: schema_alternatives(root, name) for name in names}
        listed = {name: listed_values(parts[name]) for name in names}
        left = [name for name in names if listed[name] is None]
        known = {name: values for name, values in listed.items() if values is not None}
        words = self._words(names)
        samples = self._samples(names)
        base = next((each for each in samples if {*names} <= each.keys()), None)
        if base is None or prod(map(len, known.values())) > _MOST_LISTED:
            return None
        several = _Several(self, rules, samples=samples, words=words, base=base, known=known)
        if not left:
            return several.listed()
        kinds = {schema_kind(parts[name]) for name in left}
        if len(left) == 1:
            return several.along(left[0], kinds.pop())
        if len(left) == 2 and not known and len(kinds) == 1:
            return several.in_order(left, kinds.pop())
        return None

    def _words(self, names: Sequence[str]) -> list[Any]:
        """The numbers and words of all rules that look at these parameters."""
        near = (plan for plan in self.plans if not plan.takes.isdisjoint(names))
        return [*dict.fromkeys(word for plan in near for word in rule_words(plan))]

    def _samples(self, names: Sequence[str]) -> list[Arguments]:
        key = tuple(names)
        if key not in self.sampled:
            found = self.context.samples(self.tool, pool=Pool.of(self._words(names)), focus=names)
            self.sampled[key] = [*islice(found, _MOST_SAMPLES)]
        return self.sampled[key]

    def calls_along(
        self, line: ValueLine, name: str, setting: Arguments
    ) -> tuple[Any, list[tuple[Any, Arguments]]]:
        """Return the calls along a parameter that the schema accepts, and their key."""
        schema = self.context.plans[self.tool].schema
        key = (name, canonical({k: v for k, v in setting.items() if k != name}), id(line))
        if key not in self.points:
            calls = ((point, {**setting, name: line.value_at(point)}) for point in line.points)
            self.points[key] = [
                (point, call) for point, call in calls if schema is None or schema.accepts(call)
            ]
        return key, self.points[key]

    def column(self, rule: int, key: Any) -> list[bool | None]:
        """Return the answers of a rule to the calls with a key of `calls_along`."""
        if (rule, key) not in self.columns:
            found = []
            for _, call in self.points[key]:
                if self.is_late:
                    return []
                found.append(self.ask(rule, call))
            self.columns[rule, key] = found
        return self.columns[rule, key]

    def ask(self, rule: int, arguments: Arguments) -> bool | None:
        """Return whether a rule accepts a call, asked once about the same arguments."""
        plan = self.plans[rule]
        taken = (arguments.get(name, _ABSENT) for name in sorted(plan.takes))
        key = (rule, *((type(value), value) for value in taken))
        with suppress(TypeError):  # a list or an object has no hash
            if key not in self.asked:
                self.asked[key] = answer_call(plan, self.tool, arguments)
                self.context.asked += 1
            return self.asked[key]
        return answer_call(plan, self.tool, arguments)

    @property
    def is_late(self) -> bool:
        """Whether the rules have taken too long."""
        return perf_counter() > self._ends


_ABSENT = object()


@dataclass(slots=True)
class _Several:
    """
    A few rules, and the calls about which all of them are asked.

    Attributes:
        samples: Arguments that the schema accepts.
        words: Numbers and words of the rules' code.
        base: A sample that has every parameter of the rules.
        known: The parameters of which the schema lists every value, with the values.
    """

    answers: RuleAnswers
    rules: tuple[int, ...]
    samples: list[Arguments] = field(kw_only=True)
    words: list[Any] = field(kw_only=True)
    base: Arguments = field(kw_only=True)
    known: dict[str, list[Any]] = field(kw_only=True)

    def listed(self) -> list[Said] | None:
        """Return the answers to every combination of the listed values."""
        return self._said([*self.samples, *self._settings()])

    def along(self, name: str, kind: str) -> list[Said] | None:
        """Return the answers along one parameter, for every combination of the others."""
        settings = [*self._settings()]
        if not kind or len(settings) > _MOST_SETTINGS:
            return None
        if kind == "text":
            return self._of_words(name, settings)
        line = self._line(name, kind)
        if line is None:
            return None
        found = self._said(self.samples) or []
        for setting in settings:
            said = self._along(line, name, setting)
            if said is None:
                return None
            found += said
        if kind not in ("number", "integer") and not self._are_many(found):
            return None
        return found

    def in_order(self, names: list[str], kind: str) -> list[Said] | None:
        """Return the answers to both orders of two parameters, where nothing else matters."""
        line = None if kind in ("", "text") else self._line(names[0], kind)
        takes = [self.answers.plans[n].takes for n in self.rules]
        if line is None or any(each != {*names} for each in takes):
            return None
        first, then = names
        points = sorted({*line.points[:: max(1, len(line.points) // _MOST_ORDERED)]})
        by_order: dict[int, set[Said]] = {}
        for one, other in (*product(points, repeat=2), *pairwise(line.points[-2_000:])):
            call = {**self.base, first: line.value_at(one), then: line.value_at(other)}
            said = self._ask(call)
            if said is not None:
                by_order.setdefault((one > other) - (one < other), set()).add(said)
        if self.answers.is_late or len(by_order) < 3 or any(len(s) > 1 for s in by_order.values()):
            return None
        # one answer for each order: a call of it stands for as many as a comparison needs
        return [said for each in by_order.values() for said in each for _ in range(3)]

    def _line(self, name: str, kind: str) -> ValueLine | None:
        key = (name, kind, tuple(self.words))
        if key not in self.answers.lines:
            self.answers.lines[key] = self._new_line(name, kind)
        return self.answers.lines[key]

    def _new_line(self, name: str, kind: str) -> ValueLine | None:
        at, values = self.answers.context.at, [each[name] for each in self.samples if name in each]
        schema = self.answers.context.plans[self.answers.tool].schema
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

    def _along(self, line: ValueLine, name: str, setting: Arguments) -> list[Said] | None:
        """Return the answers at each point, and at the ends of what each rule accepts."""
        schema = self.answers.context.plans[self.answers.tool].schema
        found: dict[Any, Said] = {}

        def ask(point: Any) -> Said | None:
            call = {**setting, name: line.value_at(point)}
            said = self._ask(call) if schema is None or schema.accepts(call) else None
            if said is not None:
                found[point] = said
            return said

        key, calls = self.answers.calls_along(line, name, setting)
        columns = [self.answers.column(rule, key) for rule in self.rules]
        if self.answers.is_late or not all(columns):
            return None
        for (point, _), *said in zip(calls, *columns, strict=True):
            if None not in said:
                found[point] = tuple(map(bool, said))
        if not found:
            return None
        for n in () if line.decides_alone else range(len(self.rules)):
            points = sorted(found)
            ends = [(a, b) for a, b in pairwise(points) if found[a][n] is not found[b][n]]
            if len(ends) > _MOST_SWITCHES:
                return None
            for low, high in ends:
                _search(low, high, n, ask, whole=line.whole)
        return [*found.values()]

    def _are_many(self, found: list[Said]) -> bool:
        counts = [sum(said[n] for said in found) for n in range(len(self.rules))]
        return all(_FEWEST_MOMENTS <= n <= len(found) - _FEWEST_MOMENTS for n in counts)

    def _of_words(self, name: str, settings: list[Arguments]) -> list[Said] | None:
        """Return the answers to the words of the code, where no rule accepts any other text."""
        words = [word for word in dict.fromkeys(self.words) if isinstance(word, str)]
        schema = self.answers.context.plans[self.answers.tool].schema
        calls = [{**setting, name: word} for setting in settings for word in words]
        calls = [call for call in calls if schema is None or schema.accepts(call)]
        for rule in self.rules:
            plan = self.answers.plans[rule]
            own = {word for word in rule_words(plan) if isinstance(word, str)}
            right = [call[name] for call in (*calls, *self.samples) if self.answers.ask(rule, call)]
            if name not in plan.takes or not right or not {*right} <= own:
                return None
            probes = {text for word in right for text in _longer(word, words)} - own
            asked = ({**setting, name: text} for setting in settings for text in probes)
            if any(self.answers.ask(rule, call) for call in asked):
                return None
        return self._said([*self.samples, *calls])

    def _settings(self) -> Iterator[Arguments]:
        """Yield the base with every combination of the listed values that the schema accepts."""
        schema = self.answers.context.plans[self.answers.tool].schema
        for values in product(*self.known.values()):
            call = {**self.base, **dict(zip(self.known, values, strict=True))}
            if schema is None or schema.accepts(call):
                yield call

    def _said(self, calls: Iterable[Arguments]) -> list[Said] | None:
        said = [self._ask(call) for call in calls]
        return None if self.answers.is_late else [each for each in said if each is not None]

    def _ask(self, call: Arguments) -> Said | None:
        if self.answers.is_late:
            return None
        said = [self.answers.ask(rule, call) for rule in self.rules]
        return None if None in said else tuple(map(bool, said))


def _search(low: Any, high: Any, rule: int, ask: Any, *, whole: bool) -> None:
    """Halve what lies between two points of which a rule accepts one, down to neighbours."""
    at_low = ask(low)
    while (middle := midpoint(low, high, whole=whole)) is not None:
        said = ask(middle)
        if said is None or at_low is None:
            return
        low, high = (middle, high) if said[rule] is at_low[rule] else (low, middle)


def _longer(word: str, words: Sequence[str]) -> Iterator[str]:
    """Texts that hold a word, and that a rule about a part of a text accepts too."""
    yield from (word.lower(), word.upper(), word.title(), word[:-1], word[1:], word * 2)
    for between in _BETWEEN:
        for other in ("", "x", "7", "A1", *words[:20]):
            yield from (f"{word}{between}{other}", f"{other}{between}{word}")


def compile_rule_answers(context: ProofContext) -> Iterator[RuleAnswers]:
    """Yield the rules of each tool of which two share a parameter, the first 40 tools."""
    yield from islice(
        (found for tool in context.tools if (found := _of(tool, context))), _MOST_TOOLS
    )


def _of(tool: str, context: ProofContext) -> RuleAnswers | None:
    schema = context.plans[tool].schema
    if schema is None:
        return None
    plans = [
        each
        for each in context.plans[tool].rules
        if each.takes
        and not (each.session or each.call or each.takes_all)
        and not any(rejects_name(schema, name) for name in each.needs)
    ]
    return RuleAnswers(tool, plans[:_MOST_RULES], context) if len(plans) > 1 else None


def rule_words(plan: RulePlan) -> tuple[Any, ...]:
    """Return the numbers and words with which a rule was written."""
    return (*plan.rule.tries, *find_constants(plan.rule.function))


def answer_call(plan: RulePlan, tool: str, arguments: Mapping[str, Any]) -> bool | None:
    """Return whether a rule accepts a call in an empty session; None where it gives no answer."""
    if not plan.runs_on(arguments):
        return None
    with suppress(Exception):
        return accepts_call(plan.ask(arguments, Session(), ToolCall(tool, dict(arguments))))
    return None
