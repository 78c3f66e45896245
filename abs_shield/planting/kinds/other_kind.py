"""Plant an identifier of another kind from the run: an account instead of an order."""

from __future__ import annotations

from functools import partial
from random import Random

from abs_shield.planting.argument_values import (
    ArgumentValue,
    is_identifier,
    is_secret,
    normalised,
    shape,
)
from abs_shield.planting.kinds.identifiers import Choose, mentioned_values
from abs_shield.planting.planted_call import PlantedCall, replaced, shuffled
from abs_shield.planting.run_text import RightCall


def _plant(chosen: Choose, place: RightCall, random: Random) -> PlantedCall | None:
    targets = [leaf for leaf in mentioned_values(place, chosen) if leaf.nouns]
    for target in shuffled(targets, random):
        others = [leaf for leaf in place.run.identifiers if _differs(leaf, target, place)]
        for leaf in shuffled(others, random):
            if place.is_mentioned_before(leaf):
                return replaced(place, target, leaf.value, taken_from=leaf.name)
    return None


def _differs(leaf: ArgumentValue, target: ArgumentValue, place: RightCall) -> bool:
    """Return whether no name in the run allows the value of *leaf* in place of *target*."""
    # with the same form it may be a value of that kind
    if type(leaf.value) is not type(target.value) or shape(leaf.text) == shape(target.text):
        return False
    return target.nouns.isdisjoint(place.run.nouns[normalised(leaf.text)])


identifier = partial(_plant, is_identifier)
secret = partial(_plant, is_secret)
