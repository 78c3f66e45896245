"""Does this value fit its JSON Schema, and if not, where and why?"""

from abs_shield.schema.both import both
from abs_shield.schema.compiled import CompiledSchema, compile_schema
from abs_shield.schema.problem import Problem
from abs_shield.schema.steps import Undecided

__all__ = ["CompiledSchema", "Problem", "Undecided", "both", "compile_schema"]
