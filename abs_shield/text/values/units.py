"""Units of measure, and conversion of figures to other units of the same kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from abs_shield.text.values.figure import MONEY, NUMBER, Figure
from abs_shield.text.values.numerals import CELSIUS, FAHRENHEIT

_KINDS = {
    "mass": "mg=1 g gram=1e3 kg kilo kilogram=1e6 t ton tonne metric=1e9 oz ounce=28349.523125 "
    "lb lbs pound=453592.37",
    "time": "ms msec millisecond=1 s sec second=1e3 min minute=6e4 h hr hour=3.6e6 day=8.64e7 "
    "week=6.048e8",
    "calendar": "month mo=1 quarter=3 year yr=12",
    "length": "mm millimeter millimetre=1 cm centimeter centimetre=10 m meter metre=1e3 "
    "km kilometer kilometre=1e6 inch=25.4 ft foot feet=304.8 yd yard=914.4 mi mile=1609344",
    "volume": "ml milliliter millilitre=1 cl=10 dl=100 l liter litre=1e3",
    "energy": "wh=1 kwh=1e3 mwh=1e6 gwh=1e9",
    "power": "watt=1 kw kilowatt=1e3 megawatt=1e6 gw gigawatt=1e9",
    "data": "byte=1 kb kilobyte=1e3 mb megabyte=1e6 gb gigabyte=1e9 tb terabyte=1e12",
    "binary": "byte=1 kb kib kilobyte=1024 mb mib megabyte=1048576 gb gib gigabyte=1073741824",
    "area": "sqm m2=1 ha hectare=1e4 acre=4046.8564224 km2=1e6",
    "rate": "kbps kbit=1 mbps mbit=1e3 gbps gbit=1e6",
    "money": "cent pence penny p minor=0.01 major=1",
}
"""The units of each kind: words, and their factor after ``=``."""
_BARE = frozenset(
    "min m s h t g l p sec second minute hour day week month quarter year metric minor".split()
)
"""Words that are not units as the whole name of a field."""
_CENT = Decimal("0.01")
_POUNDS = (" pound", " pounds")
_RATES = frozenset("per by x".split())
_WORD = re.compile(r"k?m2|[A-Z]?[a-z]+|[A-Z]+")
_ROUNDED = Decimal("0.02")
"""Maximum relative rounding of a converted temperature."""
_COLDEST = 30
"""Largest temperature that may also be negative; at -40 both units are equal."""
_OFF = Decimal("0.1")
"""Maximum relative rounding of a converted figure."""


class Unit(NamedTuple):
    """A unit: its kind, and its size in the smallest unit of that kind."""

    kind: str
    worth: Decimal


_IN_NAME = re.compile(
    r"(?:\A|[_-])(?P<number>\d{1,4})_?"
    r"(?P<unit>h|hours?|d|days?|min|minutes?|w|weeks?|mo|months?|y|years?)(?=[_-]|\Z)",
    re.IGNORECASE,
)
_SHORT = {"d": "day", "w": "week", "mo": "month", "y": "year"}


def _units() -> dict[str, tuple[Unit, ...]]:
    by_word: dict[str, tuple[Unit, ...]] = {}
    for kind, declaration in _KINDS.items():
        for words in re.findall(r"([^=]+)=(\S+)\s?", declaration):
            for word in words[0].split():
                by_word[word] = (*by_word.get(word, ()), Unit(kind, Decimal(words[1])))
    return by_word


_DEGREES = {CELSIUS: Unit("temperature", Decimal(1)), FAHRENHEIT: Unit("temperature", Decimal(2))}
"""Units without a conversion factor."""
# Degrees have no factor in `_KINDS`, because their scales have different zero points.
_UNITS = _units() | {
    "celsius": (_DEGREES[CELSIUS],),
    "fahrenheit": (_DEGREES[FAHRENHEIT],),
    **{word: (unit,) for word, unit in _DEGREES.items()},
}
_TEMPERATURE = frozenset("temp temps temperature temperatures".split())
_LETTERS = {"c": CELSIUS, "f": FAHRENHEIT}
_WORTHS = {
    kind: sorted({unit.worth for some in _UNITS.values() for unit in some if unit.kind == kind})
    for kind in _KINDS
}


def units_of(word: str) -> tuple[Unit, ...]:
    """
    Return the possible units of a word after a number; empty for other words.

    >>> units_of("hours"), units_of("bags")
    ((Unit(kind='time', worth=Decimal('3.6E+6')),), ())
    """
    word = word.casefold()
    units = _UNITS.get(word, ())
    return units or (_UNITS.get(word[:-1], ()) if word.endswith("s") else ())


def field_units(name: str) -> tuple[Unit, ...]:
    """
    Return the possible units of a field's values, by the end of its name; none for rates.

    >>> field_units("weight_g"), field_units("durationMs"), field_units("t_per_ha")
    ((Unit(kind='mass', worth=Decimal('1E+3')),), (Unit(kind='time', worth=Decimal('1')),), ())
    """
    # Only the end of a long name is split, because that contains the unit.
    words = [word.casefold() for word in _WORD.findall(name[-60:])]
    if not _TEMPERATURE.isdisjoint(words):
        degree = _DEGREES.get(_LETTERS.get(words[-1], "")) or next(
            (unit for word in words for unit in _UNITS.get(word, ()) if unit.kind == "temperature"),
            None,
        )
        return (degree,) if degree else (*_DEGREES.values(),)
    joined = "".join(words[-2:])
    # Capitals inside a unit, as in `durationKWh`, split it into two words.
    last = joined if joined in ("kwh", "mwh", "gwh", "kib", "mib", "gib") else "".join(words[-1:])
    before = words[: -2 if last == joined else -1]
    if not before and last in _BARE:
        return ()
    if before and (before[-1] in _RATES or units_of(before[-1])):
        return ()
    return units_of(last)


def lengths_in(name: str) -> Iterator[tuple[str, str]]:
    """
    Yield the durations in the words of a name or a code, as number and unit.

    >>> [*lengths_in("police_report_within_48h")], [*lengths_in("faults_30d")]
    ([('48', 'h')], [('30', 'day')])
    """
    for match in _IN_NAME.finditer(name):
        yield match["number"], _SHORT.get(match["unit"].lower(), match["unit"].lower())


def converted_units(figure: Figure) -> Iterator[tuple[Decimal, Decimal, Unit]]:
    """Yield a figure in other units of its kind: value, unit of the last digit, unit."""
    units = units_of(figure.unit)
    if figure.kind == MONEY or (not units and figure.step == _CENT):
        units = (Unit("money", Decimal(1)),)
        # pounds of money are written as those of weight
        units += units_of("lb") if figure.text.casefold().endswith(_POUNDS) else ()
    for kind, worth in units:
        if kind == "temperature":
            yield from _in_other_degrees(figure, Unit(kind, worth))
            continue
        for other in _WORTHS[kind]:
            ratio = worth / other
            if ratio != 1:
                value = figure.numbers[0] * ratio
                # Without a bound, half an hour would fit any figure in milliseconds.
                yield value, min(figure.step * ratio, abs(value) * _OFF), Unit(kind, other)


def _in_other_degrees(figure: Figure, unit: Unit) -> Iterator[tuple[Decimal, Decimal, Unit]]:
    """
    Yield a temperature in the other unit, with the usual rounding: 350 F are 175 C.

    A figure has no sign, so it may also be negative.
    """
    degrees = figure.numbers[0]
    for number in (degrees, -degrees) if abs(degrees) <= _COLDEST else (degrees,):
        if unit == _DEGREES[FAHRENHEIT]:
            value, step, other = (number - 32) * 5 / 9, figure.step, _DEGREES[CELSIUS]
        else:
            value, step, other = number * 9 / 5 + 32, 2 * figure.step, _DEGREES[FAHRENHEIT]
        yield value, max(step, abs(value) * _ROUNDED), other


def join_durations(text: str, one: Figure, other: Figure) -> Figure | None:
    """
    Join two figures of one duration, as in ``1 hour 30 minutes``, in the second's unit.

    >>> from abs_shield.text.values.figure_reader import figures
    >>> text = "It takes 1 hour and 30 minutes."
    >>> join_durations(text, *figures(text)).numbers
    (Decimal('90'),)
    """
    if one.kind != other.kind or not (one.unit and other.unit):
        return None
    if _JOINED.fullmatch(text, one.end, max(one.end, other.start)) is None:
        return None
    for kind, worth in units_of(one.unit):
        for same, less in units_of(other.unit):
            if kind == same and worth > less:
                value = one.numbers[0] * worth / less + other.numbers[0]
                return Figure(
                    one.kind, other.text, one.start, other.end, (value,), other.step, other.unit
                )
    return None


def join_number_groups(text: str, one: Figure, other: Figure) -> Figure | None:
    """
    Join two figures that may be the groups of one number, as in ``2 871 kWh``.

    >>> from abs_shield.text.values.figure_reader import figures
    >>> text = "Il reste 2 871 kWh."
    >>> join_number_groups(text, *figures(text)).numbers
    (Decimal('2871'),)
    """
    if one.kind != NUMBER or other.kind != NUMBER or text[one.end : other.start] != " ":
        return None
    head, last = one.text, _GROUP.fullmatch(other.text)
    # `12 871 345`: the first two groups were joined before
    if last is None or _GROUPS.fullmatch(head) is None:
        return None
    decimals = last[2] or ""
    step = Decimal(1).scaleb(-len(decimals))
    value = Decimal(f"{head.replace(' ', '')}{last[1]}{decimals}") * step
    written = f"{head} {other.text}"
    return Figure(NUMBER, written, one.start, other.end, (value,), step=step, unit=other.unit)


_GROUP = re.compile(r"(\d{3})(?:[.,](\d{1,2}))?")
_GROUPS = re.compile(r"\d{1,3}(?: \d{3})*")
_JOINED = re.compile(r"[ -]?[A-Za-z]{1,12}\.?,?[ ](?:and[ ])?")
