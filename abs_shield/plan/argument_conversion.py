"""What a tool makes of arguments that its schema refuses: those that convert are no invention."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from abs_shield.plan.slips import without_slips
from abs_shield.schema import CompiledSchema, Problem, Undecided
from abs_shield.text.leaves import leaves, pointer

if TYPE_CHECKING:
    from abs_shield.plan.tool_plan import ToolPlan


class Conversion(NamedTuple):
    """
    Arguments as the tool takes them.

    Attributes:
        arguments: They in the form of JSON; a part that does not convert stands as it was written.
        refused: JSON pointers to what does not convert; empty where everything does.
        endless: JSON pointers to what converts to NaN or an infinity.
    """

    arguments: Mapping[str, Any]
    refused: frozenset[str] = frozenset()
    endless: tuple[str, ...] = ()

    def admits(self, problem: Problem) -> bool:
        """Return whether nothing at, around or inside the place of *problem* is refused."""
        return not any(_overlap(problem.where, one) for one in self.refused)

    def is_endless(self, problem: Problem) -> bool:
        """Return whether what stands at the place of *problem* becomes NaN or an infinity."""
        return any(_overlap(problem.where, one) for one in self.endless)

    def refused_integers(self, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """Return JSON pointers to refused integers that no float may hold."""
        places = (pointer(path) for path, leaf in leaves(arguments) if _is_beyond_floats(leaf))
        return tuple(one for one in places if any(_overlap(one, other) for other in self.refused))


Convert = Callable[[Mapping[str, Any]], Conversion]
"""Converts arguments as the function behind a tool gets them; it never raises."""

_NEVER = frozenset({"not_finite", "too_deep", "too_large", "too_complex"})
"""What no JSON number is, and what would take too long to look at again."""


_FLOAT = 1 << 1023
"""A float holds every integer below it, and hardly any that is larger."""


def may_be_endless(arguments: Mapping[str, Any], *, texts: bool) -> bool:
    """
    Whether an integer stands in arguments that no float may hold; looks no further.

    Args:
        arguments: The arguments, in the form of JSON.
        texts: Whether a text counts that is a number, and not a finite one.
    """
    left: list[Any] = [arguments]
    while left:
        item = left.pop()
        kind = type(item)
        if kind is int:
            if _is_beyond_floats(item):
                return True
        elif kind is dict:
            left += item.values()
        elif kind is list:
            left += item
        elif texts and kind is str and _is_endless(item):
            return True
    return False


def _is_beyond_floats(item: Any) -> bool:
    return type(item) is int and not -_FLOAT < item < _FLOAT


def _is_endless(text: str) -> bool:
    try:
        return not isfinite(float(text))
    except ValueError:
        return False


def convert(
    plan: ToolPlan, arguments: Mapping[str, Any], problems: tuple[Problem, ...]
) -> Conversion:
    """
    Convert arguments that have *problems* with the schema of *plan*.

    The types of the function decide, where the schema was made of them. Another schema, which the
    policy or a framework declared, has to accept what they make of the arguments; without a
    function it has to accept them with their slips undone.
    """
    never = frozenset(problem.where for problem in problems if problem.code in _NEVER)
    if never or plan.schema is None:
        return Conversion(arguments, never or frozenset({""}))
    if plan.convert is not None:
        made = plan.convert(arguments)
        if plan.schema_of_function or made.endless:
            return made
        if not made.refused and not _refused_both(plan, arguments, made.arguments):
            return made
    mended = without_slips(arguments, problems)
    if mended is None:
        return Conversion(arguments, frozenset(problem.where for problem in problems))
    return Conversion(mended, _refused(plan, mended))


def _refused_both(
    plan: ToolPlan, arguments: Mapping[str, Any], made: Mapping[str, Any]
) -> frozenset[str]:
    """Return what the plan refuses of converted arguments, where the description refused it."""
    if plan.description is None:
        return _refused(plan, made)
    schema = plan.description
    return _problems(schema, arguments) & _problems(schema, made)


def _refused(plan: ToolPlan, arguments: Mapping[str, Any]) -> frozenset[str]:
    assert plan.schema is not None
    return _problems(plan.schema, arguments)


def _problems(schema: CompiledSchema, arguments: Mapping[str, Any]) -> frozenset[str]:
    try:
        return frozenset(problem.where for problem in schema.problems(arguments))
    except Undecided:
        return frozenset({""})


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
