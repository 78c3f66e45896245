"""The call whose tool runs in this context, and the values it passes to nested functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from itertools import islice
from typing import TYPE_CHECKING, Any

from abs_shield.core import Decision, Finding
from abs_shield.core.vocabularies import PHANTOM_TARGET
from abs_shield.shield.signature import Binding
from abs_shield.text.json_leaves import leaves, pointer, scalar_text

if TYPE_CHECKING:
    from abs_shield.shield.evaluator import OpenCall
    from abs_shield.shield.tool_registry import Registry

_MOST = 10_000
"""Maximum number of compared values of one call; far more than a model writes."""


class Dispatched:
    """
    A call whose tool is running.

    A framework may offer a decorated function under another name, or with other names of its
    arguments: then the call is judged by the framework's description, and what the function's
    author declared is known only when the function itself is called.

    Attributes:
        opened: The call.
        registry: The tools that the call was judged by.
        stopped: The block of a nested decorated function that was passed values of this call;
            the model reads it as the answer to this call. None without one.
        is_over: Whether the tool has ended; a task that it started may still run.
    """

    __slots__ = ("is_over", "opened", "registry", "stopped")

    def __init__(self, opened: OpenCall, registry: Registry) -> None:
        self.opened = opened
        self.registry = registry
        self.stopped: Decision | None = None
        self.is_over = False

    def passed_values(
        self, arguments: Mapping[str, Any], binding: Binding, registry: Registry
    ) -> frozenset[str]:
        """
        Return the pointers to arguments of a nested function that are values of this call.

        Empty where the tool is another function that the host declared: the values it passes on
        are the host's. A value that was judged under the same declaration and name is left out.

        Args:
            arguments: The arguments of the nested function.
            binding: That function.
            registry: The tools by which it is judged.
        """
        if self.opened.nested or self.opened.decision.blocked:
            return frozenset()
        # `registry`, not this entry's: the call may have been judged by another Shield.
        entry = registry.of(self.opened.session).get(self.opened.call.name)
        declared = None if entry is None else entry.binding
        if declared is not None and not declared.declares_same(binding):
            return frozenset()
        written = {*_values(self.opened.arguments)}
        values = {value for _, value in written}
        # The same Shield has judged these very values under the same names already.
        is_judged = declared is not None and registry is self.registry
        return frozenset(
            place
            for place, value in _values(arguments)
            if value in values and not (is_judged and (place, value) in written)
        )

    def has_finding(self, finding: Finding) -> bool:
        """Return whether the call itself already has this finding, with at least its verdict."""
        return any(
            (one.check, one.code, one.got) == (finding.check, finding.code, finding.got)
            and one.verdict >= finding.verdict
            for one in self.opened.decision.findings
        )


DISPATCHED: ContextVar[Dispatched | None] = ContextVar("abs_shield.dispatched", default=None)
"""The call whose tool runs in this context; None where none does."""


def model_findings(
    findings: Iterable[Finding], places: frozenset[str], dispatched: Dispatched
) -> list[Finding]:
    """Return the findings without phantom targets that the model did not write."""
    return [
        finding
        for finding in findings
        if finding.check != PHANTOM_TARGET
        or (finding.where in places and not dispatched.has_finding(finding))
    ]


def _values(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each scalar with the pointer of a finding about it; numbers by their value."""
    for path, value in islice(leaves(arguments), _MOST):
        text = scalar_text(value)
        if text:
            # JSON does not tell 7 from 7.0.
            yield f"/arguments{pointer(path)}", text.removesuffix(".0")
