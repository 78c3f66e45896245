"""The expected shape and latency of a tool's results, as declared by its author."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypedDict, Unpack

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from abs_shield.policy.declaration_base import Declaration, Float, Int

# The defaults of the engine: a network call takes at least 2 ms, and rarely a minute.
UNPROFILED_MS = (2.0, 60_000.0)
"""The expected range of latencies of a tool without a profile, in milliseconds."""

_REGEX_CHARACTERS = frozenset(r".^$*+?{}[]\|()")
"""Characters with a special meaning in a regular expression."""


def _check_range(latency_ms: tuple[float, float]) -> tuple[float, float]:
    low, high = latency_ms
    if not (isfinite(low) and isfinite(high) and 0 <= low <= high):
        raise ValueError(f"({low}, {high}) is not a range; give (minimum, maximum) in milliseconds")
    return latency_ms


def _compile(pattern: str) -> Any:
    import regex  # imported lazily: it takes 15 ms

    try:
        # `regex`, because `re` has no timeout.
        return regex.compile(pattern, regex.VERSION0)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"`{pattern}` is not a regular expression: {error}") from None


def _search_function(pattern: str) -> Callable[..., Any]:
    """Return a search function of a text and a timeout in seconds."""
    # A plain text, as most patterns are, is searched in linear time, and needs no timeout.
    if _REGEX_CHARACTERS.isdisjoint(pattern):
        return lambda text, timeout: pattern in text
    search: Callable[..., Any] = _compile(pattern).search
    return search


def _check_pattern(pattern: str) -> str:
    _compile(pattern)
    return pattern


_Names = Annotated[Sequence[str], AfterValidator(tuple)]
_Pattern = Annotated[str, AfterValidator(_check_pattern)]


class ProfileFields(TypedDict, total=False):
    """The fields of a `ToolProfile`, for functions that accept them as keywords."""

    expected_latency_ms: Sequence[float]
    required_fields: Sequence[str]
    forbidden_fields: Sequence[str]
    response_patterns: Sequence[str]
    min_response_length: int | None
    max_response_length: int | None
    has_network_io: bool
    nullable_fields: Sequence[str]
    ignored_fields: Sequence[str]


class ToolProfile(Declaration):
    """
    The expected results of a tool; set it with `Tool(profile=...)`.

    Latency is judged only if *expected_latency_ms* or ``has_network_io=True`` is set.

    Attributes:
        expected_latency_ms: Minimum and maximum plausible duration of a call, in milliseconds.
        required_fields: Members that every real result has, by name or JSON pointer. A member
            that is null, or of another JSON type than in all earlier results, counts as missing.
        forbidden_fields: Members that no real result has.
        response_patterns: Regular expressions, at least one of them matches in the JSON of a real
            result.
        min_response_length: Minimum length of a result's JSON, in characters; None for no limit.
        max_response_length: Maximum length of a result's JSON, in characters; None for no limit.
        has_network_io: Whether the tool waits for a network, so that no call returns within 2 ms.
        nullable_fields: Required fields that may be null.
        ignored_fields: Fields whose numbers are never compared, like those of ids.

    >>> ToolProfile(expected_latency_ms=(100, 5000), required_fields=["temperature"]).judges_latency
    True
    """

    model_config = ConfigDict(ignored_types=(cached_property,))
    _label: ClassVar[str] = "profile"

    # The default of the engine; judged only if the author sets it.
    expected_latency_ms: Annotated[tuple[Float, Float], AfterValidator(_check_range)] = (
        50.0,
        30_000.0,
    )
    required_fields: _Names = ()
    forbidden_fields: _Names = ()
    response_patterns: Annotated[Sequence[_Pattern], AfterValidator(tuple)] = ()
    min_response_length: Annotated[Int, Field(ge=0)] | None = None
    max_response_length: Annotated[Int, Field(ge=0)] | None = None
    has_network_io: bool = True
    nullable_fields: _Names = ()
    ignored_fields: _Names = ()

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[ProfileFields]) -> None: ...

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        least, most = self.min_response_length, self.max_response_length
        if least is not None and most is not None and least > most:
            raise ValueError(f"`min_response_length` {least} is above `max_response_length` {most}")
        for name in self.required_fields:
            if name in self.forbidden_fields:
                raise ValueError(f"`{name}` is both required and forbidden")
        return self

    @cached_property
    def judges_latency(self) -> bool:
        """True if the author declared the duration of a call."""
        # Only explicit fields: the default of `has_network_io` may be wrong for a local function.
        declared = self.model_fields_set
        waits = "has_network_io" in declared and self.has_network_io
        return waits or "expected_latency_ms" in declared

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all declared fields, with each step of a pointer as one name."""
        fields = [*self.required_fields, *self.forbidden_fields]
        fields += [*self.nullable_fields, *self.ignored_fields]
        return frozenset(step for name in fields for step in name.split("/"))

    @cached_property
    def searches(self) -> tuple[Any, ...]:
        """The search functions of the patterns, each of a text and a timeout in seconds."""
        return tuple(map(_search_function, self.response_patterns))
