"""Which arguments of a tool have to come from somewhere, and how surely."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any, Literal

from abs_shield.plan.creating import creates, is_told_to_make, names_file
from abs_shield.plan.names import Judged, by_name
from abs_shield.plan.parameters import defaults_of, examples_of, schema_at
from abs_shield.plan.values import by_value, is_token
from abs_shield.plan.verbs import Deed, deed
from abs_shield.policy import Target, Tool
from abs_shield.text.leaves import Path, leaves, name_of, scalar_text
from abs_shield.text.names import is_free, name_words
from abs_shield.text.normal import normal
from abs_shield.text.shape import is_placeholder

_FORMATS = frozenset(
    {"email", "idn-email", "uuid", "uri", "iri", "hostname", "ipv4", "ipv6", "uri-reference"}
)
_MOMENTS = frozenset({"date", "time", "date-time", "duration"})
_CALLED = (("name",), ("id",), ("key",), ("code",))
_KEYS = (("name",), ("key",), ("field",), ("attribute",), ("property",), ("column",))
_POINTERS = (("path",), ("from",))
"""Members of a JSON Patch that point into a document."""
_VALUES = frozenset("value values operator op comparison".split())
_MOST_KEYS = 20
_THINKING = re.compile(r"think|thought|scratchpad", re.IGNORECASE)
"""Tools in which a model talks to itself."""
_SAYS_ID = re.compile(
    r"\b(?:identifier|uuid|guid|iban)\b|\b(?:the|an?) ids?\b|\bids? of\b"
    r"|\be-?mail address(?:es)?\b|\bphone number\b",
    re.IGNORECASE,
)
MOST_JUDGED = 10_000
"""Values of one call that are judged."""
_KEPT = 512
_LONGEST_DESCRIPTION = 1_000
_LONGEST_NAME = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """
    One argument leaf that has to come from somewhere.

    Attributes:
        path: Names and positions on the way to it.
        text: Its value as text.
        judged: ``hard`` for identifiers, ``soft`` for names and places, ``slot`` for what is an
            identifier only where results of the run hold some under the same name.
        must_be_seen: Whether the author declared `Target(must_be_seen=True)`.
        placeholder: Whether the value stands where a value should.
        examples: How the schema says that such a value looks.
    """

    path: Path
    text: str
    judged: Literal["hard", "soft", "slot"]
    must_be_seen: bool = False
    placeholder: bool = False
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parameter:
    """What a tool says of one parameter, whatever its value."""

    judged: Judged
    must_be_seen: bool
    defaults: frozenset[str]
    examples: tuple[str, ...]
    description: str
    allow: tuple[Callable[[Any], bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """Which arguments of one tool are judged; what a name says is worked out once a name."""

    tool: Tool
    deed: Deed
    allow: tuple[Callable[[Any], bool], ...]
    _known: dict[tuple[str, ...], _Parameter] = field(default_factory=dict)

    def judged(self, arguments: Mapping[str, Any]) -> Iterator[Argument]:
        """Give the leaves that have to come from somewhere, at most 10,000 a call."""
        for path, leaf in leaves(arguments, most=MOST_JUDGED):
            text = scalar_text(leaf)
            if not text or not text.strip():
                continue
            parameter = self._parameter(path)
            if parameter.judged == "never" or text in parameter.defaults:
                continue
            found = self._argument(path, leaf, text, parameter)
            if found is None or (len(path) > 1 and _is_key(path, arguments)):
                continue
            if names_file(path) and is_told_to_make(arguments):
                continue
            if not any(admits(leaf) for admits in parameter.allow):
                yield found

    def creates(self, path: Path) -> bool:
        """Whether the leaf at *path* names what this call brings into being."""
        return creates(self.tool, self.deed, path)

    def made(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        """Give the names, in normal form, of what a call with *arguments* brings into being."""
        told = is_told_to_make(arguments)
        if self.tool.creates or self.deed.mints or told:
            for path, leaf in leaves(arguments, most=200):
                makes = self.creates(path) or (told and names_file(path))
                if makes and (text := scalar_text(leaf)):
                    yield normal(text[:_LONGEST_NAME])

    def names_entity(self, path: Path) -> bool:
        """Whether leaves at *path* say what the call is done to, or what it makes."""
        return self._parameter(path).judged in ("hard", "who") or self.creates(path)

    def is_free(self, path: Path) -> bool:
        """Whether leaves at *path* hold what the agent composes."""
        names = {str(path[0]), name_of(path)} if path else set()
        return is_free(name_of(path)) or not names.isdisjoint(self.tool.free)

    def is_open(self, path: Path) -> bool:
        """Whether the name of leaves at *path* leaves to their value what they are."""
        return self._parameter(path).judged == "open"

    def judges(self, path: Path) -> bool:
        """Whether leaves at *path* are judged by their name alone."""
        return self._parameter(path).judged in ("hard", "who", "soft")

    def _argument(self, path: Path, leaf: Any, text: str, parameter: _Parameter) -> Argument | None:
        kind: Literal["hard", "soft", "slot"]
        placeholder = isinstance(leaf, str) and is_placeholder(text)
        declared = parameter.judged
        judged = declared
        if not self._is_target(path):
            judged = by_value(leaf, text, declared, name_of(path))
        if placeholder:
            kind = "soft" if declared in ("soft", "open", "code") else "hard"
        elif judged == "hard" or judged == "soft":
            kind = judged
        elif declared == "open" and is_token(leaf):
            kind = "slot"
        else:
            return None
        if kind == "soft" and not placeholder and text.casefold() in parameter.description:
            return None
        return Argument(
            path=path,
            text=text,
            judged=kind,
            must_be_seen=parameter.must_be_seen,
            placeholder=placeholder,
            examples=parameter.examples,
        )

    def _target(self, path: Path) -> Target | None:
        root = str(path[0]) if path else ""
        return self.tool.targets.get(root) or self.tool.targets.get(name_of(path))

    def _is_target(self, path: Path) -> bool:
        return bool(self.tool.targets) and self._target(path) is not None

    def _parameter(self, path: Path) -> _Parameter:
        key = tuple(step if isinstance(step, str) else "" for step in path)
        known = self._known.get(key)
        if known is None:
            known = self._compiled(path)
            if len(self._known) < _KEPT:
                self._known[key] = known
        return known

    def _compiled(self, path: Path) -> _Parameter:
        schema = schema_at(self.tool.parameters, path)
        target = self._target(path)
        said = schema.get("description")
        return _Parameter(
            judged=self._by_author(path) or self._by_name(path, schema),
            must_be_seen=target is not None and target.must_be_seen,
            defaults=defaults_of(schema),
            examples=examples_of(schema),
            description=said[:_LONGEST_DESCRIPTION].casefold() if isinstance(said, str) else "",
            allow=(*self.allow, *map(admission, target.allow if target is not None else ())),
        )

    def _by_author(self, path: Path) -> Judged | None:
        names = {str(path[0]), name_of(path)} if path else set()
        if not names.isdisjoint(self.tool.targets):
            return "hard"
        if not names.isdisjoint(self.tool.free):
            return "never"
        if not names.isdisjoint(self.tool.soft):
            return "soft"
        return "never" if self.creates(path) else None

    def _by_name(self, path: Path, schema: Mapping[str, Any]) -> Judged:
        name = name_of(path)
        if "enum" in schema or "const" in schema or schema.get("format") in _MOMENTS:
            return "never"
        if _THINKING.search(self.tool.name):
            return "never"
        if schema.get("format") in _FORMATS:
            return "hard"
        if is_free(name) or _is_of_plain(path):
            return "never"
        said = by_name(name)
        if said != "open":
            return said
        description = schema.get("description")
        if isinstance(description, str) and _SAYS_ID.search(description[:500]):
            return "hard"
        return "open"


def _is_of_plain(path: Path) -> bool:
    """Whether a nested ``name`` or ``id`` is that of a class: ``{"status": {"name": "Open"}}``."""
    steps = [step for step in path if isinstance(step, str)]
    if len(steps) < 2 or name_words(steps[-1]) not in _CALLED:
        return False
    return by_name(steps[-2]) == "never"


def _parent_of(path: Path, arguments: Mapping[str, Any]) -> Any:
    """The object that holds the leaf at *path*; None where a name of it is no string."""
    here: Any = arguments
    for step in path[:-1]:
        if isinstance(step, int):
            here = here[step] if isinstance(here, (list, tuple)) else None
        else:
            here = here.get(step) if isinstance(here, Mapping) else None
    return here


def _is_key(path: Path, arguments: Mapping[str, Any]) -> bool:
    """Whether a leaf is the key of a key and value pair: ``{"name": "tag:Name", "values": []}``."""
    said = name_words(name_of(path))
    if said not in _KEYS and said not in _POINTERS:
        return False
    here = _parent_of(path, arguments)
    if said in _POINTERS:
        return isinstance(here, Mapping) and "op" in here
    return isinstance(here, Mapping) and any(
        str(key).casefold() in _VALUES for key in islice(here, _MOST_KEYS)
    )


def targets_of(tool: Tool, *, allow: tuple[Any, ...]) -> Targets:
    """Work out which arguments of *tool* are judged; *allow* admits values everywhere."""
    admitted = tuple(map(admission, (*allow, *tool.allow)))
    return Targets(tool=tool, deed=deed(tool.name), allow=admitted)


def admission(entry: Any) -> Callable[[Any], bool]:
    """
    Give the test of one allowlist entry: a value, a glob, or a callable.

    >>> admission("acct_*")("acct_7"), admission(7)(7.0), admission(str.isupper)("ABC")
    (True, True, True)
    """
    if callable(entry):
        return lambda value: bool(entry(value))
    if isinstance(entry, str) and any(mark in entry for mark in "*?["):
        return lambda value: isinstance(value, str) and fnmatchcase(value, entry)
    return lambda value: bool(value == entry)
