"""Plausibility: comparison of an output with declared limits, orders and directions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from abs_shield.quality.asserted_sentences import is_attributed, is_called_wrong, own_assertions
from abs_shield.quality.hallucination_score import SubCheck
from abs_shield.quality.marked_sentences import read_text, sentence_keys
from abs_shield.quality.quality_types import OutputFinding
from abs_shield.quality.quantity_constraints import Constraint, Direction, Limit, Order
from abs_shield.text.months import ENGLISH_MONTH
from abs_shield.text.safe_display import escaped
from abs_shield.text.tokens import keys_of
from abs_shield.text.values.figure import SUMS, Figure
from abs_shield.text.values.figure_reader import figures

__all__ = ["Constraint", "Direction", "Limit", "Order", "check_plausibility"]

_MOST_SENTENCES = 2_000  # a long report; a larger text is data, and would take seconds
_MINUS = re.compile(
    r"(?:(?<![\w.,])[-\u2212] ?[$\u20ac\u00a3]?|\bminus |\bnegative )$", re.IGNORECASE
)
_CHANGE_OF = re.compile(
    r"\b(?:by|change of|increase of|decrease of|cut of|rise of|drop of|reduction of|up|down|another"
    r"|from|between|than|over|under|above|below) (?:a |an |about )?[-+\u2212]?(?:minus )?$",
    re.IGNORECASE,
)
_CHANGE_BEHIND = re.compile(
    r" ?(?:percentage points?|points?|pp|basis points|bps|higher|lower|more|less|up|down|increase"
    r"|decrease|cut|rise|drop|change|of)\b",
    re.IGNORECASE,
)
_PRICE = "price"
_IMPLIED = {
    "expensive": _PRICE, "pricier": _PRICE, "costlier": _PRICE, "dearer": _PRICE, "costly": _PRICE,
    "cheaper": _PRICE, "affordable": _PRICE,
    "faster": "speed", "slower": "speed", "heavier": "weight", "lighter": "weight",
    "older": "age", "younger": "age", "taller": "height", "longer": "length", "shorter": "length",
}  # fmt: skip
"""Adjectives to the compared quantity."""
_DOWN = frozenset("less lower fewer smaller worse below under".split())
_DOWN_BY_NATURE = frozenset("cheaper affordable slower lighter younger shorter".split())
_PLAIN = r"more|less|higher|lower|greater|larger|bigger|smaller|better|worse|fewer"
_COMPARED = re.compile(
    rf"(?P<costs>\bcosts? )?(?:(?:significantly|much|far|slightly|a bit|considerably|even) )?"
    rf"\b(?:(?P<plain>{_PLAIN})(?: (?P<noun>[a-z-]+)(?: [a-z]+)?)??|(?P<own>{'|'.join(_IMPLIED)}))"
    rf"(?: [a-z]+ (?:month|year|user|seat))? than\b"
    rf"|\b(?P<verb>exceeds?|exceeded|(?:is|are|lies) (?P<place>above|below))\b",
    re.IGNORECASE,
)
_MOST_COMPARISONS = 5  # per sentence: more are a list, and each costs a search for names
_NEAR, _BEHIND = 60, 20  # farther apart, they mostly belong to two clauses
"""Maximum distance between a name and its comparison, and after both, in characters."""
_RISES = (
    r"increas(?:es?|ed|ing)|grow(?:s|n|ing)?|grew|ris(?:es?|en|ing)|rose|gain(?:s|ed|ing)?"
    r"|climb(?:s|ed|ing)?|expand(?:s|ed|ing)?|goes up|going up|recover(?:s|ed|ing)|surg(?:es?|ed"
    r"|ing)|on the (?:rise|increase|up)|trending up(?:wards?)?"
)
_FALLS = (
    r"decreas(?:es?|ed|ing)|shrink(?:s|ing)?|shrank|shrunk|fall(?:s|en|ing)?|fell"
    r"|drop(?:s|ped|ping)?|declin(?:es?|ed|ing)|los(?:es|ing)|lost|goes down|going down"
    r"|diminish(?:es|ed|ing)|retreat(?:s|ed|ing)|melt(?:s|ed|ing)"
    r"|on the (?:decline|wane|decrease)|in (?:decline|retreat)|trending down(?:wards?)?"
)
_SIZE = (
    r"extent|cover(?:age)?|volume|area|levels?|size|mass|amount|thickness|numbers?|values?|prices?"
    r"|total|rate"
)
_MOVES_BY = (
    rf"(?: (?:{_SIZE}))?,? (?:(?:is|are|has|have|had|was|were|been|keeps?|kept|continues? to"
    rf"|continued to"
    r"|now|currently|still|steadily|rapidly|slowly|also|actually|significantly|clearly|only|sharply"
    r"|always|constantly|dramatically|quickly|begun to|started to) )*"
)
_NOT_ALWAYS = re.compile(
    rf"\b(?:in (?:the )?(?:winter|summer|spring|autumn|fall|{ENGLISH_MONTH})|season\w*|each"
    r"|every (?:winter|summer|autumn|fall)"
    r"|during|when|briefly|temporar\w+|overnight|at night|interest|slower|locally|sudden\w*|lasted"
    r"|before"
    r"|(?:last|this|past|next) (?:year|month|quarter|week|season|decade)"
    r"|(?:in|of|from|between|by) (?:1[6-9]|20)\d\d)\b",
    re.IGNORECASE,
)
_BEFORE_SUBJECT = re.compile(
    r"(?:.*(?:[;:]|, (?:and|but|while|whereas|yet|so|because|since)"
    r"|\b(?:and|but|while|because|since|that|as)|^[^,]{0,60},))?[\W_]*"
    rf"(?:(?:the|our|its|overall|total|annual|average|current|summer) )*(?:(?:{_SIZE}) of )?(?:the"
    rf" )?",
    re.IGNORECASE | re.DOTALL,
)


class _Sentence:
    """One sentence with its place, stems and numbers."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.start = text, start
        self.keys = sentence_keys(text)

    @cached_property
    def numbers(self) -> list[Figure]:
        return [one for one in figures(self.text) if one.kind in SUMS and not one.soft]

    def is_own(self, start: int, end: int) -> bool:
        """Return whether the sentence itself asserts its text between two places."""
        clause = re.split(r"[;.]|, (?:and|but|while)\b", self.text[end:])[0]
        around = (self.text[:start], self.text[start:end], clause)
        return not is_called_wrong(self.text) and not any(map(is_attributed, around))


