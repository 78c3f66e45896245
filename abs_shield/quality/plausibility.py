"""Plausibility: declared limits of quantities and declared orders, against what an output says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from abs_shield.policy.declared import Declared
from abs_shield.quality.hallucination import SubCheck
from abs_shield.quality.reading import sentence_keys
from abs_shield.quality.types import OutputFinding
from abs_shield.text.polarity import read
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.show import escaped
from abs_shield.text.tokens import keys_of
from abs_shield.text.values.figure import SUMS, Figure
from abs_shield.text.values.reader import figures

_MOST_SENTENCES, _LONGEST = 2_000, 2_000
_MINUS = re.compile(r"(?:^|[\s(])(?:[-\u2212][$\u20ac\u00a3]?|minus )$")
_MORE = r"(?:more|higher|greater|larger|better|longer|faster|older|heavier|above|exceeds?|exceeded)"
_LESS = r"(?:less|lower|fewer|smaller|worse|shorter|slower|younger|lighter|cheaper|below|under)"
_COMPARED = re.compile(
    rf"\b(?:(?P<more>{_MORE})|(?P<less>{_LESS}))\b(?:[^.;\n]{{0,40}}?\bthan\b)?", re.IGNORECASE
)
_RISES = frozenset(keys_of("increase increasing grow growing rise rising gain climb expand"))
_FALLS = frozenset(keys_of("decrease decreasing shrink shrinking fall falling drop decline lose"))


class Limit(Declared):
    """
    The limits of a quantity.

    Attributes:
        quantity: Words that name it: ``interest rate``.
        minimum: The least value that it can have; None if there is none.
        maximum: The greatest value that it can have; None if there is none.
        unit: The unit of both, as figures have it: ``%``, ``USD``, ``days``; empty for any.
        reason: Why, for the agent.
    """

    quantity: Annotated[str, Field(min_length=1)]
    minimum: float | None = None
    maximum: float | None = None
    unit: str = ""
    reason: str = ""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.minimum is None and self.maximum is None:
            raise ValueError("a limit needs `minimum`, `maximum` or both")
        if None not in (self.minimum, self.maximum) and self.minimum > self.maximum:  # type: ignore[operator]
            raise ValueError(f"`minimum` is {self.minimum:g}, above `maximum` {self.maximum:g}")
        return self

    @cached_property
    def keys(self) -> frozenset[str]:
        """The stems of its quantity."""
        return frozenset(keys_of(self.quantity))

    def allows(self, value: Decimal) -> bool:
        """Return whether a value is within the limits."""
        return (self.minimum is None or value >= Decimal(str(self.minimum))) and (
            self.maximum is None or value <= Decimal(str(self.maximum))
        )


class Order(Declared):
    """
    Things in a known order of some quantity, the greatest first: it is transitive.

    Attributes:
        quantity: Words that name what they are compared by: ``price``; empty for any comparison.
        names: The things, the greatest first: ``("Enterprise", "Team", "Free")``.
    """

    names: Annotated[tuple[str, ...], Field(min_length=2)]
    quantity: str = ""


class Direction(Declared):
    """
    A quantity that is known to rise, or to fall.

    Attributes:
        subject: Words that name it: ``Arctic sea ice``.
        direction: ``"rises"`` or ``"falls"``.
        reason: Why, for the agent.
    """

    subject: Annotated[str, Field(min_length=1)]
    direction: Literal["rises", "falls"]
    reason: str = ""


Constraint = Limit | Order | Direction


class _Sentence:
    """One sentence with its place, its stems and its numbers."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.start = text, start
        self.keys = sentence_keys(text)

    @cached_property
    def negated(self) -> bool:
        return read(self.text).negated

    @cached_property
    def numbers(self) -> list[Figure]:
        return [one for one in figures(self.text) if one.kind in SUMS and not one.soft]


def check_plausibility(text: str, constraints: Sequence[Constraint]) -> SubCheck:
    """
    Compare an output with what was declared to hold.

    Args:
        text: The output.
        constraints: The limits, orders and directions; there are no built-in ones.

    Returns:
        How many statements were compared, and a finding for each that breaks a constraint.

    >>> rule = Direction(subject="Arctic sea ice", direction="falls")
    >>> check_plausibility("Arctic sea ice is increasing at 5% per year.", [rule]).findings[0].code
    'IMPLAUSIBLE_DIRECTION'
    """
    checked, findings = 0, []
    for sentence in _sentences(text) if constraints else ():
        for constraint in constraints:
            for verdict in _CHECKS[type(constraint)](sentence, constraint):
                if sentence.negated:
                    continue
                checked += 1
                findings += [verdict] if verdict is not None else []
    return SubCheck(checked, tuple(findings))


