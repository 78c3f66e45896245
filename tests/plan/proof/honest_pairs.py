"""Pairs of rules about one parameter: pairs that are compatible, and pairs that are not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

NUMBER = {"type": "number"}
WHOLE = {"type": "integer"}
TEXT = {"type": "string"}
DAY = {"type": "string", "format": "date"}
MOMENT = {"type": "string", "format": "date-time"}
TIME = {"type": "string", "format": "time"}

Function = Callable[[Any], bool]


def day(x: str) -> date:
    return date.fromisoformat(x)


def moment(x: str) -> datetime:
    return datetime.fromisoformat(x.replace("Z", "+00:00"))


def clock(x: str) -> time:
    return time.fromisoformat(x.replace("Z", "+00:00"))


DAYS: dict[str, Function] = {
    "monday": lambda x: day(x).weekday() == 0,
    "workday": lambda x: day(x).weekday() < 5,
    "weekend": lambda x: day(x).weekday() >= 5,
    "first week": lambda x: day(x).day <= 7,
    "month end": lambda x: day(x).day >= 28,
    "year": lambda x: x.startswith("2026-"),
    "quarter": lambda x: x[5:] in {"01-01", "04-01", "07-01", "10-01"},
    "summer": lambda x: 6 <= day(x).month <= 8,
    "after": lambda x: x >= "2026-03-01",
    "before": lambda x: x < "2026-04-01",
}
_APART = ({"month end", "quarter"}, {"first week", "month end"}, {"workday", "weekend"})
_WITHIN = ({"monday", "workday"}, {"first week", "quarter"})
_EMPTY = ({"monday", "weekend"},)
MOMENTS: dict[str, Function] = {
    "office": lambda x: 9 <= moment(x).hour < 17,
    "tuesday": lambda x: moment(x).weekday() == 1,
    "half hours": lambda x: moment(x).minute in {0, 30},
    "after": lambda x: moment(x) >= datetime.fromisoformat("2026-03-01T00:00:00+00:00"),
}
TIMES: dict[str, Function] = {
    "office": lambda x: 9 <= clock(x).hour < 17,
    "half hours": lambda x: clock(x).minute in {0, 30},
    "evening": lambda x: clock(x) >= time(16, 30, tzinfo=clock(x).tzinfo),
    "no seconds": lambda x: clock(x).second == 0,
}
NUMBERS: dict[str, Function] = {
    "dozens": lambda x: x % 12 == 0,
    "sevens": lambda x: x % 7 == 0,
    "a range": lambda x: 100 <= x <= 170,
    "squares": lambda x: x >= 0 and int(x**0.5) ** 2 == x,
    "digits": lambda x: sum(map(int, str(abs(x)))) == 10,
    "check digit": lambda x: x % 11 == 3,
    "a hidden bound": lambda x: x * 3 < 480,
}
TEXTS: dict[str, Function] = {
    "a beginning": lambda x: x.startswith("AB"),
    "an end": lambda x: x.endswith("YZ"),
    "a country": lambda x: x[:2] in {"DE", "SE"},
    "a word": lambda x: "urgent" in x.split(),
    "short": lambda x: len(x) <= 8,
}

HONEST: list[tuple[str, str, dict[str, Function], dict[str, Any]]] = [
    (one, other, rules, schema)
    for rules, schema in (
        (DAYS, DAY),
        (MOMENTS, MOMENT),
        (TIMES, TIME),
        (NUMBERS, WHOLE),
        (TEXTS, TEXT),
    )
    for n, one in enumerate(rules)
    for other in [*rules][n + 1 :]
    if rules is not DAYS or {one, other} not in (*_APART, *_WITHIN, *_EMPTY)
]
"""Pairs of rules that neither exclude nor cover each other."""

EXCLUDING: dict[str, tuple[Function, Function, dict[str, Any]]] = {
    "workday and weekend": (DAYS["workday"], DAYS["weekend"], DAY),
    "month end and quarter": (DAYS["month end"], DAYS["quarter"], DAY),
    "first week and month end": (DAYS["first week"], DAYS["month end"], DAY),
    "summer and winter": (DAYS["summer"], lambda x: day(x).month in {12, 1, 2}, DAY),
    "years": (DAYS["year"], lambda x: x >= "2027-01-01", DAY),
    "moments": (MOMENTS["after"], lambda x: x < "2026-01-01T00:00:00Z", MOMENT),
    "hours": (TIMES["office"], lambda x: clock(x).hour >= 20, TIME),
    "hidden bounds": (lambda x: x * 3 <= 480, lambda x: x * 7 >= 1_127, WHOLE),
    "words": (lambda x: x in {"EUR"}, lambda x: x in {"USD", "CAD"}, TEXT),
}
COVERED: dict[str, tuple[Function, Function, dict[str, Any]]] = {
    "monday and workday": (DAYS["monday"], DAYS["workday"], DAY),
    "first week and quarter": (DAYS["first week"], DAYS["quarter"], DAY),
    "years": (DAYS["after"], lambda x: x >= "2027-01-01", DAY),
    "moments": (MOMENTS["after"], lambda x: x >= "2027-01-01T00:00:00Z", MOMENT),
    "hours": (TIMES["office"], lambda x: 10 <= clock(x).hour < 12, TIME),
    "hidden bounds": (lambda x: x * 3 <= 480, lambda x: x * 7 <= 1_120, NUMBER),
    "leap years": (
        lambda x: x % 4 == 0, lambda x: x % 4 == 0 and (x % 100 != 0 or x % 400 == 0),
        {**WHOLE, "minimum": 1900, "maximum": 2100},
    ),
}  # fmt: skip
