"""One figure of a reply written as another, as a model that makes it up would write it."""

from __future__ import annotations

import random
import re
import string

from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.values.figure import DATE, ID, MONEY, Day, Figure, Minute, figures_agree


def changed(figure: Figure, chance: random.Random) -> str | None:
    """Return the text of another value of that kind; None where it cannot be written."""
    if figure.kind == ID:
        return _other_character(figure.text, chance)
    if figure.kind == MONEY:
        return _other_digit(figure.text, chance)
    if figure.kind == DATE:
        return _other_day(figure, chance.randint(1, 28))
    return _other_hour(figure, chance.randint(1, 12))


def swapped(figure: Figure, evidence: Evidence, chance: random.Random) -> str | None:
    """Return another value of that kind that stands somewhere in the evidence; None without one."""
    index: ValueIndex = evidence.derived(ValueIndex)
    others = [
        value.figure.value
        for value in index.values
        if value.figure.kind == figure.kind and not figures_agree(figure, value.figure)
    ]
    if not others:
        return None
    other = chance.choice(others)
    if isinstance(other, Day) and isinstance(figure.value, Day):
        if other.day is None or other.month != figure.value.month:
            return None
        return _other_day(figure, other.day)
    if isinstance(other, Minute):
        return _written(figure.text, other.minutes)
    return None


def _other_character(text: str, chance: random.Random) -> str:
    head = len(text.rpartition(".")[0]) or len(text)
    places = [n for n, c in enumerate(text[:head]) if c.isdigit()]
    places = places or [n for n, c in enumerate(text[:head]) if c.isalnum()]
    place = chance.choice(places)
    pool = string.digits if text[place].isdigit() else string.ascii_uppercase
    other = chance.choice([c for c in pool if c.casefold() != text[place].casefold()])
    return text[:place] + other + text[place + 1 :]


def _other_digit(text: str, chance: random.Random) -> str | None:
    whole = re.search(r"\d[\d,.]*", text)
    if whole is None:
        return None
    head = re.match(r"[\d,]+", whole[0])
    assert head is not None
    places = [whole.start() + n for n, c in enumerate(head[0]) if c.isdigit()]
    place = chance.choice(places)
    pool = string.digits if place != places[0] else string.digits[1:]
    other = chance.choice([c for c in pool if c != text[place]])
    return text[:place] + other + text[place + 1 :]


def _other_day(figure: Figure, day: int) -> str | None:
    value = figure.value
    if not isinstance(value, Day) or value.day is None or value.day == day:
        return None
    for form in (f"{value.day:02}", str(value.day)):
        match = [*re.finditer(rf"(?<!\d){form}(?!\d)", figure.text)]
        if match:
            at = match[-1]
            return figure.text[: at.start()] + f"{day:0{len(form)}}" + figure.text[at.end() :]
    return None


def _other_hour(figure: Figure, hours: int) -> str | None:
    value = figure.value
    if not isinstance(value, Minute):
        return None
    return _written(figure.text, (value.minutes + 60 * hours) % 1440)


def _written(text: str, minutes: int) -> str | None:
    """A time of day in the form in which *text* is written."""
    matches = re.match(r"(\d{1,2})(?::(\d{2}))?(?::\d{2})?(?:\s?([AaPp])\.?[Mm]\.?)?", text)
    if matches is None:
        return None
    hour, minute = divmod(minutes, 60)
    half = matches[3]
    shown = (hour % 12 or 12) if half else hour
    behind = text[matches.end(2) if matches[2] else matches.end(1) :]
    if half:
        letter = "p" if hour >= 12 else "a"
        letter = letter.upper() if half.isupper() else letter
        behind = behind.replace(half, letter, 1)
    middle = f":{minute:02}" if matches[2] or minute else ""
    return f"{shown:0{len(matches[1]) if matches[1][0] == '0' else 1}}{middle}{behind}"
