"""An identifier of another kind that the run mentions: an account where an order should stand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from random import Random

from abs_shield.replay.planting.kinds.identifiers import Choose, founded
from abs_shield.replay.planting.planted_call import PlantedCall, replaced, shuffled
from abs_shield.replay.planting.surroundings import RightCall
from abs_shield.replay.planting.values import (
    ArgumentValue,
    is_identifier,
    is_secret,
    leaves_of,
    normalised,
    shape,
)

_MOST_CALLS = 50
_MOST_SEEN = 500


def _plant(chosen: Choose, place: RightCall, random: Random) -> PlantedCall | None:
    targets = [leaf for leaf in founded(place, chosen) if leaf.nouns]
    if not targets:
        return None
    seen = [*islice(_seen(place), _MOST_SEEN)]
    for target in shuffled(targets, random):
        for leaf in shuffled(seen, random):
            if _differs(leaf, target, seen) and place.is_founded(leaf):
                return replaced(place, target, leaf.value, taken_from=leaf.name)
    return None


def _seen(place: RightCall) -> Iterator[ArgumentValue]:
    """The identifiers in the calls and results of the run, under their names."""
    for call in place.run.calls[:_MOST_CALLS]:
        values = [call.arguments, None if call.result is None else call.result.value]
        for value in values:
            if isinstance(value, dict | list):
                held = leaves_of({"": value}, None)
                yield from (leaf for leaf in held if leaf.nouns and is_identifier(leaf))


def _differs(leaf: ArgumentValue, target: ArgumentValue, seen: list[ArgumentValue]) -> bool:
    """Whether no name in the run allows the value of *leaf* where *target* stands."""
    if type(leaf.value) is not type(target.value) or shape(leaf.text) == shape(target.text):
        return False
    wanted = normalised(leaf.text)
    names = [one.nouns for one in seen if normalised(one.text) == wanted]
    return all(target.nouns.isdisjoint(nouns) for nouns in names)


identifier = partial(_plant, is_identifier)
secret = partial(_plant, is_secret)
