"""A strict schema requires every argument, but optional ones may be omitted."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Shield, ToolCall, shield

LINE = {
    "type": "object",
    "properties": {
        "sku": {"type": "string"},
        "count": {"type": "integer", "default": 1},
        "note": {"type": ["string", "null"]},
    },
    "required": ["sku", "count", "note"],
    "additionalProperties": False,
}
ORDER = {
    "type": "object",
    "properties": {
        "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
        "voucher": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "required": {"type": "string", "default": "no"},
        "extra": {"type": "object", "default": {"properties": {}, "required": []}},
    },
    "required": ["lines", "voucher", "required", "extra"],
    "$defs": {"Line": LINE},
}


def missing_arguments(arguments: dict[str, Any], **options: Any) -> list[str]:
    """Return the places of missing arguments of a call of an OpenAI tool."""
    firewall = Shield(shield.configure(layers=["parameter_mismatch"]), hooks=None)
    function = {"name": "order", "parameters": ORDER, **options}
    firewall.register({"type": "function", "function": function})
    decision = firewall.check_call(ToolCall("order", arguments))
    return [one.where for one in decision.findings if one.code == "missing_argument"]


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ({"lines": [{"sku": "a"}]}, []),
        ({"lines": [{"sku": "a", "note": None}], "voucher": None, "required": "yes"}, []),
        ({"lines": [{"count": 2}]}, ["/arguments/lines/0/sku"]),
        ({}, ["/arguments/lines"]),
    ],
)
def test_an_argument_with_a_default_or_null_may_be_omitted(
    arguments: dict[str, Any], missing: list[str]
) -> None:
    """Other arguments of a strict tool are still required."""
    assert missing == missing_arguments(arguments, strict=True)


def test_a_tool_that_is_not_strict_requires_what_it_says() -> None:
    """Without `strict`, the author wrote the list of required arguments."""
    missing = missing_arguments({"lines": []})

    assert ["/arguments/voucher", "/arguments/required", "/arguments/extra"] == sorted(
        missing, key=["/arguments/voucher", "/arguments/required", "/arguments/extra"].index
    )
