"""Guardrails: rules that outputs of a domain must satisfy, and the claims that they read."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from abs_shield.errors import PolicyError
from abs_shield.quality.marked_sentences import Reading, Sentence
from abs_shield.quality.quality_types import OutputFinding
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
    >>> from abs_shield.quality.marked_sentences import read_text
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


_QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab][^\"\u201c\u201d\u201e\u00ab\u00bb\n]{3,600}[\"\u201d\u00bb]"
)
_NOTE = re.compile(r"\[(\w{1,3})\]|(?<=\w|[.%)])([*\u2020\u2021\u00b9\u00b2\u00b3]{1,3})(?!\w)")
_NOTE_LINE = re.compile(
    r"^[^\S\n]*(?:\[(\w{1,3})\]:?|([*\u2020\u2021\u00b9\u00b2\u00b3]{1,3}))[^\S\n]+(\S.*)$", re.M
)


class ClaimScope:
    """
    The claims of one output, each with its context.

    >>> from abs_shield.quality.marked_sentences import read_text
    >>> scope = ClaimScope(read_text("Sales rose 8%.[1]\\n\\n[1] 800 bps over 2023."))
    >>> ["bps" in scope.context_of(claim) for claim in scope.claims()]
    [True]
    """

    def __init__(self, reading: Reading) -> None:
        self._text, self._sentences = reading.text, reading.sentences
        self._starts = [one.start for one in reading.sentences]
        notes = [*_NOTE_LINE.finditer(reading.text)]
        self._notes = {one[1] or one[2]: one[3] for one in notes}
        quoted = [one.span() for one in _QUOTED.finditer(reading.text)]
        self._others = sorted([*quoted, *(one.span() for one in notes)])
        # the furthest end so far, because quotations may contain others
        self._ends = [*accumulate((end for _, end in self._others), max)]

    def claims(self) -> Iterator[Sentence]:
        """Yield the sentences that assert something, without quotations and footnotes."""
        for sentence in self._sentences:
            before = bisect_left(self._others, (sentence.end, 0))
            overlaps = before > 0 and self._ends[before - 1] > sentence.start
            if sentence.asserts and not overlaps:
                yield sentence

    def context_of(self, sentence: Sentence) -> str:
        """Return a sentence with the next one of its line, and with its footnotes."""
        text, end = self._text, sentence.end
        n = bisect_left(self._starts, end)
        following = ""
        if n < len(self._sentences) and "\n" not in text[end : self._starts[n]]:
            following = text[self._starts[n] : self._sentences[n].end]
        # a mark of a footnote may follow the full stop
        noted = text[sentence.start : end + 6].split("\n")[0]
        cited = {one[1] or one[2] for one in _NOTE.finditer(noted)}
        notes = [self._notes.get(mark, "") for mark in sorted(cited)]
        return " ".join((text[sentence.start : end], following, *notes))
