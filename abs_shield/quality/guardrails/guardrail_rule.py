"""Guardrails: rules that outputs of a domain must satisfy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from abs_shield.errors import PolicyError
from abs_shield.quality.quality_types import OutputFinding
from abs_shield.quality.reading import Reading
from abs_shield.text.safe_display import shown

Place = tuple[int, int]
"""Offset of the first character of a claim, and the offset after its last one."""
Check = Callable[[Reading], Iterable[Place | OutputFinding]]
_LONGEST_CLAIM = 300  # a sentence or two: enough for an agent to find the place


@dataclass(frozen=True, slots=True, kw_only=True)
class Guardrail:
    """
    A rule of one domain.

    Attributes:
        id: Its name in findings and messages.
        task_type: The domain: the rule applies to outputs whose `task_type` includes it.
        requirement: The requirement on a claim.
        action: The instruction for the agent.
        check: Yields the place of each claim that violates the rule, or a complete finding.
    """

    id: str
    task_type: str
    requirement: str
    action: str
    check: Check

    def violations(self, reading: Reading) -> Iterator[OutputFinding]:
        """Yield a finding for each claim of an output that violates the rule."""
        for one in self.check(reading):
            yield one if isinstance(one, OutputFinding) else self._violation(reading.text, *one)

    def _violation(self, text: str, start: int, end: int) -> OutputFinding:
        return OutputFinding(
            code=self.id,
            start=start,
            end=end,
            detail=f"violates {self.id}: {self.requirement}",
            claim=text[start : min(end, start + _LONGEST_CLAIM)],
            requirement=self.requirement,
            remedy=self.action,
        )


def guardrail(
    *, id: str, task_type: str, requirement: str, action: str
) -> Callable[[Check], Guardrail]:
    """
    Declare a function as a guardrail.

    Args:
        id: Its name in findings and messages.
        task_type: The domain for which it applies, such as `financial`.
        requirement: The requirement on a claim.
        action: The instruction for the agent.

    Returns:
        A decorator of a function that takes a `Reading`, whose `text` is the output, and yields
        `(start, end)` of each claim that violates the rule, or an `OutputFinding`.

    Raises:
        PolicyError: A text is empty.

    >>> import re
    >>> from abs_shield.quality.reading import read_text
    >>> @guardrail(id="NO_GUARANTEE", task_type="financial", requirement="Returns are not promised",
    ...            action="Remove the promise")
    ... def no_guarantee(reading):
    ...     return (one.span() for one in re.finditer("guaranteed", reading.text))
    >>> [one.claim for one in no_guarantee.violations(read_text("A guaranteed profit."))]
    ['guaranteed']
    """
    for name, value in {
        "id": id, "task_type": task_type, "requirement": requirement, "action": action,
    }.items():  # fmt: skip
        if not isinstance(value, str) or not value.strip():
            raise PolicyError(f"`{name}` of a guardrail is {shown(value)}; it must be a text")

    def declare(check: Check) -> Guardrail:
        return Guardrail(
            id=id, task_type=task_type, requirement=requirement, action=action, check=check
        )

    return declare
