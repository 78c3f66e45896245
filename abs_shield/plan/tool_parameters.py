"""What a tool says of one parameter, whatever its value: worked out once a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

from abs_shield.plan.created_entities import creates
from abs_shield.plan.credentials import Use, credential_use
from abs_shield.plan.parameter_names import Judged, classify_name, is_direction
from abs_shield.plan.schema_lookup import defaults_of, examples_of, schema_at
from abs_shield.plan.tool_action import ToolAction, is_answer_tool
from abs_shield.policy import Target, Tool
from abs_shield.policy.places import keys_of
from abs_shield.session.field import Field
from abs_shield.text.leaves import Path, name_of
from abs_shield.text.names import is_free, is_working, name_words, of_what

_FORMATS = frozenset(
    {"email", "idn-email", "uuid", "uri", "iri", "hostname", "ipv4", "ipv6", "uri-reference"}
)
_MOMENTS = frozenset({"date", "time", "date-time", "duration"})
_CALLED = (("name",), ("id",), ("key",), ("code",))
_ACCOUNTS = (("username",), ("login",), ("account",), ("email",))
"""A new file may be called ``todo``, and a new account not."""
_THINKING = re.compile(r"think|thought|scratchpad", re.IGNORECASE)
"""Tools in which a model talks to itself."""
_PATTERNS = frozenset(
    "template pattern regex regexp format mask glob grammar macro snippet expression formula xpath "
    "jsonpath selector variable placeholder hint tooltip helper label prompt route endpoint html "
    "xml css svg schema syntax column field range cell edit find replace replacement".split()
)
"""Words of parameters in which brackets are a notation, or whose values are shown on a form."""
_MOULDS = frozenset("template workflow automation macro snippet placeholder form regex".split())
"""Words of tools that write what others fill in."""
_SAYS_ID = re.compile(
    r"\b(?:identifier|uuid|guid|iban)\b|\b(?:the|an?) ids?\b|\bids? of\b"
    r"|\be-?mail address(?:es)?\b|\bphone number\b",
    re.IGNORECASE,
)
_SAYS_FILE = re.compile(
    r"\b(?:path|file ?path|file ?name|name of the file|url)s? (?:to|of) ", re.IGNORECASE
)
_SAYS_NEW = re.compile(
    r"\b(?:saved?|saving|outputs?|results?|writ(?:e|es|ten|ing)|stor(?:e|ed|ing)|created?|new"
    r"|generated?|destination|exported?|directory|folder|page|endpoint)\b",
    re.IGNORECASE,
)
"""What the call makes, or what an agent finds its way to."""
_SAYS_PLACE = re.compile(
    r"\b(?:city|cities|town|village|station|airport|place|location|country)\b", re.IGNORECASE
)
_ADDRESSEES = (("to",), ("cc",), ("bcc",), ("send", "to"))
_MESSAGES = frozenset(
    "message email mail text sms dm letter note invitation invite notification notify".split()
)
_LONGEST_SAID = 500
_SELECTORS = frozenset(
    "query filter where condition pattern regex regexp glob mask selector criteria criterion "
    "predicate search match q".split()
)
"""Words of parameters that say which things a call is action to, and name none."""
Guard = Literal["none", "seen", "target", "name", "selector"]
_KEPT = 512
_LONGEST_NAMES = 4_096
"""Characters of names for which something is kept; a model may write any."""
_LONGEST_DESCRIPTION = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """
    What a tool says of one parameter.

    Attributes:
        name: Its innermost name; empty where it has none.
        judged: How its values are judged, as far as author, schema and name say.
        told: Whether the author said so with a `Target`.
        credential: Whether a call presents or sets a credential with it: a password, a token.
        blanks: Whether a blank to fill in, ``<order_id>``, is a fault as its value.
        required: Whether the schema asks for it.
        creates: Whether its value names what the call brings into being.
        free: Whether its values are what the agent composes.
        listed: Whether the schema lists its values.
        entity_words: The words that say what its identifiers are of: ``order`` of ``order_id``.
        must_be_seen: Whether the author declared `Target(must_be_seen=True)`.
        guard: Why no value of it is passed over: it must be ``seen``, or it says what a destructive
            call is action to, by an identifier (``target``), by a ``name`` or as a ``selector``.
        defaults: Values that the schema itself names.
        examples: How the schema says that such a value looks.
        measures: Whether it takes any number, and not only whole ones.
        description: What the schema says about it, in lower case.
        field: What it says about other spellings of its values.
        allow: Tests that admit a value.
    """

    name: str
    judged: Judged
    declared: bool
    credential: Use
    blanks: bool
    required: bool
    creates: bool
    free: bool
    listed: bool
    entity_words: frozenset[str]
    must_be_seen: bool
    guard: Guard
    defaults: frozenset[str]
    examples: tuple[str, ...]
    measures: bool
    description: str
    field: Field
    allow: tuple[Callable[[Any], bool], ...]

    @property
    def guarded(self) -> bool:
        """Whether no value of it is passed over."""
        return self.guard != "none"

    @property
    def is_judged(self) -> bool:
        """Whether a value of it may have to come from somewhere."""
        return self.judged != "never" or self.credential != "none" or self.names_account

    @property
    def may_be_user_value(self) -> bool:
        """Whether nothing judges its values, unless the user gave one for it."""
        other = self.free or self.listed or self.declared or self.credential != "none"
        return self.judged == "never" and not other

    @property
    def names_account(self) -> bool:
        """Whether its value names a new account, so that no stand-in is right."""
        return self.creates and name_words(self.name)[-1:] in _ACCOUNTS

    @property
    def names_target(self) -> bool:
        """Whether its values identify what has to come from somewhere, whatever they look like."""
        return self.judged in ("hard", "who")

    @property
    def names_entity(self) -> bool:
        """Whether its values say what the call is action to, or what it makes."""
        return self.names_target or self.creates


class Names(NamedTuple):
    """
    Names of parameters at the top level, as far as their values are looked at.

    Attributes:
        judged: Those whose values may be judged, and what asks.
        guarded: Those of which no value is passed over.
        blank: Those of whose values only a blank to fill in is a fault.
        given: Those of whose values the user may have given another one.
        lacking: Whether a declared target is not among them, and says something by that.
    """

    judged: tuple[tuple[str, frozenset[str]], ...]
    guarded: tuple[str, ...]
    blank: tuple[str, ...]
    user_values: tuple[str, ...]
    lacking: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """The parameters of one tool by path; positions in lists make no difference."""

    tool: Tool
    action: ToolAction
    allow: tuple[Callable[[Any], bool], ...]
    top: dict[str, Parameter] = field(default_factory=dict)
    _nested: dict[tuple[str, ...], Parameter] = field(default_factory=dict)
    _judged: dict[tuple[str, ...], Names] = field(default_factory=dict)

    def at(self, path: Path) -> Parameter:
        """Give the parameter at *path*."""
        if len(path) == 1 and isinstance(path[0], str):
            return self.top.get(path[0]) or self.named(path[0])
        key = tuple(step if isinstance(step, str) else "" for step in path)
        known = self._nested.get(key)
        if known is None:
            known = self._compiled(path)
            if len(self._nested) < _KEPT and len("".join(key)) <= _LONGEST_NAMES:
                self._nested[key] = known
        return known

    def judged(self, names: tuple[str, ...]) -> Names:
        """Return which of the *names* at the top level are looked at, and for what."""
        known = self._judged.get(names)
        if known is None:
            found = [(name, self.at((name,))) for name in names]
            known = Names(
                tuple((name, of.entity_words) for name, of in found if of.is_judged),
                tuple(name for name, of in found if of.guarded),
                tuple(name for name, of in found if of.blanks and not of.is_judged),
                tuple(name for name, of in found if of.may_be_user_value),
                any(key not in names and self.at((key,)).guarded for key in self.tool.targets),
            )
            if len(self._judged) < _KEPT and len("".join(names)) <= _LONGEST_NAMES:
                self._judged[names] = known
        return known

    def named(self, name: str) -> Parameter:
        """Work out a parameter at the top level; the first so many are kept in ``top``."""
        made = self._compiled((name,))
        if len(self.top) < _KEPT and len(name) <= _LONGEST_NAMES:
            self.top[name] = made
        return made

    def _compiled(self, path: Path) -> Parameter:
        schema = schema_at(self.tool.parameters, path)
        target = self._target(path)
        said = schema.get("description")
        told = said[:_LONGEST_DESCRIPTION].casefold() if isinstance(said, str) else ""
        name = name_of(path)
        made = creates(self.tool, self.action, path)
        by_author = self._by_author(path, made=made)
        listed = "enum" in schema or "const" in schema
        judged = by_author or self._by_name(path, schema)
        must_be_seen = target is not None and target.must_be_seen
        return Parameter(
            name=name,
            judged=judged,
            declared=target is not None,
            credential="none" if by_author or listed else credential_use(name, self.action),
            blanks=not listed and self._takes_blanks(path, schema),
            required=_is_required(self.tool.parameters, path),
            creates=made,
            free=is_free(name) or bool(self._keys(path, self.tool.free)),
            listed=listed,
            entity_words=of_what(name) or frozenset(self.action.noun),
            must_be_seen=must_be_seen,
            guard="seen"
            if must_be_seen
            else self._guard(name, judged, listed=listed, marked=by_author is not None),
            defaults=defaults_of(schema),
            examples=examples_of(schema),
            measures=schema.get("type") == "number",
            description=told,
            field=Field(name, number=_is_number(schema), phone="phone number" in told),
            allow=(*self.allow, *map(admission, target.allow if target is not None else ())),
        )

    def _guard(self, name: str, judged: Judged, *, listed: bool, marked: bool) -> Guard:
        """Why a parameter of a destructive tool is guarded, without a mark."""
        if not self.tool.destructive or listed:
            return "none"
        if judged in ("hard", "who"):
            return "target"
        if judged in ("soft", "public"):
            return "name"
        said = name_words(name)
        selects = bool(said) and said[-1] in _SELECTORS and judged in ("never", "open")
        return "selector" if selects and not marked else "none"

    @property
    def may_be_guarded(self) -> bool:
        """Whether some parameter of the tool may be one of which no value is passed over."""
        return self.tool.destructive or self.some_must_be_seen

    @property
    def some_must_be_seen(self) -> bool:
        """Whether the author declared some `Target(must_be_seen=True)`."""
        return any(target.must_be_seen for target in self.tool.targets.values())

    def _takes_blanks(self, path: Path, schema: Mapping[str, Any]) -> bool:
        """Whether a blank at *path* is a fault: not in patterns, programs, forms and thoughts."""
        tool = self.tool.name
        if "pattern" in schema or _THINKING.search(tool) or is_working(name_of(path), tool):
            return False
        said = {word for step in path if isinstance(step, str) for word in name_words(step)}
        return _PATTERNS.isdisjoint(said) and _MOULDS.isdisjoint(name_words(tool))

    def _target(self, path: Path) -> Target | None:
        """The author's mark; the strictest, where several keys are about the leaf."""
        found = [self.tool.targets[key] for key in self._keys(path, self.tool.targets)]
        return max(found, key=lambda target: target.must_be_seen, default=None)

    def _keys(self, path: Path, keys: Iterable[str]) -> set[str]:
        return keys_of(path, keys, self.tool.parameters)

    def _by_author(self, path: Path, *, made: bool) -> Judged | None:
        if self._keys(path, self.tool.targets):
            return "hard"
        if self._keys(path, self.tool.free):
            return "never"
        if self._keys(path, self.tool.soft):
            return "soft"
        return "never" if made else None

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
        said = classify_name(name)
        if said == "open" and _is_addressed(name, self.action):
            return "who"
        if said == "soft" and is_answer_tool(self.tool.name):
            return "public"  # an answer may name what the agent knows
        if said != "open":
            return said
        return _by_description(name, schema)


