"""Plant harmless calls, which are expected to pass: a second look-up, or a value respelt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

from abs_shield.planting.argument_values import (
    ArgumentValue,
    is_email,
    is_identifier,
    is_name,
    is_phone,
    is_url,
    leaves_of,
    shape,
)
from abs_shield.planting.identifier_faults import Choose, mentioned_values
from abs_shield.planting.invented_words import CREATING, READING, REMOVING, verb_of
from abs_shield.planting.planted_call import (
    Plant,
    PlantedCall,
    follow_call,
    replace_value,
    shuffle_items,
    with_value,
)
from abs_shield.planting.run_text import MOST_READ, RecordedCall, RightCall

_MOST_CALLS = 1_000  # the earlier calls of a long run are searched for each case


def read_again(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant a look-up that the run did earlier, after a call that changes something."""
    if not verb_of(place.call.name) or verb_of(place.call.name) in READING:
        return None
    reads = [call for call in _calls_before(place) if verb_of(call.name) in READING and call.right]
    if not reads:
        return None
    read = random.choice(reads)
    return follow_call(read.name, dict(read.arguments or {}))


def other_entity(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant a removal of another entity that a result has named, after a removal."""
    if verb_of(place.call.name) not in REMOVING or place.call.result is None:
        return None
    for leaf in mentioned_values(place, is_identifier):
        others = [one for one in _listed_identifiers(place, leaf) if not _is_called(place, one)]
        if others:
            value = random.choice(shuffle_items(others, random)).value
            return follow_call(place.call.name, with_value(place.arguments, leaf.path, value))
    return None


def _calls_before(place: RightCall) -> Iterator[RecordedCall]:
    return (call for call in place.run.calls[:MOST_READ] if call.index < place.call.index)


def _listed_identifiers(place: RightCall, leaf: ArgumentValue) -> Iterator[ArgumentValue]:
    """Yield identifiers of the same form and name in the results before the call."""
    for call in _calls_before(place):
        if call.result is None or not isinstance(call.result.value, dict | list):
            continue
        for one in leaves_of({"": call.result.value}, None):
            # the same form, so that only the entity differs
            alike = one.name == leaf.name and shape(one.text) == shape(leaf.text)
            if alike and type(one.value) is type(leaf.value) and one.value != leaf.value:
                yield one


def _is_called(place: RightCall, leaf: ArgumentValue) -> bool:
    """Return whether a call of the run already names the entity."""
    calls = (
        None if verb_of(call.name) in READING else call.arguments
        for call in place.run.calls[:_MOST_CALLS]
    )
    return any(leaf.value in (held or {}).values() for held in calls)


Respell = Callable[[str], str | None]
_FORM = frozenset({"pattern", "format", "minLength", "maxLength"})
"""Schema keywords about the spelling of a value."""
_PHONE = re.compile(r"\+?\d{9,15}")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_PREFIXED = re.compile(r"#[\w-]+")


def _plant(
    respell: Callable[[Any], Any], chosen: Choose, place: RightCall, random: Random
) -> PlantedCall | None:
    if verb_of(place.call.name) in CREATING:  # the spelling of a new entity's name matters
        return None
    for leaf in shuffle_items(mentioned_values(place, chosen), random):
        if not leaf.schema.keys().isdisjoint(_FORM):  # the schema may require the spelling
            continue
        value = respell(leaf.value)
        if value is not None and (type(value) is not type(leaf.value) or value != leaf.value):
            return replace_value(place, leaf, value)
    return None


def _text(respell: Respell) -> Callable[[Any], str | None]:
    return lambda value: respell(value) if isinstance(value, str) else None


def _plant_with(respell: Respell, chosen: Choose) -> Plant:
    return partial(_plant, _text(respell), chosen)


def _is_id(leaf: ArgumentValue) -> bool:
    return is_identifier(leaf) and not is_email(leaf.text) and not is_url(leaf.text)


def _is_count_id(leaf: ArgumentValue) -> bool:
    numbered = bool(leaf.words & {"order", "ticket", "invoice", "case", "issue", "booking"})
    return _is_id(leaf) and leaf.text.isdigit() and numbered


def _with_hash(text: str) -> str:
    return f"#{text}"


def _without_hash(text: str) -> str | None:
    return text[1:] if _PREFIXED.fullmatch(text) else None


def _lower(text: str) -> str | None:
    return text.lower() if text.isupper() else None


def _upper(text: str) -> str | None:
    return text.upper() if text.islower() else None


def _scheme_added(text: str) -> str | None:
    return f"https://{text}" if text.startswith("www.") else None


def _scheme_dropped(text: str) -> str | None:
    return text.partition("://")[2] if text.startswith(("http://", "https://")) else None


def _slash_added(text: str) -> str | None:
    return None if text.endswith("/") or "?" in text or "#" in text else f"{text}/"


def _insert_spaces(pattern: re.Pattern[str], size: int, text: str) -> str | None:
    if not pattern.fullmatch(text):
        return None
    return " ".join(text[at : at + size] for at in range(0, len(text), size))


def _as_float(value: Any) -> float | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    # exact as a float up to 2 ** 53
    return float(value) if whole and abs(value) < 1 << 53 else None


email_capitals = _plant_with(str.title, lambda leaf: is_identifier(leaf) and is_email(leaf.text))
hash_added = _plant_with(_with_hash, _is_count_id)
hash_dropped = _plant_with(_without_hash, _is_id)
integer_as_float = partial(_plant, _as_float, _is_id)
lower_case = _plant_with(_lower, _is_id)
upper_case = _plant_with(_upper, _is_id)
name_in_lower_case = _plant_with(str.lower, is_name)
padded = _plant_with(lambda text: f" {text} ", is_name)
# phone numbers in threes, account numbers in fours
phone_in_groups = _plant_with(partial(_insert_spaces, _PHONE, 3), is_phone)
iban_in_groups = _plant_with(partial(_insert_spaces, _IBAN, 4), _is_id)
scheme_added = _plant_with(_scheme_added, is_identifier)
scheme_dropped = _plant_with(_scheme_dropped, is_identifier)
slash_added = _plant_with(_slash_added, lambda leaf: is_identifier(leaf) and is_url(leaf.text))
