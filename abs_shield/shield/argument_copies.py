"""Copies of a call's arguments: for the tool, and as JSON to be judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.call_arguments import Malformed, copy_containers, read_arguments
from abs_shield.schema.argument_json import ArgumentSerializer
from abs_shield.schema.schema_problem import pointer
from abs_shield.schema.value_limits import exceeded_limits
from abs_shield.text.json_leaves import SCALARS, TypePlaceholder


def as_json(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return Python arguments as JSON, without consuming iterators."""
    writer = ArgumentSerializer()
    return {
        name: value if type(value) in SCALARS else writer.serialize(value)
        for name, value in arguments.items()
    }


def non_finite_pointers(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return JSON pointers to the numbers that are not finite."""
    return tuple(pointer(path) for code, path in exceeded_limits(arguments) if code == "not_finite")


def copy_arguments(
    raw: dict[str, Any] | Malformed,
) -> tuple[dict[str, Any] | Malformed, dict[str, Any] | Malformed]:
    """
    Return two copies of a call's arguments: one for the tool, and one as JSON to judge.

    Both are the same object if all arguments are scalars. Later changes of the caller's
    containers do not affect them.
    """
    if isinstance(raw, Malformed):
        return raw, raw
    # The dict is copied even if its values need not be.
    raw = raw.copy()
    for value in raw.values():
        if type(value) not in SCALARS:
            raw = copy_containers(raw)
            return raw, json_arguments(raw)
    return raw, raw


def json_arguments(arguments: dict[str, Any] | Malformed) -> dict[str, Any] | Malformed:
    """
    Return arguments that a caller passed as Python objects as JSON.

    A value without a JSON form stays unchanged, and a schema rejects it.
    """
    if isinstance(arguments, Malformed) or SCALARS.issuperset(map(type, arguments.values())):
        return arguments
    written = as_json(arguments)
    return {k: arguments[k] if type(v) is TypePlaceholder else v for k, v in written.items()}


def arguments_of(call: ToolCall) -> Mapping[str, Any]:
    """Return a call's arguments as they are judged; empty if they are not an object."""
    read = json_arguments(read_arguments(call.arguments))
    return {} if isinstance(read, Malformed) else read


def with_judged_arguments(call: ToolCall, arguments: dict[str, Any] | Malformed) -> ToolCall:
    """
    Return the call with a copy of its arguments, which the caller may change after the judgement.

    Arguments that are text, or no object, stay unchanged.
    """
    if isinstance(arguments, Malformed) or isinstance(call.arguments, (str, bytes, bytearray)):
        return call
    return ToolCall(call.name, arguments, call.id, call.logprobs)
