"""One planted case: a call that replaces a recorded one, or follows it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from abs_shield.text.json_leaves import Path, leaves
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped, shown

PlantedCase = Mapping[str, Any]
"""One line of the file of planted cases, as `read_case` accepts it."""
# the name of the layer in folders of planted cases
_LAYERS = {"contradiction": "self_contradiction"}
_SHOWN = 70  # a value in one column of a table
_TEXTS = ("run_id", "kind", "expected_layer")
_MOST_LEAVES = 10_000  # the arguments of one call, of which the schema allows any size


class Operation(StrEnum):
    """Where the planted call is placed: instead of the recorded call, or after its result."""

    REPLACE = "replace"
    INSERT_AFTER = "insert_after"


class Expect(StrEnum):
    """The expected outcome: a finding, no finding, or one that provenance cannot decide."""

    FLAG = "flag"
    CLEAN = "clean"
    INFO = "info"


def read_case(record: Any) -> PlantedCase:
    """
    Return *record* if it is a valid planted case.

    Raises:
        ValueError: A member is missing or invalid.
    """
    if not isinstance(record, Mapping):
        raise ValueError(f"a planted case is an object, not {shown(record)}")
    for name in _TEXTS:
        if not isinstance(record.get(name), str) or not record[name]:
            raise ValueError(f"`{name}` is {shown(record.get(name))}; give a text")
    index = record.get("call_index")
    if type(index) is not int or index < 0:
        raise ValueError(f"`call_index` is {shown(index)}; give a number from 0")
    _require_choice(record, "op", Operation)
    _require_choice(record, "expect", Expect)
    call = record.get("mutated_call")
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        raise ValueError(f"`mutated_call` is {shown(call)}; give `name` and `arguments`")
    return record


def _require_choice(record: Mapping[str, Any], name: str, choices: type[StrEnum]) -> None:
    value = record.get(name)
    if value in list(choices):
        return
    near = nearest(value, choices) if isinstance(value, str) else []
    hint = f"did you mean `{near[0]}`?" if near else f"give one of {', '.join(choices)}"
    raise ValueError(f"`{name}` is {shown(value)}; {hint}")


def layer_of(case: PlantedCase) -> str:
    """Return the name of the layer that is expected to find the fault."""
    layer = str(case["expected_layer"])
    # "none (provenance)" and similar: the case is about what provenance cannot decide
    return "phantom_target" if layer.startswith("none") else _LAYERS.get(layer, layer)


def values_at_path(case: PlantedCase) -> Iterator[tuple[Path, Any]]:
    """Yield the values at the case's path, such as ``flights[].date``, with their paths."""
    for place, value in leaves(case["mutated_call"].get("arguments"), most=_MOST_LEAVES):
        if dotted(place) == case.get("path"):
            yield place, value


def dotted(place: Path) -> str:
    """
    Return a path in the format of cases: each list item is ``[]``.

    >>> dotted(("flights", 0, "date"))
    'flights[].date'
    """
    steps = ("[]" if isinstance(step, int) else f".{step}" for step in place)
    return "".join(steps).removeprefix(".")


def value_of(case: PlantedCase) -> str:
    """Return the planted value as one line of JSON, with its origin."""
    values = [value for _, value in values_at_path(case) if value != case.get("original")]
    arguments = case["mutated_call"].get("arguments")
    planted = values[0] if len(values) == 1 else values or arguments
    text = escaped(json.dumps(planted), limit=_SHOWN)
    notes = [f"{key} {case[key]}" for key in ("taken_from", "first") if key in case]
    return f"{text} ({'; '.join(notes)})" if notes else text
