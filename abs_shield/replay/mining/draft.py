"""What was mined: tools, what is suggested of them with its evidence, and what is let through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from abs_shield.policy import Suppression, Tool


class SuggestionKind(StrEnum):
    """What a suggestion is about."""

    TARGET = "target"
    CREATES = "creates"
    INVERSE = "inverse"
    EFFECT = "effect"
    RANGE = "range"
    ENUM = "enum"


class LetThrough(StrEnum):
    """
    Which blocked calls a written policy lets through in strict mode.

    NONE enforces every fault, WORKED lets through those of which a recorded call worked, ALL lets
    through what the tool refused every time as well.
    """

    NONE = "none"
    WORKED = "worked"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Among:
    """A rule: the value is one of these, the most frequent first."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """
    A rule: the number lies within these.

    Attributes:
        low: Its least value.
        high: Its greatest value; None where there is none.
        above: Whether it has to be above *low*, and not just at it.
        mixed: Whether the value may be something else than a number or null.
    """

    low: float
    high: float | None = None
    above: bool = False
    mixed: bool = False


@dataclass(frozen=True, slots=True)
class Undone:
    """A pair: a call of *then* undoes one of the suggestion's tool; what it calls the entity."""

    then: str
    parameter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """
    One thing that a policy may declare.

    Attributes:
        tool: The tool it is about; of a pair, the one that is called first.
        parameter: The parameter it is about; empty for the whole tool.
        field: The field of `Tool` that would say it; empty for rules, pairs and mere remarks.
        says: What it would say: True or False of an effect, else a rule or a pair; None for
            what needs only the parameter's name, and for a remark.
        evidence: Why, in one line.
        why_not: Why it is written as a comment; empty where it is declared.
        withdrawn: Whether it was declared first, and would have blocked recorded calls.
    """

    kind: SuggestionKind
    tool: str
    evidence: str
    parameter: str = ""
    field: str = ""
    says: bool | Among | Within | Undone | None = None
    why_not: str = ""
    withdrawn: bool = False

    @property
    def is_remark(self) -> bool:
        """True if it proposes nothing, and only says what is known."""
        return not self.field and self.says is None

    @property
    def declared(self) -> bool:
        """True if the module declares it."""
        return not self.why_not and not self.is_remark


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """
    A fault of recorded calls that strict blocks and that a policy could let through.

    Attributes:
        check: The layer.
        tool: The tool, or the name that no tool has.
        code: The kind of fault; empty for an internal error.
        where: Its place in the call, ``*`` for a position of a list; None for every place.
        calls: How many recorded calls have it.
        refused: How many of these the tool refused when it was called.
        worked: How many of these the tool answered without a failure; the others have no result.
        error: The internal error, which no suppression silences: then the layer is put into audit
            for that tool. Empty where it is none.
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
        """How many calls there are."""
        return f"{self.calls:,} recorded {'call' if self.calls == 1 else 'calls'}"

    @property
    def reason(self) -> str:
        """How many calls there are, and how many of them the tool refused."""
        if self.error:
            return f"{self.count}: {self.error}"
        refused = f", of which the tool refused {self.refused:,}" if self.refused else ""
        return f"{self.count}{refused}"

    @property
    def share(self) -> str:
        """How many of its calls worked."""
        noun = "call" if self.calls == 1 else "calls"
        count = f"{self.worked:,} of {self.calls:,} {noun} that it covers worked"
        unknown = self.calls - self.worked - self.refused
        return f"{count}, {unknown:,} without a result" if unknown else count

    @property
    def suppression(self) -> Suppression:
        """The entry that lets it through."""
        return Suppression(
            check=self.check,
            tool=self.tool,
            code=self.code or None,
            where=self.where,
            reason=self.reason,
        )

    def __str__(self) -> str:
        """Say what it is, without how often it was."""
        return f"{self.suppression}, in audit" if self.error else str(self.suppression)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """
    A policy before it is written down.

    Attributes:
        tools: Sorted by name; their schemas as they are written.
        suggestions: All of them, declared or not.
        passes: Faults of recorded calls that strict blocks, whether let through or not.
        remarks: Tool to what is to be said of it besides.
        let_through: Which of the faults the written policy lets through.
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

        A layer that fails is always among them: the failure is none of the call's.
        """
        return [each for each in self.passes if self._is_active(each)]

    @property
    def proposed(self) -> list[Pass]:
        """The faults that strict blocks although the tool did not refuse every call."""
        return [p for p in self.passes if not (p.is_refused or self._is_active(p))]

    @property
    def enforced(self) -> list[Pass]:
        """The faults that strict blocks, and of which the tool refused every call itself."""
        return [p for p in self.passes if p.is_refused and not self._is_active(p)]

    def _is_active(self, each: Pass) -> bool:
        if each.error or self.let_through is LetThrough.ALL:
            return True
        return self.let_through is LetThrough.WORKED and each.worked > 0

    def decides_as(self, other: Draft) -> bool:
        """Return whether the policies of both decide alike: they differ in comments alone."""
        declared = [[s for s in draft.suggestions if s.declared] for draft in (self, other)]
        return declared[0] == declared[1] and self.active == other.active

    def without(self, gone: Mapping[Suggestion, str]) -> Draft:
        """Return the draft with some suggestions as comments, each for its reason."""
        kept = (
            replace(each, why_not=gone[each], withdrawn=True) if each in gone else each
            for each in self.suggestions
        )  # fmt: skip
        return replace(self, suggestions=tuple(kept))

    @property
    def withdrawn(self) -> list[Suggestion]:
        """Those that were declared first, and would have blocked recorded calls."""
        return [each for each in self.suggestions if each.withdrawn]

    def of(self, tool: str, kind: SuggestionKind | None = None) -> list[Suggestion]:
        """Return what is suggested of one tool."""
        return [s for s in self.suggestions if s.tool == tool and kind in (None, s.kind)]

    @property
    def unmarked(self) -> int:
        """How many parameters are targets without a mark."""
        return sum(s.kind is SuggestionKind.TARGET and s.is_remark for s in self.suggestions)

    def counts(self) -> dict[str, dict[str, int]]:
        """Return how many suggestions of each kind are declared, and how many are comments."""
        made = {kind.value: {"declared": 0, "commented": 0} for kind in SuggestionKind}
        for each in self.suggestions:
            if not each.is_remark:
                made[each.kind]["declared" if each.declared else "commented"] += 1
        return made
