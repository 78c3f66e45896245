"""The intersection of two schemas, such as a tool's description and its author's declaration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abs_shield.schema.compiled_schema import Accepts, CompiledSchema, SchemaJudge
from abs_shield.schema.schema_problem import MAX_PROBLEMS, SchemaProblem
from abs_shield.schema.work_budget import Undecided


def intersect_schemas(first: CompiledSchema, second: CompiledSchema) -> CompiledSchema:
    """
    Return a schema that accepts what both *first* and *second* accept.

    The declared names are those of *first*; *second* constrains some of their values further. If
    only *second* refuses undeclared names, its own are declared, too.
    """
    names = first.declared_names
    if second.is_closed and not first.is_closed:
        names |= second.declared_names
    return CompiledSchema(
        engine=first.engine if first.engine == second.engine else "jsonschema",
        declared_names=names,
        required=first.required,
        nameless=first.nameless and second.nameless,
        has_name_patterns=first.has_name_patterns or second.has_name_patterns,
        _core=_intersect_checks(first._core, second._core),
        _closed=_intersect_names(first._closed, second._closed),
        _reference=_JudgePair(first._reference, second._reference),
    )


def _intersect_names(
    first: frozenset[str] | None, second: frozenset[str] | None
) -> frozenset[str] | None:
    if first is None or second is None:
        return second if first is None else first
    return first & second


def _intersect_checks(first: Accepts | None, second: Accepts | None) -> Accepts | None:
    if first is None or second is None:
        return None
    # The type checker does not narrow parameters inside a lambda.
    one, other = first, second
    return lambda value: one(value) and other(value)


@dataclass(frozen=True, slots=True)
class _JudgePair:
    """The reference judges of two schemas."""

    first: SchemaJudge
    second: SchemaJudge

    def accepts(self, value: object) -> bool:
        """Return whether a value has no problem with either schema."""
        return self.first.accepts(value) and self.second.accepts(value)

    def fits(self, arguments: dict[str, Any]) -> bool:
        """Return whether plain scalars under declared names have no problem; may raise."""
        return self.first.fits(arguments) and self.second.fits(arguments)

    def problems(self, value: object) -> tuple[SchemaProblem, ...]:
        """Return the problems of a value with either schema, at most 100, one of each kind."""
        # Two similar schemas would report the same problem twice.
        once: dict[tuple[str, str], SchemaProblem] = {}
        undecided: Undecided | None = None
        for judge in (self.first, self.second):
            try:
                for problem in judge.problems(value):
                    once.setdefault((problem.where, problem.code), problem)
            except Undecided as error:
                undecided = error
        if undecided is not None and not once:
            raise undecided
        return tuple(once.values())[:MAX_PROBLEMS]
