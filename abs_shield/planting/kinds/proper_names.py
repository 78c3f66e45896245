"""Plant an invented proper name, of a person or a place, or instead of an identifier."""

from __future__ import annotations

from random import Random

from abs_shield.planting.argument_values import is_identifier, is_name
from abs_shield.planting.invented_words import NAMES, script_of
from abs_shield.planting.kinds.identifiers import mentioned_values
from abs_shield.planting.planted_call import PlantedCall, replaced, shuffled
from abs_shield.planting.run_text import RightCall
from abs_shield.planting.tool_name_words import CREATING, verb_of


def entity(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant an invented name in place of one in the run, unless the tool creates something."""
    if verb_of(place.call.name) in CREATING:
        return None
    for leaf in shuffled(mentioned_values(place, is_name), random):
        script = script_of(leaf.value)
        several = script == "LATIN" and len(leaf.value.split()) > 1  # a full name for a full name
        name = _invented(place, random, script=script, count=2 if several else 1)
        if name:
            return replaced(place, leaf, name)
    return None


def bare(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant an invented name in place of an identifier."""
    for leaf in shuffled(mentioned_values(place, is_identifier), random):
        if isinstance(leaf.value, str):
            name = _invented(place, random, script="LATIN", count=1)
            return replaced(place, leaf, name) if name else None
    return None


def _invented(place: RightCall, random: Random, *, script: str, count: int) -> str:
    names = [name for name in NAMES.get(script, ()) if not place.run.mentions(name)]
    return " ".join(random.sample(names, count)) if len(names) >= count else ""
