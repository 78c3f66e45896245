"""One rule run on one call, in an empty session, and the constants in its code."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.plan.code_constants import find_constants
from abs_shield.plan.rule_plan import RulePlan, accepts_call
from abs_shield.session import Session

# For rules that do not take the call.
_NO_CALL = ToolCall("")


def rule_words(plan: RulePlan) -> tuple[Any, ...]:
    """Return the constants in a rule's code, and its declared examples."""
    return (*plan.rule.tries, *find_constants(plan.rule.function))


def answer_call(
    plan: RulePlan, tool: str, arguments: Mapping[str, Any], *, flat: bool = False
) -> bool | None:
    """
    Return whether a rule accepts a call in an empty session; None if it gives no answer.

    Args:
        plan: The rule.
        tool: The tool's name.
        arguments: The arguments of the call.
        flat: Whether all arguments that the rule takes are known to be scalars.
    """
    if not plan.runs_on(arguments):
        return None
    # Most rules take neither, and a proof runs them on thousands of calls.
    session = Session() if plan.session else None
    call = ToolCall(tool, dict(arguments)) if plan.call else _NO_CALL
    with suppress(Exception):
        return accepts_call(plan.run(arguments, session, call, flat=flat))
    return None