def _is_addressed(name: str, action: ToolAction) -> bool:
    """Whether a parameter says who reads a message: ``send_message(to=...)``."""
    if name_words(name) not in _ADDRESSEES or not action.writes:
        return False
    return not _MESSAGES.isdisjoint((action.verb, *action.noun))


def _by_description(name: str, schema: Mapping[str, Any]) -> Judged:
    """Return what the schema says of a parameter whose name says nothing."""
    description = schema.get("description")
    said = description[:_LONGEST_SAID] if isinstance(description, str) else ""
    if _SAYS_ID.search(said) or "contentMediaType" in schema:
        return "hard"
    if _SAYS_FILE.search(said) and not _SAYS_NEW.search(said):
        return "hard"
    return "soft" if is_direction(name) and _SAYS_PLACE.search(said) else "open"


def _is_number(schema: Mapping[str, Any]) -> bool:
    """Whether a schema takes numbers, and no text."""
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return any(kind in ("integer", "number") for kind in kinds) and "string" not in kinds


def _is_required(schema: Any, path: Path) -> bool:
    required = schema_at(schema, path[:-1]).get("required") if path else None
    return isinstance(required, list) and path[-1] in required


def _is_of_plain(path: Path) -> bool:
    """Whether a nested ``name`` or ``id`` is that of a class: ``{"status": {"name": "Open"}}``."""
    steps = [step for step in path if isinstance(step, str)]
    if len(steps) < 2 or name_words(steps[-1]) not in _CALLED:
        return False
    return classify_name("_".join(steps[-2:])) == "never"


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
