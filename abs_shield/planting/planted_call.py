"""The result of planting a fault in a right call, and the definition of a kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from abs_shield.planting.argument_values import ArgumentValue
from abs_shield.planting.run_text import RightCall
from abs_shield.replay.planted_cases import Expect, Operation, PlantedCase, dotted
from abs_shield.text.json_leaves import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedCall:
    """
    A planted call.

    Attributes:
        notes: Further members of the case: ``path``, ``original``, ``taken_from``, ``first``.
    """

    name: str
    arguments: Any
    operation: Operation = Operation.REPLACE
    notes: Mapping[str, Any] = field(default_factory=dict)


Plant = Callable[[RightCall, Random], PlantedCall | None]
"""Returns a fault in a right call; None if the kind does not apply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedKind:
    """
    One kind of planted case.

    Attributes:
        name: The name in cases.
        layer: The layer that is expected to find it, or to pass it.
        needs: The requirements on a right call; printed if no call meets them.
    """

    name: str
    layer: str
    plant: Plant
    needs: str
    expect: Expect = Expect.FLAG

    def case(self, run_id: str, place: RightCall, fault: PlantedCall) -> PlantedCase:
        """Return *fault* as a line of the file of planted cases."""
        return {
            "run_id": run_id,
            "call_index": place.call.index,
            "op": str(fault.operation),
            "kind": self.name,
            "expected_layer": self.layer,
            "mutated_call": {"name": fault.name, "arguments": fault.arguments},
            "expect": str(self.expect),
            **fault.notes,
        }


def replace_value(place: RightCall, leaf: ArgumentValue, value: Any, **notes: Any) -> PlantedCall:
    """Return the recorded call with *value* in place of *leaf*."""
    arguments = with_value(place.arguments, leaf.path, value)
    at = {"path": dotted(leaf.path), "original": leaf.value}
    return PlantedCall(name=place.call.name, arguments=arguments, notes={**at, **notes})


def with_value(arguments: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return a copy of *arguments* with *value* at *path*."""
    copy = deepcopy(dict(arguments))  # a deep copy, as other cases are planted in the same call
    inner: Any = copy
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return copy


def follow_call(name: str, arguments: Any, **notes: Any) -> PlantedCall:
    """Return a further call, after the recorded one and its result."""
    return PlantedCall(
        name=name, arguments=arguments, operation=Operation.INSERT_AFTER, notes=notes
    )


def shuffle_items(items: Any, random: Random) -> list[Any]:
    """Return *items* in a random order."""
    mixed = list(items)
    random.shuffle(mixed)
    return mixed