def check_plausibility(text: str, constraints: Sequence[Constraint]) -> SubCheck:
    """
    Compare an output with declared constraints.

    Args:
        text: The output.
        constraints: The limits, orders and directions; there are no built-in ones.

    Returns:
        The number of compared statements, and a finding for each that violates a constraint.

    >>> rule = Direction(subject="Arctic sea ice", direction="falls")
    >>> check_plausibility("Arctic sea ice is increasing at 5% per year.", [rule]).findings[0].code
    'IMPLAUSIBLE_DIRECTION'
    """
    checked, findings = 0, []
    for sentence in _sentences(text) if constraints else ():
        for constraint in constraints:
            for verdict in _CHECKS[type(constraint)](sentence, constraint):
                checked += 1
                findings += [verdict] if verdict is not None else []
    return SubCheck(checked, tuple(findings))


def _sentences(text: str) -> Iterator[_Sentence]:
    reading = read_text(text)
    for one in islice(own_assertions(reading), _MOST_SENTENCES):
        yield _Sentence(reading.text[one.start : one.end], one.start)


def _compare_with_limit(sentence: _Sentence, limit: Limit) -> Iterator[OutputFinding | None]:
    """Compare the only number of a sentence that names the quantity with its limits."""
    if not limit.keys.issubset(sentence.keys):
        return
    numbers = [one for one in sentence.numbers if limit.is_of_unit(one)]
    if len(numbers) != 1:
        return  # with several numbers, it is unknown which one is meant
    number = numbers[0]
    before = sentence.text[: number.start]
    sign = _MINUS.search(before)
    start = sign.start() if sign else number.start
    if not _is_value_of(limit.quantity, sentence.text, start, number.end):
        return
    is_negative = sign is not None or number.text[0] in "-\u2212"
    value = abs(number.numbers[0]) * (-1 if is_negative else 1)
    if not sentence.is_own(start, number.end):
        return
    unit = limit.unit if limit.unit == "%" or not limit.unit else f" {limit.unit}"
    bounds = [f"at least {limit.minimum:g}{unit}"] if limit.minimum is not None else []
    bounds += [f"at most {limit.maximum:g}{unit}"] if limit.maximum is not None else []
    allowed = f"{limit.quantity} is {' and '.join(bounds)}"
    yield (
        None
        if limit.allows(value)
        else _finding("IMPLAUSIBLE_VALUE", sentence, start, number.end, allowed, limit.reason)
    )


