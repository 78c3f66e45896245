"""Validation of values with JSON Schema: whether a value fits, and where and why it does not."""

from abs_shield.core.module_names import old_names
from abs_shield.schema.compiled_schema import CompiledSchema, compile_schema
from abs_shield.schema.intersection import intersect_schemas
from abs_shield.schema.schema_problem import SchemaProblem
from abs_shield.schema.work_budget import Undecided

__all__ = ["CompiledSchema", "SchemaProblem", "Undecided", "compile_schema", "intersect_schemas"]

__getattr__ = old_names(__name__, {"Problem": "SchemaProblem", "both": "intersect_schemas"})
