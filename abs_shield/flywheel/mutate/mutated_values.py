"""Names of entities for examples, and wrong values of the same kind as the errors in catches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from random import Random
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.flywheel.catch import Catch
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import shown
from abs_shield.text.values.figure import SUMS, Figure
from abs_shield.text.values.figure_reader import figures

_FAKED = {"subject": "company", "person": "name"}
"""Kind of entity to the method of faker that generates one."""
KINDS = ("subject", "period", "person", "tool")
"""Kinds of entities in the templates."""
# eight years: enough that examples do not share one period, and none is implausible
_PERIODS = [f"Q{n} {year}" for year in range(2019, 2027) for n in range(1, 5)]


class Entities:
    """
    Names of entities by kind: ``subject``, ``person``, ``period``, ``tool``.

    Args:
        lists: The user's lists by kind, preferred to faker.
        seed: Seed of the choice, and of faker.
        locale: Locale of faker, such as ``de_DE``.
    """

    def __init__(
        self, lists: Mapping[str, Sequence[str]] | None = None, *, seed: int, locale: str = "en_US"
    ) -> None:
        for kind, names in (lists or {}).items():
            _require_names(kind, names)
        self._lists = {kind: [*names] for kind, names in (lists or {}).items()}
        self._random, self._seed, self._locale = Random(seed), seed, locale
        self._faker: Any = None

    def listed(self, kind: str) -> tuple[str, ...]:
        """Return the user's names of a kind; empty without a list."""
        return tuple(self._lists.get(kind, ()))

    def one(self, kind: str) -> str:
        """
        Return a name of a kind.

        Raises:
            ShieldError: The kind has no list, and faker is not installed or has no such kind.
        """
        if kind in self._lists:
            return self._random.choice(self._lists[kind])
        if kind == "period":
            return self._random.choice(_PERIODS)
        if kind not in _FAKED:
            hint = f"give a list of it, or use {', '.join(_FAKED)}"
            raise ShieldError(f"entities: {shown(kind)} is not a kind that faker makes; {hint}")
        return str(getattr(self._generator(), _FAKED[kind])())

    def _generator(self) -> Any:
        if self._faker is None:
            try:
                from faker import Faker
            except ModuleNotFoundError:
                raise ShieldError(
                    "entities without a list need faker; give `entities`, or run"
                    ' `pip install "abs-shield[flywheel]"`'
                ) from None
            self._faker = Faker(self._locale)
            # `Faker.seed` would change the host's own generators
            self._faker.seed_instance(self._seed)
        return self._faker


def _require_names(kind: str, names: Any) -> None:
    if kind not in KINDS:
        hint = suggest_name(kind, KINDS, otherwise=f"use {', '.join(KINDS)}")
        raise ShieldError(f"entities: there is no kind {shown(kind)}; {hint}")
    is_list = isinstance(names, Sequence) and not isinstance(names, str | bytes)
    if not is_list or not names or not all(isinstance(one, str) and one.strip() for one in names):
        raise ShieldError(f"entities: `{kind}` is {shown(names)}; give a list of texts")


DEFAULT_FACTOR = Decimal("1.02")
"""The factor by which a wrong value differs if the catches show none: off, but plausible."""
_FACTORS = (Decimal("0.2"), Decimal(5))
"""Plausible factors; a catch outside this range is about another value."""
_DIGITS = re.compile(r"\d[\d.,]*\d|\d")
_QUOTES = "\"'`"


def unquote(value: str) -> str:
    """Return a value of the log without surrounding quotes."""
    text = value.strip()
    while len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES:
        text = text[1:-1].strip()
    return text


def factors(catches: Iterable[Catch]) -> tuple[Decimal, ...]:
    """Return the factors between claims and right values; `DEFAULT_FACTOR` if there are none."""
    measured = [factor for catch in catches for factor in _factor(catch)]
    return tuple(dict.fromkeys(measured)) or (DEFAULT_FACTOR,)


def distort(value: str, factor: Decimal) -> str:
    """
    Return a value multiplied by a factor, in the same format; empty if it has no number.

    >>> distort("$3.1T", Decimal("1.03")), distort("1,250 people", Decimal("0.98"))
    ('$3.2T', '1,225 people')
    >>> distort("Tim Cook", Decimal("1.03"))
    ''
    """
    number = _only_number(value)
    digits = _DIGITS.search(value, number.start) if number is not None else None
    if digits is None:
        return ""
    written = digits[0].replace(",", "")
    if written.count(".") > 1:  # a version or a date, not a number
        return ""
    right = Decimal(written)
    # as many decimals as the value itself: a wrong answer must not differ in its form
    step = Decimal(1).scaleb(-len(written.partition(".")[2]))
    wrong = (right * factor).quantize(step, rounding=ROUND_HALF_EVEN)
    if wrong == right:
        # rounding has undone a small factor: one unit of the last digit differs at least
        wrong += step if factor >= 1 else -step
    grouped = f"{wrong:,}" if "," in digits[0] else f"{wrong}"
    return value[: digits.start()] + grouped + value[digits.end() :]


def misspell(value: str, random: Random) -> str:
    """
    Return an id with one character changed, as in a copying error.

    >>> misspell("tx_12345", Random(1)) != "tx_12345"
    True
    """
    # digits first: the letters of an id are mostly its kind, as in `tx_12345`
    places = [n for n, one in enumerate(value) if one.isdigit()]
    places = places or [n for n, one in enumerate(value) if one.isalpha()]
    if not places:
        return ""
    place = random.choice(places)
    return value[:place] + _other_character(value[place], random) + value[place + 1 :]


def similar_id(value: str, random: Random) -> str:
    """
    Return another value of the same shape: digits are replaced, or letters if it has no digit.

    For example, ``tx_12345`` becomes ``tx_70614``.
    """
    if not any(map(str.isdigit, value)):
        return "".join(_other_character(one, random) if one.isalpha() else one for one in value)
    return "".join(random.choice("0123456789") if one.isdigit() else one for one in value)


def _other_character(character: str, random: Random) -> str:
    if character.isdigit():
        return random.choice([one for one in "0123456789" if one != character])
    letters = "abcdefghijklmnopqrstuvwxyz"
    letters = letters.upper() if character.isupper() else letters
    return random.choice([one for one in letters if one != character])


def _only_number(value: str) -> Figure | None:
    values = [one for one in figures(value) if one.kind in SUMS]
    return values[0] if len(values) == 1 else None


def _factor(catch: Catch) -> Iterable[Decimal]:
    right = _only_number(catch.verified_value)
    if right is None or not isinstance(right.value, Decimal) or not right.value:
        return
    for one in figures(unquote(catch.claim)):
        if one.kind != right.kind or not isinstance(one.value, Decimal):
            continue
        factor = one.value / right.value
        if factor != 1 and _FACTORS[0] <= factor <= _FACTORS[1]:
            yield factor
            return
