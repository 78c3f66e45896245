"""What is wrong with a model's reply: it does not fit its schema, or not one to one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from abs_shield.schema import CompiledSchema, compile_schema
from abs_shield.text.show import shown

Problem = Callable[[dict[str, Any]], str]


def fits(schema: Mapping[str, Any]) -> Problem:
    """Give what finds the first thing in a reply that its JSON Schema does not allow."""
    return lambda reply: _misfit(_compiled(json.dumps(schema)), reply)


def fits_each(schema: Mapping[str, Any], name: str, ids: Iterable[str]) -> Problem:
    """As `fits`; and the items of the list *name* have these ids, each exactly once."""
    wanted = tuple(ids)

    def problem(reply: dict[str, Any]) -> str:
        wrong = _misfit(_compiled(json.dumps(schema)), reply)
        return wrong or _unmatched([item["id"] for item in reply[name]], wanted)

    return problem


def listed(name: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Give the schema of an object with one list, all of whose items' properties are required."""
    items = {
        "type": "object",
        "properties": dict(item),
        "required": list(item),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": items}},
        "required": [name],
        "additionalProperties": False,
    }


def _misfit(schema: CompiledSchema, reply: dict[str, Any]) -> str:
    if schema.accepts(reply):
        return ""
    first = next(iter(schema.problems(reply)), None)
    return f"{first.where or '/'}: {first.detail}" if first else "it does not fit the schema"


@lru_cache(maxsize=64)
def _compiled(schema: str) -> CompiledSchema:
    return compile_schema(json.loads(schema), where="a model's reply")


def _unmatched(got: list[str], wanted: tuple[str, ...]) -> str:
    counted = Counter(got)
    for one in wanted:
        if counted[one] != 1:
            return f"id {shown(one)} stands {counted[one]} times, expected once"
    strange = next((one for one in got if one not in wanted), None)
    return "" if strange is None else f"id {shown(strange)} was not asked about"
