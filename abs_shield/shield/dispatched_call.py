"""The call whose tool runs in this context, and its values that reach nested functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from itertools import islice
from typing import TYPE_CHECKING, Any

from abs_shield.core import Decision, Finding, ToolCall
from abs_shield.core.vocabularies import PHANTOM_TARGET
from abs_shield.session.session_context import RUNNING
from abs_shield.session.session_record import record_of
from abs_shield.shield.signature import Binding
from abs_shield.text.json_leaves import leaves, pointer, scalar_text

if TYPE_CHECKING:
    from abs_shield.session import Session
    from abs_shield.shield.open_call import OpenCall
    from abs_shield.shield.tool_registry import Registry

_MOST = 10_000
"""Maximum number of compared values of one call: far more than a model writes."""


class DispatchedCall:
    """
    A call whose tool is running.

    A framework may offer a decorated function under another name, or with other argument names.
    Then the call is judged by the framework's description, and the declarations of the function
    apply only when the function itself is called.

    Attributes:
        opened: The judged call.
        registry: The registry by which the call was judged.
        nested_block: The decision that blocked a nested decorated function because of values of
            this call; the model receives it as the answer to this call. None without one.
        is_over: Whether the tool has ended; a task that it started may still run.
    """

    __slots__ = ("is_over", "nested_block", "opened", "registry")

    def __init__(self, opened: OpenCall, registry: Registry) -> None:
        self.opened = opened
        self.registry = registry
        self.nested_block: Decision | None = None
        self.is_over = False

    def find_passed_values(
        self, arguments: Mapping[str, Any], binding: Binding, registry: Registry
    ) -> frozenset[str]:
        """
        Return the JSON pointers to arguments of a nested function that are values of this call.

        Empty if the tool is a different function that the host declared: the values that it
        passes are the host's. Excludes values that were judged under the same declaration and
        name.

        Args:
            arguments: The arguments of the nested function.
            binding: The nested function.
            registry: The registry by which the nested call is judged.
        """
        if self.opened.nested or self.opened.decision.blocked:
            return frozenset()
        # Looked up in `registry`: the call may have been judged by another Shield.
        entry = registry.of(self.opened.session).get(self.opened.call.name)
        declared = None if entry is None else entry.binding
        if declared is not None and not declared.declares_same_tool(binding):
            return frozenset()
        written = {*_values(self.opened.arguments)}
        values = {value for _, value in written}
        # The same Shield has already judged these values under the same names.
        is_judged = declared is not None and registry is self.registry
        return frozenset(
            place
            for place, value in _values(arguments)
            if value in values and not (is_judged and (place, value) in written)
        )

    def has_finding(self, finding: Finding) -> bool:
        """Return whether the call already has an equal finding with at least the same verdict."""
        return any(
            (one.check, one.code, one.got) == (finding.check, finding.code, finding.got)
            and one.verdict >= finding.verdict
            for one in self.opened.decision.findings
        )


DISPATCHED_CALL: ContextVar[DispatchedCall | None] = ContextVar(
    "abs_shield.dispatched", default=None
)
"""The call whose tool runs in this context; None outside a tool."""


def is_nested(call: ToolCall, session: Session) -> bool:
    """
    Return whether the code of a tool of *session* makes this call; a sub-agent's session differs.
    """
    running = RUNNING.get()
    if running is None or not (running is session or record_of(session).ephemeral):
        return False
    # a task may outlive the tool that started it; there, a call with an id is a model's own
    outer = DISPATCHED_CALL.get()
    return not (call.id and outer is not None and outer.is_over)


def model_findings(
    findings: Iterable[Finding], places: frozenset[str], dispatched: DispatchedCall
) -> list[Finding]:
    """
    Return the findings, except phantom targets in values that the model did not write.

    Args:
        findings: The findings about a nested call.
        places: The JSON pointers to arguments that are values of the enclosing call.
        dispatched: The enclosing call.
    """
    return [
        finding
        for finding in findings
        if finding.check != PHANTOM_TARGET
        or (finding.where in places and not dispatched.has_finding(finding))
    ]


def _values(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the pointer and the text of each scalar; equal numbers have equal texts."""
    for path, value in islice(leaves(arguments), _MOST):
        text = scalar_text(value)
        if text:
            # JSON does not distinguish 7 from 7.0.
            yield f"/arguments{pointer(path)}", text.removesuffix(".0")
