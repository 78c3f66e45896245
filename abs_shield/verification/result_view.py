"""A tool's result, parsed once for all signals, and written as JSON fast."""

from __future__ import annotations

import json.encoder
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from math import isfinite
from typing import Any

from abs_shield.policy.tool_profile import UNPROFILED_MS, ToolProfile
from abs_shield.session.result_json import UNREADABLE, as_json
from abs_shield.text.failure_results import CODES
from abs_shield.text.json_leaves import SCALARS, parse_container
from abs_shield.verification.numeric_fields import MOST_NODES, as_number, read_numbers
from abs_shield.verification.result_shape import (
    KIND,
    NO_SHAPE,
    Members,
    kind_of,
    kinds_of,
    members_of,
    shape_of,
)

# a private name of CPython, which other interpreters may lack
_C_ENCODER = getattr(json.encoder, "c_make_encoder", None)
FEW = 16
"""Members of an object that is small."""


def is_small(value: Any) -> bool:
    """
    Return whether a value is an object of a few scalars, without cycles and fast to write.

    >>> is_small({"city": "London", "days": 3}), is_small({"cities": ["London"]}), is_small("x")
    (True, False, False)
    """
    return (
        type(value) is dict and len(value) <= FEW and SCALARS.issuperset(map(type, value.values()))
    )


def writers(
    default: Callable[[Any], Any],
    *,
    separators: tuple[str, str] = (", ", ": "),
    ordered: bool,
    ascii_only: bool = True,
) -> tuple[Callable[[Any], str], Callable[[Any], str]]:
    """
    Return a writer equal to `json.dumps`, and a faster one for values that are `is_small`.

    >>> write, write_small = writers(repr, separators=(",", ":"), ordered=True)
    >>> write({"b": 1.5, "a": ["x", None, {1}]}), write_small({"b": 1.5, "a": None})
    ('{"a":["x",null,"{1}"],"b":1.5}', '{"a":null,"b":1.5}')
    """
    write = json.JSONEncoder(
        separators=separators, sort_keys=ordered, default=default, ensure_ascii=ascii_only
    ).encode
    if _C_ENCODER is None:
        return write, write
    between, after_name = separators
    encoder = json.encoder
    text_of = encoder.encode_basestring_ascii if ascii_only else encoder.encode_basestring
    # The first None turns off the search for cycles, which scalars cannot have.
    parts = _C_ENCODER(None, default, text_of, None, after_name, between, ordered, False, True)
    return write, lambda value: "".join(parts(value, 0))


_NO_KINDS: Mapping[str, str] = {}
_UNWRITTEN = "not written yet"  # compared by identity, so that no result can be equal to it
# Up to 15 digits a float is exact; a longer number is an id.
_NUMBER = re.compile(r"\s{0,9}-?[0-9]{1,15}(?:\.[0-9]{1,15})?\s{0,9}")
_SECONDS = 0.05
"""Time-out of the search for one pattern; a usual search takes microseconds."""

LONGEST_TEXT = 1 << 20
"""Maximum length of a result's JSON text; of longer results only the size is used."""


