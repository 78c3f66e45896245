"""Base class of declarations, which raises a one-line `PolicyError` for invalid fields."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, PrivateAttr, ValidationError
from pydantic_core import PydanticCustomError

from abs_shield.core.declared_fields import require_fields, require_keywords
from abs_shield.errors import PolicyError
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped, shown

_SKIPPED_PACKAGES = frozenset({"abs_shield", "pydantic"})
_MOST_FRAMES = 100  # in a deep recursion, walking all frames for each declaration is too slow


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
    # `sys._getframe`, because `inspect.stack` reads the source of each frame from the disk.
    frame = sys._getframe(1)
    for _ in range(_MOST_FRAMES):
        # Frames of pydantic lie between the declaration and its caller.
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

    # A user who passes a mapping has never seen the name of the class.
    _label: ClassVar[str] = ""
    """The field of the policy, for messages; empty for the name of the class."""

    _place: SourceLocation = PrivateAttr(default_factory=caller_location)

    # Overridden, because pydantic's errors have several lines and do not name the nearest field.
    def __init__(self, *unnamed: Any, **fields: Any) -> None:
        what = self._label or type(self).__name__.lower()
        require_keywords(what, unnamed, type(self).model_fields)
        require_fields(what, fields, type(self).model_fields)
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise PolicyError(_format_errors(what, error)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        what = self._label or type(self).__name__.lower()
        raise PolicyError(
            f"{what}: `{escaped(name)}` cannot be set, because a declaration is immutable; declare"
            " another one"
        )

    @property
    def place(self) -> SourceLocation:
        """The file and line of the declaration; ignored by comparisons."""
        return self._place

    def placed(self, place: SourceLocation) -> Self:
        """
        Return a copy with another place of declaration.

        Args:
            place: The file and line of the declaration.
        """
        copy = self.model_copy()
        # `object.__setattr__`, because the model is frozen.
        object.__setattr__(copy, "__pydantic_private__", {"_place": place})
        return copy


def as_tuple(value: Any, *, where: str) -> tuple[Any, ...]:
    """
    Return a list, a set or another iterable as a tuple; a set in a stable order.

    Raises:
        PolicyError: The value is not a list, but e.g. a string or a mapping.
    """
    # A string is iterable by letters: "refund" would be six tools.
    if isinstance(value, (str, bytes, Mapping, BaseModel)) or not isinstance(value, Iterable):
        raise PolicyError(f"{where} is {shown(value)}; give a list")
    # The order of a set differs in each process, but is part of the policy's revision.
    return tuple(sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value)


def _require_number(value: Any) -> Any:
    # Pydantic reads true as 1 and "0.8" as 0.8, but both are mistakes in a policy.
    if isinstance(value, (bool, str, bytes)):
        raise PydanticCustomError("number_type", "Input should be a valid number")
    return value


Float = Annotated[float, BeforeValidator(_require_number)]
"""A number that is neither a bool nor a text."""
Int = Annotated[int, BeforeValidator(_require_number)]
"""An integer that is neither a bool nor a text."""


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
    """Return a hint: the nearest allowed value, or how to construct the expected object."""
    hint = _CONSTRUCTION_HINTS.get(str(entry.get("ctx", {}).get("class_name")))
    if hint is not None:
        return f"; {hint}"
    if entry["type"] not in ("enum", "literal_error") or not isinstance(entry["input"], str):
        return ""
    near = nearest(entry["input"], _QUOTED.findall(entry["ctx"]["expected"]))
    return f", did you mean `{near[0]}`?" if near else ""


def _format_errors(what: str, error: ValidationError) -> str:
    """Return pydantic's errors as one line with the field, the value and the expected value."""
    messages = []
    # at most five, because a wrong nested object has dozens
    for entry in error.errors(include_url=False)[:5]:
        # Further steps name pydantic's internal alternatives.
        where = ".".join(str(part) for part in entry["loc"][:2])
        message = entry["msg"].removeprefix("Value error, ")
        silent, hint = entry["type"] in ("value_error", "missing"), _entry_hint(entry)
        if entry["type"] == "tuple_type":
            message, hint = f"got {shown(entry['input'])}", "; give a list"
            silent = True
        got = "" if silent else f", got {shown(entry['input'])}"
        messages.append(f"`{where}`: {message}{got}{hint}" if where else message)
    return f"{what}: {'; '.join(dict.fromkeys(messages))}".replace("\n", " ")
