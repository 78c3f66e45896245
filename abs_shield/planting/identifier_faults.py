"""Plant a value that the run does not mention: an identifier, credential, placeholder or name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from abs_shield.planting.argument_values import (
    ArgumentValue,
    fold_value,
    is_email,
    is_identifier,
    is_name,
    is_secret,
    is_url,
    shape,
)
from abs_shield.planting.invented_words import (
    CREATING,
    NAMES,
    PLACEHOLDERS,
    UPDATING,
    script_of,
    verb_of,
)
from abs_shield.planting.planted_call import Plant, PlantedCall, replace_value, shuffle_items
from abs_shield.planting.run_text import RightCall

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


def _change(
    change: Callable[[str, Random], str], chosen: Choose, place: RightCall, random: Random
) -> PlantedCall | None:
    for leaf in shuffle_items(mentioned_values(place, chosen), random):
        for _ in range(_TRIES):
            text = change(leaf.text, random)
            if text and not _same(text, leaf.text) and not place.run.mentions(text):
                value = _same_type(leaf.value, text)
                return None if value is None else replace_value(place, leaf, value)
    return None


def _same(one: str, other: str) -> bool:
    # leading zeros are a respelling
    return fold_value(one).lstrip("0") == fold_value(other).lstrip("0")


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
    return partial(_change, change, chosen)


unseen = _plant_with(_new_identifier, is_identifier)
misspelt = _plant_with(_misspell, is_identifier)
unseen_secret = _plant_with(_new_identifier, is_secret)
misspelt_secret = _plant_with(_misspell, is_secret)


def _plant_other(chosen: Choose, place: RightCall, random: Random) -> PlantedCall | None:
    targets = [leaf for leaf in mentioned_values(place, chosen) if leaf.nouns]
    for target in shuffle_items(targets, random):
        others = [leaf for leaf in place.run.identifiers if _differs(leaf, target, place)]
        for leaf in shuffle_items(others, random):
            if place.is_mentioned_before(leaf):
                return replace_value(place, target, leaf.value, taken_from=leaf.name)
    return None


def _differs(leaf: ArgumentValue, target: ArgumentValue, place: RightCall) -> bool:
    """Return whether no name in the run allows the value of *leaf* in place of *target*."""
    # with the same form it may be a value of that kind
    if type(leaf.value) is not type(target.value) or shape(leaf.text) == shape(target.text):
        return False
    return target.nouns.isdisjoint(place.run.nouns[fold_value(leaf.text)])


other_identifier = partial(_plant_other, is_identifier)
other_secret = partial(_plant_other, is_secret)


def _plant_placeholder(chosen: Choose, place: RightCall, random: Random) -> PlantedCall | None:
    for leaf in shuffle_items(mentioned_values(place, chosen), random):
        if not isinstance(leaf.value, str):
            continue
        for form in shuffle_items(PLACEHOLDERS, random):
            text = form.format(name=leaf.name or "id")
            # a placeholder that the run mentions has a source
            if text.casefold() not in place.run.raw:
                return replace_value(place, leaf, text)
    return None


placeholder = partial(_plant_placeholder, is_identifier)
placeholder_secret = partial(_plant_placeholder, is_secret)


def entity(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant an invented name in place of one in the run, unless the tool creates something."""
    if verb_of(place.call.name) in CREATING:
        return None
    for leaf in shuffle_items(mentioned_values(place, is_name), random):
        script = script_of(leaf.value)
        several = script == "LATIN" and len(leaf.value.split()) > 1  # a full name for a full name
        name = _invent(place, random, script=script, count=2 if several else 1)
        if name:
            return replace_value(place, leaf, name)
    return None


def bare(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant an invented name in place of an identifier."""
    for leaf in shuffle_items(mentioned_values(place, is_identifier), random):
        if isinstance(leaf.value, str):
            name = _invent(place, random, script="LATIN", count=1)
            return replace_value(place, leaf, name) if name else None
    return None


def _invent(place: RightCall, random: Random, *, script: str, count: int) -> str:
    names = [name for name in NAMES.get(script, ()) if not place.run.mentions(name)]
    return " ".join(random.sample(names, count)) if len(names) >= count else ""