class ResultView:
    """
    One result with its duration and the tool's profile.

    Attributes:
        profile: The tool's profile; None if it has none.
        value: The result as a JSON value; JSON in a text is parsed.
        latency_ms: Duration of the call, finite and at least 0.
        judges_latency: Whether the profile declares a latency.
        has_required_fields: Whether the profile declares required fields.
        kinds: JSON type of each required field that is present and not null.
        finite: Whether none of these is NaN or infinite.
        readable: Whether it is data, not a cursor or an object that raises when it is read.
        numbers: Its numbers by JSON pointer without the first slash; see `read_numbers`.
        endless: Its numbers that are NaN or infinite, likewise by pointer.
        size: Approximate number of characters of its JSON.
        shape: Its JSON type and those of its members.
    """

    judges_latency = has_required_fields = False
    kinds: Mapping[str, str] = _NO_KINDS
    finite = readable = True
    _is_small = False
    _text: str | None = _UNWRITTEN
    _matched: bool | str | None = None

    def __init__(self, result: Any, *, latency_ms: float, profile: ToolProfile | None) -> None:
        self.profile = profile
        self.latency_ms = latency_ms
        if profile is not None:
            self.judges_latency = profile.judges_latency
            self.has_required_fields = bool(profile.required_fields)
        self.endless: list[str] = []
        self.value: Any = result
        kind = type(result)
        try:
            if kind is not dict:
                text = result if kind is str else _data(result)
                kind = type(text)
                self.value = text
                if kind is str:
                    self._text = text if len(text) <= LONGEST_TEXT else None
                    # Objects, lists and numbers do not begin with a letter.
                    if not text[:1].isalpha():
                        self.value = _parse(text)
            value, is_text = self.value, kind is str
            members = members_of(value, is_text=is_text) if type(value) is dict else None
            self.shape = shape_of(value, members, is_text=is_text)
            numbers = None if members is None else members.read(value)
            if numbers is not None:
                self._is_small = len(value) <= FEW
            self.numbers, self.size, self._whole = numbers or read_numbers(value, self.endless)
            if profile is not None:
                self._read_as(profile, members if numbers is not None else None)
            elif not self.shape.kind:
                for name in [name for name in self.numbers if name.casefold() in CODES]:
                    del self.numbers[name]  # the status code of a failure is not a value
        except Exception:  # a caller's object may raise anything
            self.value = UNREADABLE
        if self.value is UNREADABLE:
            self.numbers, self.size, self._whole = {}, 0, False
            self.shape, self._text = NO_SHAPE, None
            self.readable = False

    def _read_as(self, profile: ToolProfile, flat: Members | None) -> None:
        """Apply a profile to the result; *flat* are its members, if all are scalars."""
        if profile.required_fields:
            kinds = None if flat is None else kinds_of(flat, tuple(profile.required_fields))
            # The types of a flat object are known already.
            self.kinds = self._types_of(profile.required_fields) if kinds is None else kinds
        if profile.ignored_fields:
            ignored = {name.removeprefix("/") for name in profile.ignored_fields}
            for name in ignored:
                self.numbers.pop(name, None)
            self.endless = [name for name in self.endless if name not in ignored]

    @property
    def expected_ms(self) -> tuple[float, float]:
        """The plausible range of the latency, in milliseconds."""
        profile = self.profile
        if profile is None or self.judges_latency:
            return UNPROFILED_MS if profile is None else profile.expected_latency_ms
        least, most = UNPROFILED_MS
        return (least if profile.has_network_io else 0.0), most

    @property
    def text(self) -> str | None:
        """The result as JSON, or its text; None if it is too long."""
        if self._text is _UNWRITTEN:
            self._text = self._written()
        return self._text

    def _written(self) -> str | None:
        if self.size > LONGEST_TEXT or not self._whole:
            return None
        try:
            return (_WRITE_SMALL if self._is_small else _WRITE)(self.value)
        except Exception:
            return None

    @property
    def matched(self) -> bool | str:
        """True if one of the profile's patterns is found; a reason if none could be searched."""
        if self._matched is None:
            self.look()
        return self._matched or False

    def look(self) -> None:
        """Serialise and search the result before the engine takes its lock; both can be slow."""
        text = self.text
        if text is None:
            self._matched = "the result is too long to be searched"
            return
        self._matched = False
        try:
            for search in self.profile.searches if self.profile is not None else ():
                if search(text, timeout=_SECONDS):
                    self._matched = True
                    return
        except TimeoutError:
            self._matched = "a pattern took longer than 50 ms"

    def _types_of(self, required: Iterable[str]) -> dict[str, str]:
        kinds: dict[str, str] = {}
        for name in required:
            value = self.member(name)
            if value is not None and value is not ABSENT:
                kinds[name] = kind_of(value)
                self.finite = self.finite and is_finite(value)
        return kinds

    def member(self, name: str) -> Any:
        """Return a field by its name or JSON pointer; `ABSENT` if there is none."""
        value = self.value
        if name[:1] != "/":
            member = value.get(name, ABSENT) if type(value) is dict else ABSENT
            return member if member is ABSENT or type(member) in KIND else as_json(member)
        for step in name[1:].split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            if not (isinstance(value, Mapping) and key in value):
                return ABSENT
            value = as_json(value[key])
        return value


def _data(result: Any) -> Any:
    """Return one level of *result* as JSON, in Python's own types."""
    value = result if as_number(result) is not None else as_json(result)
    if isinstance(value, str):
        # Methods of a subclass may raise, or return something else.
        return value if type(value) is str else str.__str__(value)
    if isinstance(value, Mapping):
        # A caller's mapping may be endless.
        return value if type(value) is dict else dict(islice(value.items(), MOST_NODES + 1))
    return value


def _parse(text: str) -> Any:
    """Return the JSON value in a text, also a bare number; other texts unchanged."""
    if len(text) > LONGEST_TEXT:
        return text
    if _NUMBER.fullmatch(text):
        return float(text)
    value = parse_container(text)
    return text if value is None else value


class AbsentField:
    """Type of the marker for an absent field."""


ABSENT = AbsentField()


def is_finite(value: Any) -> bool:
    """Return whether a value is neither NaN nor infinite."""
    return not isinstance(value, float) or isfinite(value)


def _plain(value: Any) -> Any:
    plain = as_json(value)
    return plain if plain is not value and type(plain) in (str, int, float, list, dict) else "?"


_WRITE, _WRITE_SMALL = writers(_plain, ordered=False, ascii_only=False)
