"""Base class of declarations, with one-line `PolicyError` messages that say file and line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError

from abs_shield.errors import PolicyError
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped, shown

_SKIPPED_PACKAGES = frozenset({"abs_shield", "pydantic"})
_MOST_FRAMES = 100  # a recursion of thousands of frames would be walked for every declaration


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """
    A file and a line; line 0 if only the file is known.

    Any two locations are equal, so that declarations compare by content alone.
    """

    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


def caller_location() -> SourceLocation:
    """Return the location of the nearest caller outside this package."""
    # `sys._getframe`, as `inspect.stack` reads the source of every frame from the disk.
    frame = sys._getframe(1)
    for _ in range(_MOST_FRAMES):
        # pydantic stands between a declaration and the line that makes it.
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] not in _SKIPPED_PACKAGES:
            return SourceLocation(frame.f_code.co_filename, frame.f_lineno)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return SourceLocation()


_QUOTED = re.compile("'([^']+)'")


class Declaration(BaseModel):
    """A frozen declaration; an unknown field raises a `PolicyError`."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    _place: SourceLocation = PrivateAttr(default_factory=caller_location)

    # Own `__init__`, as pydantic's errors take several lines and do not name the nearest field.
    def __init__(self, *unnamed: Any, **fields: Any) -> None:
        what = type(self).__name__.lower()
        if unnamed:
            first = next(iter(type(self).model_fields))
            raise PolicyError(
                f"{what}: got {shown(unnamed[0])} without a name; write `{first}=...`, fields are"
                " given by name"
            )
        require_fields(what, fields, type(self).model_fields)
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise PolicyError(_one_line(what, error)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise PolicyError(
            f"{type(self).__name__.lower()}: `{escaped(name)}` cannot be set, a declaration is"
            " immutable; declare another"
        )

    @property
    def place(self) -> SourceLocation:
        """The file and line of the declaration; ignored by comparisons."""
        return self._place

    def placed(self, place: SourceLocation) -> Self:
        """
        Return a copy that is declared at *place*.

        Args:
            place: The file and the line.
        """
        copy = self.model_copy()
        # Frozen: pydantic itself would refuse to set it.
        object.__setattr__(copy, "__pydantic_private__", {"_place": place})
        return copy


def require_fields(what: str, names: Any, fields: Any) -> None:
    """
    Raise if a field does not exist.

    Raises:
        PolicyError: A field is unknown; the message names the nearest existing one.
    """
    for name in names:
        if name not in fields:
            near = nearest(str(name), fields)
            hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(fields)}"
            raise PolicyError(f"{what}: no field is named `{escaped(str(name))}`; {hint}")


def as_tuple(value: Any, *, where: str) -> tuple[Any, ...]:
    """
    Return a list, a set or another iterable as a tuple; a set in a stable order.

    Raises:
        PolicyError: The value is a single one, such as a string, where a list is expected.
    """
    # A text is iterable, letter by letter: "refund" would be six tools.
    if isinstance(value, (str, bytes, Mapping, BaseModel)) or not isinstance(value, Iterable):
        raise PolicyError(f"{where} is {shown(value)}; give a list")
    # A set has another order in every process, and the order is part of the revision.
    return tuple(sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value)


_CONSTRUCTION_HINTS = {
    "Rule": "decorate the function with `@rule(tool=...)`",
    "Inverse": "use `inverse(first, then, same=...)`",
    "Tool": 'use `Tool(name="...")`',
    "Suppression": 'use `Suppression(check="...", reason="...")`',
    "Limits": "use `Limits(...)`",
    "Target": "use `Target()`",
    "ToolProfile": "use `ToolProfile(...)`",
    "Verification": "use `Verification(...)`, or False",
    "AnswerConfig": "use `AnswerConfig(...)`, or False",
}


def _entry_hint(entry: Any) -> str:
    """Return a hint: the nearest allowed word, or how to construct the expected object."""
    hint = _CONSTRUCTION_HINTS.get(str(entry.get("ctx", {}).get("class_name")))
    if hint is not None:
        return f"; {hint}"
    if entry["type"] not in ("enum", "literal_error") or not isinstance(entry["input"], str):
        return ""
    near = nearest(entry["input"], _QUOTED.findall(entry["ctx"]["expected"]))
    return f", did you mean `{near[0]}`?" if near else ""


def _one_line(what: str, error: ValidationError) -> str:
    """Return pydantic's errors as one line with the place, the value and the expectation."""
    messages = []
    # five show what is wrong; a wrong nested object has dozens
    for entry in error.errors(include_url=False)[:5]:
        # Further steps name pydantic's own alternatives, which nobody wrote.
        where = ".".join(str(part) for part in entry["loc"][:2])
        message = entry["msg"].removeprefix("Value error, ")
        silent = entry["type"] in ("value_error", "missing")
        got = "" if silent else f", got {shown(entry['input'])}"
        hint = _entry_hint(entry)
        messages.append(f"`{where}`: {message}{got}{hint}" if where else message)
    return f"{what}: {'; '.join(dict.fromkeys(messages))}".replace("\n", " ")
