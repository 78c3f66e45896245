"""Plant a call of an unknown tool: an invented name, or a misspelt one."""

from __future__ import annotations

from random import Random

from abs_shield.planting.argument_values import normalised
from abs_shield.planting.invented_words import TOOLS
from abs_shield.planting.planted_call import PlantedCall, shuffled
from abs_shield.planting.run_text import RightCall

_VERBS = {"get": "fetch", "search": "query", "find": "look_for", "list": "enumerate"}


def absent(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant a plausible tool that the toolset does not have."""
    return _called(place, shuffled(TOOLS, random))


def near_miss(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant the recorded tool's name with an error."""
    name = place.call.name
    # slips that models make: versions, plurals, other verbs
    slips = [f"{name}_v2", f"{name}_by_id", name[:-1] if name.endswith("s") else f"{name}s"]
    at = random.randrange(len(name)) if name else 0
    slips.append(name[:at] + name[at + 1 :])
    slips += [name.replace(verb, other, 1) for verb, other in _VERBS.items() if verb in name]
    return _called(place, shuffled(slips, random))


def _called(place: RightCall, names: list[str]) -> PlantedCall | None:
    if place.tool is None:
        return None  # without a list of tools no name is unknown
    taken = set(map(normalised, place.run.tools))
    for name in names:
        if name and normalised(name) not in taken:
            return PlantedCall(
                name=name, arguments=dict(place.arguments), notes={"original": place.call.name}
            )
    return None
