"""What was mined: tools, what is suggested of them with its evidence, and what is let through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from abs_shield.policy import Suppression, Tool


class Kind(StrEnum):
    """What a suggestion is about."""

    TARGET = "target"
    CREATES = "creates"
    INVERSE = "inverse"
    EFFECT = "effect"
    RANGE = "range"
    ENUM = "enum"


@dataclass(frozen=True, slots=True)
class Among:
    """A rule: the value is one of these, the most frequent first."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """
    A rule: the number lies between these, both included.

    Attributes:
        mixed: Whether the value may be something else than a number or null.
    """

    low: float
    high: float
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

    kind: Kind
    tool: str
    evidence: str
    parameter: str = ""
    field: str = ""
    says: bool | Among | Within | Undone | None = None
    why_not: str = ""
    withdrawn: bool = False

    @property
    def is_remark(self) -> bool:
        """Whether it proposes nothing, and only says what is known."""
        return not self.field and self.says is None

    @property
    def declared(self) -> bool:
        """Whether the module declares it."""
        return not self.why_not and not self.is_remark


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """
    What recorded calls did and the policy lets through.

    Attributes:
        check: The layer.
        tool: The tool, or the name that no tool has.
        code: The kind of fault; empty for our own error.
        where: Its place in the call, ``*`` for a position of a list; None for every place.
        calls: How many recorded calls did it.
        refused: How many of these the tool refused when it was called.
        error: Our own error, which no suppression silences: then the layer is put into audit for
            that tool. Empty where it is none.
    """

    check: str
    tool: str
    code: str = ""
    where: str | None = None
    calls: int
    refused: int = 0
    error: str = ""

    @property
    def reason(self) -> str:
        """How often it was."""
        said = f"{self.calls:,} recorded {'call' if self.calls == 1 else 'calls'}"
        if self.error:
            return f"{said}: {self.error}"
        return f"{said}, of which the tool refused {self.refused:,}" if self.refused else said

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
        """Say what is let through, without how often it was."""
        return f"{self.suppression}, in audit" if self.error else str(self.suppression)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """
    A policy before it is written down.

    Attributes:
        tools: Sorted by name; their schemas as they are written.
        suggestions: All of them, declared or not.
        passes: What is let through, because recorded calls did it.
        remarks: Tool to what is to be said of it besides.
    """

    tools: tuple[Tool, ...]
    suggestions: tuple[Suggestion, ...] = ()
    passes: tuple[Pass, ...] = ()
    remarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def without(self, gone: Mapping[Suggestion, str]) -> Draft:
        """Give the draft with some suggestions as comments, each for its reason."""
        kept = (
            replace(each, why_not=gone[each], withdrawn=True) if each in gone else each
            for each in self.suggestions
        )  # fmt: skip
        return replace(self, suggestions=tuple(kept))

    @property
    def withdrawn(self) -> list[Suggestion]:
        """Those that were declared first, and would have blocked recorded calls."""
        return [each for each in self.suggestions if each.withdrawn]

    def of(self, tool: str, kind: Kind | None = None) -> list[Suggestion]:
        """Give what is suggested of one tool."""
        return [s for s in self.suggestions if s.tool == tool and kind in (None, s.kind)]

    @property
    def unmarked(self) -> int:
        """How many parameters are targets without a mark."""
        return sum(s.kind is Kind.TARGET and s.is_remark for s in self.suggestions)

    def counts(self) -> dict[str, dict[str, int]]:
        """Give how many suggestions of each kind are declared, and how many are comments."""
        made = {kind.value: {"declared": 0, "commented": 0} for kind in Kind}
        for each in self.suggestions:
            if not each.is_remark:
                made[each.kind]["declared" if each.declared else "commented"] += 1
        return made
