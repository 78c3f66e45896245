"""Validation of values with JSON Schema: whether a value fits, and where and why it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abs_shield.core.module_names import lazy_names, old_names

if TYPE_CHECKING:
    from abs_shield.schema.compiled_schema import CompiledSchema, compile_schema
    from abs_shield.schema.intersection import intersect_schemas
    from abs_shield.schema.schema_problem import SchemaProblem
    from abs_shield.schema.work_budget import Undecided

__all__ = ["CompiledSchema", "SchemaProblem", "Undecided", "compile_schema", "intersect_schemas"]

# lazy, so that the JSON form of a value does not load the compiler of schemas
_LAZY = {
    "CompiledSchema": "abs_shield.schema.compiled_schema",
    "SchemaProblem": "abs_shield.schema.schema_problem",
    "Undecided": "abs_shield.schema.work_budget",
    "compile_schema": "abs_shield.schema.compiled_schema",
    "intersect_schemas": "abs_shield.schema.intersection",
}

_lazy_name, __dir__ = lazy_names(__name__, _LAZY)
_old_name = old_names(__name__, {"Problem": "SchemaProblem", "both": "intersect_schemas"})


def __getattr__(name: str) -> Any:
    return _lazy_name(name) if name in _LAZY else _old_name(name)
