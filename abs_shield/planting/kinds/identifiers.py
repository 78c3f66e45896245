"""Plant an unmentioned identifier or credential: a new one, or a misspelt one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from abs_shield.planting.argument_values import (
    ArgumentValue,
    is_email,
    is_identifier,
    is_secret,
    is_url,
    normalised,
)
from abs_shield.planting.planted_call import Plant, PlantedCall, replaced, shuffled
from abs_shield.planting.run_text import RightCall
from abs_shield.planting.tool_name_words import CREATING, UPDATING, verb_of

_TRIES = 12  # a random change may happen to occur in the run
_PARTS = re.compile(r"([^0-9A-Za-z]+)")
_HEX = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{6,}")
_SERIES = re.compile(r"([A-Za-z]{1,3})(\d+)")
_SCHEME = re.compile(r"(?:https?://)?(?:www\.)?")
Choose = Callable[[ArgumentValue], bool]


def mentioned_values(place: RightCall, chosen: Choose) -> Iterator[ArgumentValue]:
    """Yield the values that *chosen* accepts and that occur in the run before the call."""
    creates = verb_of(place.call.name) in CREATING | UPDATING
    for leaf in place.values:
        # such a tool sets the credential, so a new one is right
        if chosen(leaf) and not (creates and is_secret(leaf)) and place.is_mentioned_before(leaf):
            yield leaf


def _changed(
    change: Callable[[str, Random], str], chosen: Choose, place: RightCall, random: Random
) -> PlantedCall | None:
    for leaf in shuffled(mentioned_values(place, chosen), random):
        for _ in range(_TRIES):
            text = change(leaf.text, random)
            if text and not _same(text, leaf.text) and not place.run.mentions(text):
                value = _same_type(leaf.value, text)
                return None if value is None else replaced(place, leaf, value)
    return None


def _same(one: str, other: str) -> bool:
    # leading zeros are a respelling
    return normalised(one).lstrip("0") == normalised(other).lstrip("0")


def _same_type(original: Any, text: str) -> Any:
    """Return *text* as the type of *original*, or None."""
    if isinstance(original, str):
        return text
    return int(text) if text.isascii() and text.isdigit() else None


def _new_identifier(text: str, random: Random) -> str:
    """Return an identifier of the same form: the prefix of its kind stays, the rest changes."""
    if is_email(text):
        local, _, host = text.rpartition("@")
        return f"{_letters(local, random)}@{host}"
    start = _SCHEME.match(text) if is_url(text) else None
    if start is not None:
        return start[0] + _letters(text[start.end() :], random, until=".")
    parts = _PARTS.split(text)
    plain = sum(map(str.isdigit, text)) < 3  # nearly all letters: a word, of which all changes
    return "".join(_part(part, random, whole=plain) for part in parts)


def _part(part: str, random: Random, *, whole: bool) -> str:
    if not part.isalnum() or not part.isascii() or (part.isalpha() and not whole):
        return part
    if _HEX.fullmatch(part):
        return "".join(random.choice("0123456789abcdef") for _ in part)
    series = _SERIES.fullmatch(part)
    # the letters before a number name the kind: `W12`
    head, rest = (series[1], series[2]) if series and not whole else ("", part)
    return head + "".join(_like(letter, random) for letter in rest)


def _like(letter: str, random: Random) -> str:
    if letter in digits:
        # no other digit becomes 0, which at the beginning would change nothing
        return random.choice(digits if letter == "0" else digits[1:])
    if letter in ascii_uppercase:
        return random.choice(ascii_uppercase)
    return random.choice(ascii_lowercase) if letter in ascii_lowercase else letter


def _letters(text: str, random: Random, *, until: str = "") -> str:
    head, mark, rest = text.partition(until) if until else (text, "", "")
    return "".join(_like(letter, random) for letter in head) + mark + rest


def _misspell(text: str, random: Random) -> str:
    """Return the text with one character dropped, doubled, replaced or moved."""
    start = _SCHEME.match(text)
    begin = start.end() if start else 0
    places = [n for n in range(begin, len(text)) if text[n].isalnum()]
    if not places:
        return ""
    at = random.choice(places)
    head, letter, tail = text[:at], text[at], text[at + 1 :]
    how = random.randrange(4)
    if how == 0:
        return head + tail
    if how == 1:
        return head + letter * 2 + tail
    if how == 2 and tail[:1].isalnum():
        return head + tail[0] + letter + tail[1:]
    return head + _like(letter, random) + tail


def _plant_with(change: Callable[[str, Random], str], chosen: Choose) -> Plant:
    return partial(_changed, change, chosen)


unseen = _plant_with(_new_identifier, is_identifier)
misspelt = _plant_with(_misspell, is_identifier)
unseen_secret = _plant_with(_new_identifier, is_secret)
misspelt_secret = _plant_with(_misspell, is_secret)