def _is_value_of(quantity: str, text: str, start: int, end: int) -> bool:
    """Return whether a number is the value of a quantity: "a discount of 60%", "a 60% discount"."""
    if _CHANGE_OF.search(text[:start]) or _CHANGE_BEHIND.match(text, end):
        return False
    before, behind = _sides_of(quantity)
    return before.search(text[:start]) is not None or behind.match(text, end) is not None


# constraints are settings, compared with every sentence
@lru_cache(maxsize=256)
def _sides_of(quantity: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a quantity before and after its value."""
    words = r"[\s-]+".join(map(re.escape, quantity.split()))
    name = rf"\b{words}s?\b"
    before = (
        rf"{name}(?:,? (?:of|for|on|in|at|to) (?:[\w'\u2019&-]+ ){{0,4}}?[\w'\u2019&-]+)?{_LINKS}$"
    )
    return re.compile(before, re.IGNORECASE), re.compile(
        rf"[ -]{{1,2}}(?:\w+ )?{name}", re.IGNORECASE
    )


_LINKS = (
    r"(?:,? (?:now|currently|today|still|already))*"
    r"(?: (?:is|are|was|were|of|at|to|reached|reaches|hit|equals|stands at|stood at|remains"
    r"|remained|has been"
    r"|be|amounts to|(?:fell|rose|climbed|dropped|went|grew|jumped|sank|increased|decreased) to"
    r"|can be|came to|goes up to)|:| =| \(|,)(?: (?:now|currently|set at|fixed at|a|an|exactly"
    r"|about|around"
    r"|approximately|roughly|just|only|at|still|already))*[ (]*"
)


def _compare_with_order(sentence: _Sentence, order: Order) -> Iterator[OutputFinding | None]:
    """Compare "A costs more than B" with the place of A and B in an order."""
    names = _names_of(order.names)
    for match in islice(_COMPARED.finditer(sentence.text), _MOST_COMPARISONS):
        right = names.search(sentence.text, match.end(), match.end() + _NEAR)
        if right is None or not _OBJECT.fullmatch(sentence.text, match.end(), right.start()):
            continue
        left = _compared(sentence.text[: match.start()], names)
        if left is None or not sentence.is_own(left.start(), right.end()):
            continue
        clause = sentence.text[left.start() : right.end() + _BEHIND]
        before = sentence.text[max(0, left.start() - _NEAR) : left.start()]
        if not _is_about(match, order.quantity, before + clause):
            continue
        places = [_place(order.names, one[0]) for one in (left, right)]
        if places[0] == places[1]:  # one name twice
            continue
        holds = (places[0] < places[1]) == _says_more(match)
        higher, lower = order.names[min(places)], order.names[max(places)]
        start, end = left.start(), right.end()
        yield (
            None
            if holds
            else _finding(
                "IMPLAUSIBLE_ORDER", sentence, start, end, f"{higher} is above {lower}", ""
            )
        )


_OBJECT = re.compile(
    r"\s(?:(?:the|our|that|those|a|an|of|in|for|its|price|cost|plan|one) ){0,5}", re.IGNORECASE
)


# orders are settings, compared with every sentence
@lru_cache(maxsize=64)
def _names_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of whole names; capitalised names are case-sensitive."""
    several = "|".join(
        re.escape(name) if name[:1].isupper() else f"(?i:{re.escape(name)})"
        for name in sorted(names, key=len, reverse=True)
    )
    return re.compile(rf"(?<![\w-])(?:{several})(?![\w-])")


def _place(names: Sequence[str], written: str) -> int:
    return [name.casefold() for name in names].index(written.casefold())


def _compared(before: str, names: re.Pattern[str]) -> re.Match[str] | None:
    """Return the last name before a comparison that is not the object of another one."""
    for one in reversed([*names.finditer(before)]):
        if re.search(
            r"\b(?:than|unlike|like|versus|vs|with|to|exceeds?)\s(?:the |our )?$",
            before[: one.start()],
            re.I,
        ):
            continue
        between = before[one.end() :]
        far = len(between) > _NEAR and "than" not in between
        return None if far or re.search(r"[;:.?!]", between) else one
    return None


def _is_about(match: re.Match[str], quantity: str, clause: str) -> bool:
    """Return whether a comparison is about a quantity: "cheaper" is about the price."""
    if not quantity:
        return True
    wanted = {*keys_of(quantity)}
    if match["own"]:
        return wanted == {*keys_of(_IMPLIED[match["own"].casefold()])}
    if match["costs"]:
        return wanted <= {"price", "pric", "cost"} or wanted == {*keys_of(_PRICE)}
    noun = match["noun"]
    if noun:
        implied = _IMPLIED.get(noun.casefold(), noun)
        return wanted == {*keys_of(implied)} or wanted <= {*keys_of(match[0])}
    return wanted <= {*keys_of(clause)}


def _says_more(match: re.Match[str]) -> bool:
    """Return whether a comparison puts its subject above its object."""
    if match["verb"]:
        return (match["place"] or "").casefold() != "below"
    adjective = (match["own"] or match["noun"] or "").casefold()
    plain = (match["plain"] or "").casefold()
    return (plain in _DOWN) == (adjective in _DOWN_BY_NATURE)


def _compare_with_direction(sentence: _Sentence, rule: Direction) -> Iterator[OutputFinding | None]:
    """Compare "X is growing" with the declared direction of X."""
    if not {*keys_of(rule.subject)}.issubset(sentence.keys):
        return
    for match in _moves_of(rule.subject).finditer(sentence.text):
        start, end = match.span()
        behind = re.split(r"[;.]|, (?:and|but|while)\b", sentence.text[end:])[0]
        if (
            not (match["noun"] or _BEFORE_SUBJECT.fullmatch(sentence.text[:start]))
            or _NOT_ALWAYS.search(sentence.text[:start] + behind)
            or not sentence.is_own(start, end)
        ):
            continue
        rises = match["rises"] or match["growth"]
        expected = f"{rule.subject} {rule.direction}"
        yield (
            None
            if (rises is not None) == (rule.direction == "rises")
            else _finding(
                "IMPLAUSIBLE_DIRECTION", sentence, 0, len(sentence.text), expected, rule.reason
            )
        )
        return


# as above, for directions
@lru_cache(maxsize=256)
def _moves_of(subject: str) -> re.Pattern[str]:
    """Return the pattern of a subject that rises or falls: "X is growing", "the growth of X"."""
    name = r"\s+".join(map(re.escape, subject.split()))
    return re.compile(
        rf"(?<![\w-]){name}(?![\w-]){_MOVES_BY}(?:(?P<rises>{_RISES})|(?P<falls>{_FALLS}))\b"
        rf"(?! (?:interest|concern|attention|awareness))"
        rf"|\b(?P<noun>(?P<growth>growth|rise|increase|gain|expansion|recovery)|decline|decrease"
        rf"|loss|fall|drop"
        rf"|shrinkage) (?:of|in) (?:the )?(?:(?:{_SIZE}) of )?{name}(?![\w-])",
        re.IGNORECASE,
    )


_CHECKS: dict[type[Any], Callable[..., Iterator[OutputFinding | None]]] = {
    Limit: _compare_with_limit, Order: _compare_with_order, Direction: _compare_with_direction,
}  # fmt: skip
"""The check for each kind of constraint, one row per kind."""


def _finding(
    code: str, sentence: _Sentence, start: int, end: int, requirement: str, reason: str
) -> OutputFinding:
    why = f"; {reason}" if reason else ""
    return OutputFinding(
        code=code,
        start=sentence.start + start,
        end=sentence.start + end,
        detail=f'"{escaped(sentence.text[start:end], limit=120)}" contradicts: {requirement}{why}',
        claim=sentence.text,
        requirement=requirement,
        remedy=f"Make the statement agree with: {requirement}",
        critical=True,
        about=requirement,
    )
