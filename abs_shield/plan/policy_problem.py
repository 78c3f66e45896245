"""Problems of a policy, and the proof, which is the list of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Self

from abs_shield.errors import PolicyError
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.text.safe_display import escaped, quantity

_MAX_LENGTH = 600  # a path and a message fit on one line; a schema may quote any text


class Severity(StrEnum):
    """Severity of a problem in a policy, from mild to grave."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


CODES: Mapping[str, Severity] = MappingProxyType(
    {
        "not_declared": Severity.ERROR,
        "unknown_tool": Severity.ERROR,
        "unknown_layer": Severity.ERROR,
        "unknown_parameter": Severity.ERROR,
        "invalid_schema": Severity.ERROR,
        "no_tools": Severity.WARNING,
        "unsatisfiable_schema": Severity.WARNING,
        "rule_rejects_nothing": Severity.WARNING,
        "rule_rejects_everything": Severity.WARNING,
        "rule_never_runs": Severity.WARNING,
        "rule_raises": Severity.WARNING,
        "rule_answers_wrongly": Severity.WARNING,
        "rule_contradicts_sentence": Severity.WARNING,
        "rules_exclude_each_other": Severity.WARNING,
        "rule_is_covered": Severity.WARNING,
        "inverse_never_meets": Severity.WARNING,
        "idle_layer": Severity.WARNING,
        "muted_layer": Severity.WARNING,
        "not_judged": Severity.WARNING,
        "allow_matches_nothing": Severity.WARNING,
        "allow_raises": Severity.WARNING,
        "allow_is_covered": Severity.WARNING,
        "expired_suppression": Severity.WARNING,
        "idle_suppression": Severity.WARNING,
        "covered_suppression": Severity.WARNING,
        "idle_mode": Severity.WARNING,
        "idle_default_layer": Severity.NOTE,
        "not_sampled": Severity.NOTE,
        "sentence_not_compared": Severity.NOTE,
        "depends_on_session": Severity.NOTE,
        "depends_on_logprobs": Severity.NOTE,
    }
)
"""Every code of a problem, with its severity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """
    One problem of a policy, or something that could not be determined about it.

    Attributes:
        severity: ``error``, ``warning`` or ``note``.
        code: Stable name of the kind of problem, such as ``unknown_tool``.
        message: What is wrong, on one line; text from other sources is escaped.
        hint: How to fix it, with the nearest valid name; may be empty.
        file: File of the declaration; empty if unknown.
        line: Line of the declaration, from 1; 0 if only the file is known.
        subject: The part of the policy that has the problem, such as ``rule refund_is_small``.
    """

    severity: Severity
    code: str
    message: str
    hint: str
    file: str
    line: int
    subject: str

    def __str__(self) -> str:
        message = f"{self.severity}: {self.message}" + (f"; {self.hint}" if self.hint else "")
        return f"{self.place}: {message}" if self.file else message

    @property
    def place(self) -> str:
        """The file and line, escaped."""
        return escaped(str(SourceLocation(self.file, self.line)), limit=_MAX_LENGTH)

    def to_dict(self) -> dict[str, Any]:
        """Return the problem as JSON-able data."""
        return {name: getattr(self, name) for name in self.__slots__}


def problem(
    code: str, message: str, *, subject: str, place: SourceLocation, hint: str = ""
) -> Problem:
    """Return a problem with one of the `CODES`, which determines its severity."""
    return Problem(
        severity=CODES[code],
        code=code,
        message=message,
        hint=hint,
        file=place.file,
        line=place.line,
        subject=escaped(subject, limit=_MAX_LENGTH),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """
    The result of comparing a policy with its tools; true if it has no errors.

    Attributes:
        problems: Errors, then warnings, each in the order of the checks.
        notes: Questions that the proof could not answer.
        tools: Number of tools.
        rules: Number of rules that the policy declares.
        samples: Number of sampled calls that the rules were run on.
    """

    problems: tuple[Problem, ...]
    notes: tuple[Problem, ...] = ()
    tools: int = 0
    rules: int = 0
    samples: int = 0

    @property
    def errors(self) -> tuple[Problem, ...]:
        """Problems that make a part of the policy ineffective."""
        return tuple(p for p in self.problems if p.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Problems that are probably mistakes."""
        return tuple(p for p in self.problems if p.severity is Severity.WARNING)

    @property
    def ok(self) -> bool:
        """True if there are no errors."""
        return not self.errors

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join((*map(str, self.problems), self.summary))

    @property
    def summary(self) -> str:
        """One line with the numbers of rules, tools, sampled calls, errors and warnings."""
        return (
            f"{'proved' if self.ok else 'not proved'}: {quantity(self.rules, 'rule')}, "
            f"{quantity(self.tools, 'tool')}, {quantity(self.samples, 'sampled call')}; "
            f"{quantity(len(self.errors), 'error')}, {quantity(len(self.warnings), 'warning')}"
        )

    def require(self, *, warnings: bool = False) -> Self:
        """
        Return the proof if it has no errors.

        Args:
            warnings: Whether warnings count as errors.

        Raises:
            PolicyError: There are errors; the message lists each on a line of its own.
        """
        bad = self.problems if warnings else self.errors
        if bad:
            raise PolicyError("\n".join(("the policy is not proved", *map(str, bad))))
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as JSON-able data."""
        return {
            "ok": self.ok,
            "tools": self.tools,
            "rules": self.rules,
            "samples": self.samples,
            "errors": len(self.errors),
            "warnings": len(self.warnings),
            "problems": [each.to_dict() for each in self.problems],
            "notes": [each.to_dict() for each in self.notes],
        }
