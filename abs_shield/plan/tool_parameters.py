"""The compiled parameters of a tool: all facts about them that do not depend on a value."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from abs_shield.plan.allow_entry import compile_allow_entry
from abs_shield.plan.author_schema import AuthorSchema
from abs_shield.plan.created_entities import names_new_entity
from abs_shield.plan.credentials import CredentialUse, credential_use
from abs_shield.plan.parameter_classes import THINKING_TOOL, classify_parameter
from abs_shield.plan.parameter_names import ParameterClass
from abs_shield.plan.schema_lookup import examples_of
from abs_shield.plan.tool_action import ToolAction
from abs_shield.policy import Target, Tool
from abs_shield.session.value_field import Field
from abs_shield.text.identifier_words import (
    is_free_text_field,
    is_machine_input_field,
    name_words,
    subject_words,
)
from abs_shield.text.json_leaves import Path, name_of

_ACCOUNT_NAMES = (("username",), ("login",), ("account",), ("email",))
"""Names of accounts: a new file may be called ``todo``, but a new account may not."""
_PATTERN_WORDS = frozenset(
    "template pattern regex regexp format mask glob grammar macro snippet expression formula xpath "
    "jsonpath selector variable placeholder hint tooltip helper label prompt route endpoint html "
    "xml css svg schema syntax column field range cell edit find replace replacement".split()
)
"""Words of parameters in which brackets are notation, or whose values are form labels."""
_TEMPLATE_WORDS = frozenset(
    "template workflow automation macro snippet placeholder form regex".split()
)
"""Words of tools that write templates."""
_SELECTOR_WORDS = frozenset(
    "query filter where condition pattern regex regexp glob mask selector criteria criterion "
    "predicate search match q".split()
)
"""Words of parameters that select the things a call acts on without naming them."""
Guard = Literal["none", "seen", "target", "name", "selector"]
_MAX_CACHED = 512  # names of arguments; a model may invent any number of them
_MAX_CACHED_NAME_LENGTH = 4_096
"""Longest name that is cached; a model may write names of any length."""
_MAX_DESCRIPTION = 1_000  # options and examples come first; the rest is documentation


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """
    Facts about one parameter of a tool.

    Attributes:
        name: Its innermost name; empty if it has none.
        judged: Its class, by the author's declaration, the schema and the name.
        declared: Whether the author declared it with a `Target`.
        credential: Whether a call presents or sets a credential with it, such as a password.
        blanks: Whether a blank to fill in, such as ``<order_id>``, is a wrong value.
        required: Whether the schema requires it.
        creates: Whether its value names a thing that the call creates.
        free: Whether the agent composes its values.
        listed: Whether the schema lists its values.
        entity_words: The words that name its kind of entity: ``order`` for ``order_id``.
        must_be_seen: Whether the author declared `Target(must_be_seen=True)`.
        guard: The reason why every value of it is judged: ``seen`` if it must be seen; for what a
            destructive call acts on, ``target`` for identifiers, ``name`` for names and
            ``selector`` for filters; else ``none``.
        defaults: Defaults in the schema, as text.
        examples: Examples of its values in the schema.
        measures: Whether it takes any number, not only whole numbers.
        description: Its description in the schema, in lower case, at most 1,000 characters.
        field: The ways in which its values may be spelt.
        allow: Predicates that admit a value.
        names_account: Whether its value names a new account, so that a placeholder is wrong.
        is_judged: Whether a value of it may have to come from the run.
        may_be_user_value: Whether its values are judged only if the user stated a value for it.
    """

    name: str
    judged: ParameterClass
    declared: bool
    credential: CredentialUse
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
    names_account: bool = dataclasses.field(init=False)
    is_judged: bool = dataclasses.field(init=False)
    may_be_user_value: bool = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        # Computed once, as each call asks for them several times for each argument.
        names_account = self.creates and name_words(self.name)[-1:] in _ACCOUNT_NAMES
        takes_secret = self.credential != "none"
        never = self.judged == "never"
        other = self.free or self.listed or self.declared or takes_secret
        object.__setattr__(self, "names_account", names_account)
        object.__setattr__(self, "is_judged", not never or takes_secret or names_account)
        object.__setattr__(self, "may_be_user_value", never and not other)

    @property
    def is_guarded(self) -> bool:
        """True if every value of it is judged."""
        return self.guard != "none"

    @property
    def names_target(self) -> bool:
        """
        True if its values, whatever their form, identify something that must come from the run.
        """
        return self.judged in ("hard", "who")

    @property
    def names_entity(self) -> bool:
        """True if its values identify a thing that the call acts on or creates."""
        return self.names_target or self.creates


class NamesByCheck(NamedTuple):
    """
    Names of top-level parameters, grouped by the checks of their values.

    Attributes:
        judged: Parameters whose values may be judged, with their entity words.
        guarded: Parameters whose every value is judged.
        blanks: Parameters for which only a blank to fill in is wrong.
        user_values: Parameters for which the user may have stated another value.
        lacks_target: Whether a guarded target that the author declared is missing.
    """

    judged: tuple[tuple[str, frozenset[str]], ...]
    guarded: tuple[str, ...]
    blanks: tuple[str, ...]
    user_values: tuple[str, ...]
    lacks_target: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """
    The parameters of one tool by path; all items of a list share one parameter.

    Attributes:
        tool: The tool, with the schema that its model reads.
        action: The action that the tool's name describes.
        allow: Predicates that admit a value of any parameter.
        schema: The tool's schema, limited by those of its authors.
        hidden: Declared targets for which the model's schema has no parameter.
        top: Cache of the parameters at the top level, by name.
    """

    tool: Tool
    action: ToolAction
    allow: tuple[Callable[[Any], bool], ...]
    schema: AuthorSchema
    hidden: tuple[str, ...] = ()
    top: dict[str, Parameter] = field(default_factory=dict)
    _cached_nested: dict[tuple[str, ...], Parameter] = field(default_factory=dict)
    _names_by_check: dict[tuple[str, ...], NamesByCheck] = field(default_factory=dict)

    def at(self, path: Path) -> Parameter:
        """Return the parameter at *path*; it is compiled at its first use."""
        if len(path) == 1 and isinstance(path[0], str):
            # The fast path, as nearly all arguments are at the top level.
            return self.top.get(path[0]) or self.compile_top_level(path[0])
        key = tuple([step if isinstance(step, str) else "" for step in path])
        compiled = self._cached_nested.get(key)
        if compiled is None:
            compiled = self._compile(path)
            if (
                # Bounded in number and length, as a model may invent names.
                len(self._cached_nested) < _MAX_CACHED
                and len("".join(key)) <= _MAX_CACHED_NAME_LENGTH
            ):
                self._cached_nested[key] = compiled
        return compiled

    def group_by_check(self, names: tuple[str, ...]) -> NamesByCheck:
        """Group the *names* of top-level parameters by the checks of their values; cached."""
        names_by_check = self._names_by_check.get(names)
        if names_by_check is None:
            parameters = [(name, self.at((name,))) for name in names]
            names_by_check = NamesByCheck(
                tuple(
                    (name, parameter.entity_words)
                    for name, parameter in parameters
                    if parameter.is_judged
                ),
                tuple(name for name, parameter in parameters if parameter.is_guarded),
                tuple(
                    name
                    for name, parameter in parameters
                    if parameter.blanks and not parameter.is_judged
                ),
                tuple(name for name, parameter in parameters if parameter.may_be_user_value),
                any(key not in names and self.at((key,)).is_guarded for key in self.tool.targets),
            )
            if (
                len(self._names_by_check) < _MAX_CACHED
                and len("".join(names)) <= _MAX_CACHED_NAME_LENGTH
            ):
                self._names_by_check[names] = names_by_check
        return names_by_check

    def compile_top_level(self, name: str) -> Parameter:
        """Compile a parameter at the top level; the first ones are cached in ``top``."""
        compiled = self._compile((name,))
        if len(self.top) < _MAX_CACHED and len(name) <= _MAX_CACHED_NAME_LENGTH:
            self.top[name] = compiled
        return compiled

    def _compile(self, path: Path) -> Parameter:
        schema = self.schema.at(path)
        target = self._target(path)
        declared_description = schema.get("description")
        description = (
            declared_description[:_MAX_DESCRIPTION].casefold()
            if isinstance(declared_description, str)
            else ""
        )
        name = name_of(path)
        is_created = names_new_entity(self.tool, self.action, path)
        by_author = self._classify_by_author(path, is_created=is_created)
        # The schema checks listed values.
        listed = "enum" in schema or "const" in schema
        judged = by_author or classify_parameter(path, schema, tool=self.tool, action=self.action)
        must_be_seen = target is not None and target.must_be_seen
        return Parameter(
            name=name,
            judged=judged,
            declared=target is not None,
            credential="none" if by_author or listed else credential_use(name, self.action),
            blanks=not listed and self._takes_blanks(path, schema),
            required=self.schema.requires(path),
            creates=is_created,
            free=is_free_text_field(name) or bool(self._keys(path, self.tool.free)),
            listed=listed,
            entity_words=subject_words(name) or frozenset(self.action.noun),
            must_be_seen=must_be_seen,
            guard="seen"
            if must_be_seen
            else self._guard(name, judged, listed=listed, marked=by_author is not None),
            # Without a mark, no value of a listed parameter is judged.
            defaults=self.schema.defaults(path)
            | (self.schema.enum_texts(path) if target is not None else frozenset()),
            examples=examples_of(schema),
            measures=schema.get("type") == "number",
            description=description,
            field=Field(name, number=_is_number(schema), phone="phone number" in description),
            allow=(
                *self.allow,
                *map(compile_allow_entry, target.allow if target is not None else ()),
            ),
        )

    def _guard(self, name: str, judged: ParameterClass, *, listed: bool, marked: bool) -> Guard:
        """Return the guard of a parameter that is not declared as `must_be_seen`."""
        # No guard is needed if the tool is not destructive or the schema lists the values.
        if not self.tool.destructive or listed:
            return "none"
        if judged in ("hard", "who"):
            return "target"
        if judged in ("soft", "public"):
            return "name"
        words = name_words(name)
        selects = bool(words) and words[-1] in _SELECTOR_WORDS and judged in ("never", "open")
        return "selector" if selects and not marked else "none"

    @property
    def may_be_guarded(self) -> bool:
        """True if some parameter of the tool may be guarded."""
        return self.tool.destructive or self.has_strict_targets

    @property
    def has_strict_targets(self) -> bool:
        """True if the author declared any `Target(must_be_seen=True)`."""
        return any(target.must_be_seen for target in self.tool.targets.values())

    def _takes_blanks(self, path: Path, schema: Mapping[str, Any]) -> bool:
        """
        Return whether a blank at *path* is a wrong value, which it is not in patterns or programs.
        """
        tool = self.tool.name
        if (
            "pattern" in schema
            or THINKING_TOOL.search(tool)
            or is_machine_input_field(name_of(path), tool)
        ):
            return False
        words = {word for step in path if isinstance(step, str) for word in name_words(step)}
        return _PATTERN_WORDS.isdisjoint(words) and _TEMPLATE_WORDS.isdisjoint(name_words(tool))

    def _target(self, path: Path) -> Target | None:
        """Return the author's `Target` for the leaf at *path*; the strictest if several match."""
        targets = [self.tool.targets[key] for key in self._keys(path, self.tool.targets)]
        # A target that must be seen is stricter than one that need not.
        return max(targets, key=lambda target: target.must_be_seen, default=None)

    def _keys(self, path: Path, keys: Iterable[str]) -> set[str]:
        return self.schema.keys(path, keys)

    def _classify_by_author(self, path: Path, *, is_created: bool) -> ParameterClass | None:
        if self._keys(path, self.tool.targets):
            return "hard"
        if self._keys(path, self.tool.free):
            return "never"
        if self._keys(path, self.tool.soft):
            return "soft"
        return "never" if is_created else None


def _is_number(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema accepts numbers but no strings."""
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return any(kind in ("integer", "number") for kind in kinds) and "string" not in kinds
