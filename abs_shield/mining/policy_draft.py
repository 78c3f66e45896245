"""
The draft of a mined policy: tools, suggestions with evidence, and faults that are let through.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from abs_shield.policy import Suppression, Tool


class SuggestionKind(StrEnum):
    """The subject of a suggestion."""

    TARGET = "target"
    CREATES = "creates"
    INVERSE = "inverse"
    EFFECT = "effect"
    RANGE = "range"
    ENUM = "enum"


class LetThrough(StrEnum):
    """
    The blocked calls that the written policy lets through in strict mode.

    NONE enforces every fault, WORKED lets through those for which a recorded call worked, ALL lets
    through those that the tool always refused, too.
    """

    NONE = "none"
    WORKED = "worked"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Among:
    """A rule: the value is one of these, most frequent first."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """
    A rule: the number is within these bounds.

    Attributes:
        low: Its least value.
        high: Its greatest value, or None.
        above: Whether *low* itself is excluded.
        mixed: Whether the value may be of a type other than number or null.
    """

    low: float
    high: float | None = None
    above: bool = False
    mixed: bool = False


@dataclass(frozen=True, slots=True)
class Undone:
    """
    A pair: a call of *then* undoes one of the suggestion's tool, on the entity in *parameter*.
    """

    then: str
    parameter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """
    One declaration that a policy may have.

    Attributes:
        tool: The tool; for a pair, the one that is called first.
        parameter: The parameter; empty for the whole tool.
        field: The field of `Tool` that would declare it; empty for rules, pairs and remarks.
        declaration: The declared value: True or False for an effect, else a rule or a pair; None
            if only the parameter's name is needed, and for a remark.
        evidence: The evidence, in one line.
        objection: The reason why it is only a comment; empty if it is declared.
        withdrawn: Whether it was declared at first, and would have blocked recorded calls.
    """

    kind: SuggestionKind
    tool: str
    evidence: str
    parameter: str = ""
    field: str = ""
    declaration: bool | Among | Within | Undone | None = None
    objection: str = ""
    withdrawn: bool = False

    @property
    def is_remark(self) -> bool:
        """True if it proposes nothing, but only reports a fact."""
        return not self.field and self.declaration is None

    @property
    def declared(self) -> bool:
        """True if the module declares it."""
        return not self.objection and not self.is_remark


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """
    A fault of recorded calls that strict mode blocks and a policy could let through.

    Attributes:
        check: The layer.
        tool: The tool, or an unknown tool name.
        code: The kind of fault; empty for an internal error.
        where: Its location in the call, ``*`` for a position of a list; None for every location.
        calls: Number of recorded calls with the fault.
        refused: Number of these that the tool refused.
        worked: Number of these that worked; the others have no result.
        error: The internal error, or empty. No suppression silences it, so the layer is set to
            audit for that tool.
    """

    check: str
    tool: str
    code: str = ""
    where: str | None = None
    calls: int
    refused: int = 0
    worked: int = 0
    error: str = ""

    @property
    def is_refused(self) -> bool:
        """Return whether the tool itself refused every one of these calls."""
        return self.refused == self.calls

    @property
    def count(self) -> str:
        """The number of calls, as a text."""
        return f"{self.calls:,} recorded {'call' if self.calls == 1 else 'calls'}"

    @property
    def reason(self) -> str:
        """The number of calls, and of those that the tool refused, as a text."""
        if self.error:
            return f"{self.count}: {self.error}"
        refused = f"; the tool rejected {self.refused:,} of them" if self.refused else ""
        return f"{self.count}{refused}"

    @property
    def share(self) -> str:
        """The number of its calls that worked, as a text."""
        noun = "call" if self.calls == 1 else "calls"
        count = f"{self.worked:,} of {self.calls:,} covered {noun} worked"
        without_result = self.calls - self.worked - self.refused
        return f"{count}, {without_result:,} without a result" if without_result else count

    @property
    def suppression(self) -> Suppression:
        """The policy entry that lets it through."""
        return Suppression(
            check=self.check,
            tool=self.tool,
            code=self.code or None,
            where=self.where,
            reason=self.reason,
        )

    def __str__(self) -> str:
        """Return a description without the number of calls."""
        return f"{self.suppression}, in audit" if self.error else str(self.suppression)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """
    A policy before it is rendered.

    Attributes:
        tools: The tools, sorted by name, with their schemas as written.
        suggestions: All of them, declared or not.
        passes: Faults of recorded calls that strict mode blocks, let through or not.
        remarks: Further remarks by tool.
        let_through: The faults that the written policy lets through.
    """

    tools: tuple[Tool, ...]
    suggestions: tuple[Suggestion, ...] = ()
    passes: tuple[Pass, ...] = ()
    remarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    let_through: LetThrough = LetThrough.NONE

    @property
    def active(self) -> list[Pass]:
        """
        The faults that the written policy lets through.

        A failing layer is always let through: the failure is not a fault of the call.
        """
        return [each for each in self.passes if self._is_active(each)]

    @property
    def proposed(self) -> list[Pass]:
        """The enforced faults for which the tool did not refuse every call."""
        return [p for p in self.passes if not (p.is_refused or self._is_active(p))]

    @property
    def enforced(self) -> list[Pass]:
        """The enforced faults for which the tool refused every call."""
        return [p for p in self.passes if p.is_refused and not self._is_active(p)]

    def _is_active(self, each: Pass) -> bool:
        # a failing layer is no fault of the call
        if each.error or self.let_through is LetThrough.ALL:
            return True
        return self.let_through is LetThrough.WORKED and each.worked > 0

    def decides_as(self, other: Draft) -> bool:
        """Return whether both policies make the same decisions, and differ only in comments."""
        declared = [[s for s in draft.suggestions if s.declared] for draft in (self, other)]
        return declared[0] == declared[1] and self.active == other.active

    def without(self, withdrawn: Mapping[Suggestion, str]) -> Draft:
        """Return the draft with some suggestions withdrawn to comments, with the reasons."""
        suggestions = (
            replace(each, objection=withdrawn[each], withdrawn=True) if each in withdrawn else each
            for each in self.suggestions
        )  # fmt: skip
        return replace(self, suggestions=tuple(suggestions))

    @property
    def withdrawn(self) -> list[Suggestion]:
        """Suggestions that were declared at first, and would have blocked recorded calls."""
        return [each for each in self.suggestions if each.withdrawn]

    def of(self, tool: str, kind: SuggestionKind | None = None) -> list[Suggestion]:
        """Return the suggestions for one tool."""
        return [s for s in self.suggestions if s.tool == tool and kind in (None, s.kind)]

    @property
    def unmarked(self) -> int:
        """The number of parameters that are targets without a mark."""
        return sum(s.kind is SuggestionKind.TARGET and s.is_remark for s in self.suggestions)

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the numbers of declared and commented suggestions by kind."""
        counts = {kind.value: {"declared": 0, "commented": 0} for kind in SuggestionKind}
        for each in self.suggestions:
            if not each.is_remark:
                counts[each.kind]["declared" if each.declared else "commented"] += 1
        return counts
