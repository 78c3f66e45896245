"""Suppressions of known false positives: their findings are recorded but not enforced."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any, Required, TypedDict, Unpack

from pydantic import Field, ValidationInfo, field_validator

from abs_shield.core import Finding
from abs_shield.core.vocabularies import SIGNAL_NAMES
from abs_shield.policy.declaration_base import Declaration
from abs_shield.text.safe_display import escaped, shown

_NAME = "/name"
_ARGUMENTS = "/arguments"
ANYWHERE = "*"
"""A step of a place that matches every position of a list."""


class SuppressionFields(TypedDict, total=False):
    """The arguments of `Suppression`, whose end may also be a text."""

    check: Required[str]
    tool: str | None
    code: str | None
    where: str | None
    reason: Required[str]
    until: datetime | date | str | None


class Suppression(Declaration):
    """
    A suppression of the findings of one check, with a reason and an optional end.

    Attributes:
        check: The layer, or the signal of results, whose findings are suppressed.
        tool: The tool; None for every tool.
        code: The finding's `code`; None for every code.
        where: The finding's `where`, a JSON pointer into the call or the result, in which ``*``
            matches any position of a list; None for every place.
        reason: Why the findings are false positives.
        until: Last day or time at which it applies; None for no end. Naive times are UTC.
    """

    check: str
    tool: str | None = None
    code: str | None = Field(default=None, min_length=1)
    where: str | None = None
    reason: str = Field(min_length=1)
    until: datetime | date | None = None

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[SuppressionFields]) -> None: ...

    @field_validator("where")
    @classmethod
    def _check_where(cls, where: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("check") in SIGNAL_NAMES:
            return _check_result_place(where)
        if where in (None, _NAME, _ARGUMENTS) or str(where).startswith(f"{_ARGUMENTS}/"):
            return where
        hint = escaped(f"{_ARGUMENTS}/{str(where).strip('/')}", limit=80)
        raise ValueError(f"{shown(where)} is not a place in a call; give `{_NAME}` or `{hint}`")

    @field_validator("until", mode="before")
    @classmethod
    def _parse_day(cls, until: Any) -> Any:
        """Parse a text such as ``"2026-01-31"`` as a date, which includes the whole day."""
        # Pydantic would parse it as midnight, and the suppression would end a day early.
        if isinstance(until, str):
            for read in (date.fromisoformat, datetime.fromisoformat):
                with suppress(ValueError):
                    return read(until)
        # Pydantic reads a number as seconds since the epoch.
        if until is None or isinstance(until, (date, int, float)):
            return until
        raise ValueError(f"got {shown(until)}; give a day or a time, such as `2026-12-31`")

    def __str__(self) -> str:
        """Return the check, tool, code and place as one line."""
        text = f"`{escaped(self.check)}`"
        text += f" for `{escaped(self.tool)}`" if self.tool is not None else ""
        text += f", `{escaped(self.code)}`" if self.code is not None else ""
        return text + (f" at `{escaped(self.where, limit=200)}`" if self.where is not None else "")

    @property
    def parameter(self) -> str:
        """The top-level parameter that it applies to; empty for all."""
        if self.check in SIGNAL_NAMES:
            return ""
        step = (self.where or "").removeprefix(_ARGUMENTS).removeprefix("/").partition("/")[0]
        return "" if self.where == _NAME else step.replace("~1", "/").replace("~0", "~")

    @property
    def steps(self) -> list[str]:
        """The unescaped steps of its place in the arguments; empty if it applies to all."""
        if not self.parameter:
            return []
        # Unescaped after the split, because a name may contain a slash.
        steps = str(self.where).removeprefix(f"{_ARGUMENTS}/").split("/")
        return [step.replace("~1", "/").replace("~0", "~") for step in steps]

    def covers(self, other: Suppression) -> bool:
        """
        Return whether it suppresses everything that *other* suppresses, at any time.

        Args:
            other: The suppression to compare with.
        """
        return (
            self.check == other.check
            and self.tool in (None, other.tool)
            and self.code in (None, other.code)
            and (
                self.where is None
                or (other.where is not None and _matches_place(other.where, self.where))
            )
            and _ends_after(self.until, other.until)
        )

    def silences(self, finding: Finding, *, at: float) -> bool:
        """
        Return whether it suppresses *finding*; the tool is not compared.

        Args:
            finding: A finding about a call of the suppression's tool.
            at: The time of the call, in seconds since the epoch.
        """
        return (
            self.check == finding.check
            and self.code in (None, finding.code)
            and (self.where is None or _matches_place(finding.where, self.where))
            and self.holds(at)
        )

    def holds(self, at: float) -> bool:
        """
        Return whether the suppression has not ended yet.

        Args:
            at: The time, in seconds since the epoch.
        """
        if self.until is None:
            return True
        return datetime.fromtimestamp(at, UTC) <= _end_of(self.until)


def _ends_after(until: datetime | date | None, other: datetime | date | None) -> bool:
    """Return whether *until* is not before *other*; None is never."""
    if until is None or other is None:
        return until is None
    return _end_of(until) >= _end_of(other)


def _end_of(until: datetime | date) -> datetime:
    if not isinstance(until, datetime):
        # `time.max`, because the last day is included.
        return datetime.combine(until, time.max, UTC)
    return until if until.tzinfo else until.replace(tzinfo=UTC)


def _check_result_place(where: str | None) -> str | None:
    if where is None or where.startswith("/"):
        return where
    hint = escaped(f"/{where}", limit=80)
    raise ValueError(f"{shown(where)} is not a place in a result; give `{hint}`")


def _matches_place(where: str, place: str) -> bool:
    if ANYWHERE not in place:
        return where == place
    steps, pattern = where.split("/"), place.split("/")
    return len(steps) == len(pattern) and all(map(_matches_step, steps, pattern))


def _matches_step(step: str, pattern: str) -> bool:
    return step == pattern or (pattern == ANYWHERE and is_position(step))


def replace_positions(where: str) -> str:
    """
    Return a place with every list position replaced by ``*``.

    >>> replace_positions("/arguments/lines/0/count")
    '/arguments/lines/*/count'
    """
    return "/".join(ANYWHERE if is_position(step) else step for step in where.split("/"))


def is_position(step: str) -> bool:
    """Return whether a step of a place is a position of a list."""
    # ASCII, because `isdigit` also accepts other digits, such as superscripts.
    return step.isascii() and step.isdigit()
