"""Answers of a few rules to the calls that represent all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from abs_shield.plan.proof_context import Arguments
from abs_shield.plan.rule_call import rule_words
from abs_shield.plan.value_lines import ValueLine, build_value_line, midpoint

if TYPE_CHECKING:
    from abs_shield.plan.rule_answers import RuleAnswers

_MAX_SETTINGS = 60  # combinations of the other parameters, each with thousands of points
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
class JointAnswers:
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
