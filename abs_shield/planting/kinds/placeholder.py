"""Plant a placeholder text instead of a value."""

from __future__ import annotations

from functools import partial
from random import Random

from abs_shield.planting.argument_values import is_identifier, is_secret
from abs_shield.planting.invented_words import PLACEHOLDERS
from abs_shield.planting.kinds.identifiers import Choose, mentioned_values
from abs_shield.planting.planted_call import PlantedCall, replaced, shuffled
from abs_shield.planting.run_text import RightCall


def _plant(chosen: Choose, place: RightCall, random: Random) -> PlantedCall | None:
    for leaf in shuffled(mentioned_values(place, chosen), random):
        if not isinstance(leaf.value, str):
            continue
        for form in shuffled(PLACEHOLDERS, random):
            text = form.format(name=leaf.name or "id")
            # a placeholder that the run mentions has a source
            if text.casefold() not in place.run.raw:
                return replaced(place, leaf, text)
    return None


placeholder = partial(_plant, is_identifier)
secret = partial(_plant, is_secret)