def _sentences(text: str) -> Iterator[_Sentence]:
    for start, end in islice(sentence_spans(text), _MOST_SENTENCES):
        yield _Sentence(text[start : min(end, start + _LONGEST)], start)


def _within(sentence: _Sentence, limit: Limit) -> Iterator[OutputFinding | None]:
    """Compare the one number of a sentence that names the quantity with its limits."""
    if not limit.keys.issubset(sentence.keys):
        return
    numbers = [one for one in sentence.numbers if not limit.unit or one.unit == limit.unit]
    if len(numbers) != 1:
        return  # which of several is meant is not known
    number = numbers[0]
    before = sentence.text[max(0, number.start - 8) : number.start]
    sign = -1 if number.text[:1] in "-\u2212" or _MINUS.search(before) else 1
    value = abs(number.numbers[0]) * sign
    bounds = [f"at least {limit.minimum:g}"] if limit.minimum is not None else []
    bounds += [f"at most {limit.maximum:g}"] if limit.maximum is not None else []
    allowed = f"{limit.quantity} is {' and '.join(bounds)}{limit.unit}"
    yield (
        None
        if limit.allows(value)
        else _finding(
            "IMPLAUSIBLE_VALUE", sentence, number.start, number.end, allowed, limit.reason
        )
    )


def _in_order(sentence: _Sentence, order: Order) -> Iterator[OutputFinding | None]:
    """Compare "A costs more than B" with the place of A and B in an order."""
    quantity = frozenset(keys_of(order.quantity))
    for match in islice(_COMPARED.finditer(sentence.text), 20):
        left = _last_name(order, sentence.text[: match.start()])
        right = _first_name(order, sentence.text[match.end() :])
        if left is None or right is None or left == right or not quantity <= {*sentence.keys}:
            continue
        says_more = match["more"] is not None
        holds = (left < right) == says_more
        names = f"{order.names[min(left, right)]} is above {order.names[max(left, right)]}"
        yield (
            None
            if holds
            else _finding("IMPLAUSIBLE_ORDER", sentence, match.start(), match.end(), names, "")
        )


def _last_name(order: Order, text: str) -> int | None:
    places = [(text.casefold().rfind(name.casefold()), n) for n, name in enumerate(order.names)]
    at, n = max(places)
    return n if at >= 0 else None


def _first_name(order: Order, text: str) -> int | None:
    places = [(text.casefold().find(name.casefold()), n) for n, name in enumerate(order.names)]
    return min(((at, n) for at, n in places if at >= 0), default=(0, None))[1]


def _in_direction(sentence: _Sentence, rule: Direction) -> Iterator[OutputFinding | None]:
    """Compare "X is growing" with the direction that X is known to have."""
    words = [*sentence.keys]
    if not frozenset(keys_of(rule.subject)).issubset(words):
        return
    rises, falls = not _RISES.isdisjoint(words), not _FALLS.isdisjoint(words)
    if rises == falls:
        return  # neither, or both: "fell before it rose"
    end = len(sentence.text)
    yield (
        None
        if rises == (rule.direction == "rises")
        else _finding(
            "IMPLAUSIBLE_DIRECTION",
            sentence,
            0,
            end,
            f"{rule.subject} {rule.direction}",
            rule.reason,
        )
    )


_CHECKS: dict[type[Any], Callable[..., Iterator[OutputFinding | None]]] = {
    Limit: _within, Order: _in_order, Direction: _in_direction,
}  # fmt: skip
"""How each kind of constraint is compared with a sentence: one row a kind."""


def _finding(
    code: str, sentence: _Sentence, start: int, end: int, known: str, reason: str
) -> OutputFinding:
    why = f"; {reason}" if reason else ""
    return OutputFinding(
        code=code,
        start=sentence.start + start,
        end=sentence.start + end,
        detail=f'"{escaped(sentence.text[start:end], limit=120)}" contradicts: {known}{why}',
        claim=sentence.text,
        requirement=known,
        remedy=f"Make the statement agree with: {known}",
        critical=True,
        about=known,
    )
