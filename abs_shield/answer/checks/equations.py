"""Sums that an answer writes out, and which of them do not come out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from abs_shield.text.values.figure import SUMS, Figure

_LONGEST = 48
_SIGN = re.compile(
    r"[\s*_\\]{0,8}(?:\([^()\n]{0,30}\)|[A-Za-z]{1,14}(?:[ ][A-Za-z]{1,14})?)?[\s*_]{0,8}"
    r"([-+=*/x\u2212\u2013\u00d7\u00f7\u2248])[\s*_\\~(]{0,8}"
)
"""What stands between two figures of a sum: a sign, with a word or a note before it."""
_TIMES, _BY, _MINUS = frozenset("*x\u00d7"), frozenset("/\u00f7"), frozenset("-\u2212\u2013")
_EQUAL = frozenset("=\u2248")
_MOST = 24


_OPENS = re.compile(r"[\s*_]{0,4}\([\s*_~]{0,4}")
_CLOSES = re.compile(r"[\s*_]{0,4}\)")


def wrong(text: str, figures: Sequence[Figure]) -> Iterator[tuple[Figure, ...]]:
    """
    Give the figures of each sum in *text* that does not come out, its result last.

    A figure counts as rounded to the digits that it shows; percentages are left alone.

    >>> from abs_shield.text.values.reader import figures
    >>> said = "$500 - $329 = $171, and 3 bags x $50 = $160"
    >>> [[one.text for one in some] for some in wrong(said, figures(said))]
    [['3', '$50', '$160']]
    >>> said = "in all $207 ($145 + $102)"
    >>> [[one.text for one in some] for some in wrong(said, figures(said))]
    [['$145', '$102', '$207']]
    """
    yield from _equated(text, figures)
    yield from _in_brackets(text, figures)


def _equated(text: str, figures: Sequence[Figure]) -> Iterator[tuple[Figure, ...]]:
    """Give the sums with a sign of equality."""
    terms: list[Figure] = []
    signs: list[str] = []
    for one, other in pairwise([*figures, None]):
        terms.append(one)  # type: ignore[arg-type]
        sign = _between(text, one, other)
        if signs and signs[-1] in _EQUAL:
            if not sign and not _comes_out(terms, signs):
                yield tuple(terms)
            terms, signs = terms[-1:], []
        if not sign or len(terms) > _MOST:
            terms, signs = [], []
        elif sign in _EQUAL and not signs:
            terms = []
        else:
            signs.append(sign)


def _in_brackets(text: str, figures: Sequence[Figure]) -> Iterator[tuple[Figure, ...]]:
    """Give the sums and products that stand in brackets behind what they make."""
    for n, whole in enumerate(figures[:-2]):
        if not _OPENS.fullmatch(text, whole.end, max(whole.end, figures[n + 1].start)):
            continue
        terms, signs = [figures[n + 1]], []
        for other in figures[n + 2 : n + 2 + _MOST]:
            sign = _between(text, terms[-1], other)
            if sign != "+" and sign not in _TIMES:
                break
            terms.append(other)
            signs.append(sign)
        closed = _CLOSES.match(text, terms[-1].end) is not None
        alike = {whole.kind} <= SUMS and "%" not in (whole.unit, terms[0].unit)
        if signs and closed and alike and not _comes_out([*terms, whole], [*signs, "="]):
            yield (*terms, whole)


def _between(text: str, one: Figure | None, other: Figure | None) -> str:
    """The sign between two figures; empty where they are no terms of one sum."""
    if one is None or other is None or not 0 < other.start - one.end <= _LONGEST:
        return ""
    if not {one.kind, other.kind} <= SUMS or "%" in (one.unit, other.unit):
        return ""
    found = _SIGN.fullmatch(text, one.end, other.start)
    return found[1] if found else ""


def _comes_out(terms: Sequence[Figure], signs: Sequence[str]) -> bool:
    """Whether the terms make the last of them, but for rounding."""
    try:
        worth = _worth(terms[:-1], signs[:-1])
    except ArithmeticError:
        return True
    rounding = sum((one.step for one in terms), Decimal(0)) if terms[-1].step < 1 else Decimal(1)
    return abs(abs(worth) - abs(terms[-1].numbers[0])) <= max(rounding, terms[-1].step)


def _worth(terms: Sequence[Figure], signs: Sequence[str]) -> Decimal:
    """What the terms make, products before sums."""
    parts: list[Decimal] = []
    for term, sign in zip(terms, ("+", *signs), strict=True):
        value = abs(term.numbers[0])
        if sign in _TIMES:
            parts[-1] *= value
        elif sign in _BY:
            parts[-1] /= value
        else:
            parts.append(-value if sign in _MINUS else value)
    return sum(parts, Decimal(0))
