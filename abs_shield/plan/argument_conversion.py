"""Conversion of arguments that a tool's schema rejects into those that its function receives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from abs_shield.plan.lossless_corrections import correct_slips
from abs_shield.schema import Undecided
from abs_shield.text.json_leaves import leaves, pointer

if TYPE_CHECKING:
    from abs_shield.plan.tool_plan import ToolPlan
    from abs_shield.schema import CompiledSchema, SchemaProblem


class Conversion(NamedTuple):
    """
    Arguments as the tool's function receives them.

    Attributes:
        arguments: The converted arguments, as JSON; a value that cannot be converted is unchanged.
        refused: JSON pointers to the values that cannot be converted; empty if all can.
        non_finite: JSON pointers to the values that convert to NaN or an infinity.
    """

    arguments: Mapping[str, Any]
    refused: frozenset[str] = frozenset()
    non_finite: tuple[str, ...] = ()

    def admits(self, problem: SchemaProblem) -> bool:
        """Return whether no value at, around or inside the location of *problem* is refused."""
        return not any(_are_nested(problem.where, pointer) for pointer in self.refused)

    def becomes_non_finite(self, problem: SchemaProblem) -> bool:
        """Return whether the value at the location of *problem* converts to NaN or an infinity."""
        return any(_are_nested(problem.where, pointer) for pointer in self.non_finite)

    def find_refused_large_integers(self, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """Return JSON pointers to refused integers that exceed the range of a float."""
        places = (pointer(path) for path, leaf in leaves(arguments) if _exceeds_float(leaf))
        return tuple(
            place
            for place in places
            if any(_are_nested(place, refused) for refused in self.refused)
        )


Convert = Callable[[Mapping[str, Any]], Conversion]
"""Converts arguments as the tool's function receives them; it never raises."""

_NOT_CONVERTIBLE = frozenset({"not_finite", "too_deep", "too_large", "too_complex"})
"""Values that are not JSON numbers, or would take too long to check again."""


_FLOAT_LIMIT = 1 << 1023
"""A float holds every integer below it, and hardly any that is larger."""


def may_become_non_finite(arguments: Mapping[str, Any], *, texts: bool) -> bool:
    """
    Return whether arguments contain a number that may convert to NaN or an infinity.

    Args:
        arguments: The arguments, as JSON.
        texts: Whether to count strings such as ``"inf"`` and ``"1e999"``, too; integers that
            exceed the range of a float always count.
    """
    # Not recursive: a caller's Python values may be nested deeply.
    remaining: list[Any] = [arguments]
    while remaining:
        item = remaining.pop()
        kind = type(item)
        if kind is int:
            if _exceeds_float(item):
                return True
        elif kind is dict:
            remaining += item.values()
        elif kind is list:
            remaining += item
        # A function with a `float` parameter would receive an infinity.
        elif texts and kind is str and _is_non_finite(item):
            return True
    return False


def _exceeds_float(item: Any) -> bool:
    return type(item) is int and not -_FLOAT_LIMIT < item < _FLOAT_LIMIT


def _is_non_finite(text: str) -> bool:
    try:
        return not isfinite(float(text))
    except ValueError:
        return False


def convert(
    plan: ToolPlan, arguments: Mapping[str, Any], problems: tuple[SchemaProblem, ...]
) -> Conversion:
    """
    Convert arguments that have *problems* with the schema of *plan*.

    If the schema was generated from the function's type hints, the function's own conversion
    decides. Any other schema, declared by the policy or by a framework, must accept the converted
    arguments; without a function it must accept the arguments with their slips corrected.
    """
    undecidable = frozenset(
        problem.where for problem in problems if problem.code in _NOT_CONVERTIBLE
    )
    if undecidable or plan.schema is None:
        return Conversion(arguments, undecidable or frozenset({""}))
    if plan.convert is not None:
        # The function's own conversion first: it is what happens if the call runs.
        converted = plan.convert(arguments)
        if plan.schema_of_function or converted.non_finite:
            return converted
        if not converted.refused and not _find_refused_by_both(
            plan, arguments, converted.arguments
        ):
            return converted
    corrected = correct_slips(arguments, problems)
    if corrected is None:
        return Conversion(arguments, frozenset(problem.where for problem in problems))
    return Conversion(corrected, _find_refused(plan, corrected))


def _find_refused_by_both(
    plan: ToolPlan, arguments: Mapping[str, Any], converted: Mapping[str, Any]
) -> frozenset[str]:
    """Return what both the plan's and the description's schema reject of converted arguments."""
    if plan.description is None:
        return _find_refused(plan, converted)
    schema = plan.description
    return _problems(schema, arguments) & _problems(schema, converted)


def _find_refused(plan: ToolPlan, arguments: Mapping[str, Any]) -> frozenset[str]:
    assert plan.schema is not None
    return _problems(plan.schema, arguments)


def _problems(schema: CompiledSchema, arguments: Mapping[str, Any]) -> frozenset[str]:
    try:
        return frozenset(problem.where for problem in schema.problems(arguments))
    # A schema that cannot decide has not accepted: all arguments count as refused.
    except Undecided:
        return frozenset({""})


def _are_nested(one: str, other: str) -> bool:
    # A problem at `/a` concerns everything inside `/a`, and one at `/a/b` also concerns `/a`.
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
