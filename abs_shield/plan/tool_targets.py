"""The arguments of one tool that must come from the run: found, checked and classified."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from abs_shield.plan.allow_entry import compile_allow_entry
from abs_shield.plan.author_schema import AuthorSchema
from abs_shield.plan.created_entities import (
    is_creation_command,
    is_list_key,
    names_file,
    sends_content,
)
from abs_shield.plan.judged_arguments import (
    MOST_JUDGED,
    Argument,
    UnmentionedLeaf,
    classify_argument,
    is_unfilled_blank,
    looks_like_user_value,
)
from abs_shield.plan.parameter_values import is_free_text, is_token
from abs_shield.plan.schema_lookup import schema_at
from abs_shield.plan.tool_action import ToolAction, parse_action, parse_described_action
from abs_shield.plan.tool_parameters import Parameter, Parameters
from abs_shield.policy import Tool
from abs_shield.session.run_mentions import Vouches
from abs_shield.session.session_record import SessionRecord
from abs_shield.session.whole_match import is_rooted, may_be_group
from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import Path, leaves, name_of, parent_of, scalar_text
from abs_shield.text.normal_form import normal
from abs_shield.text.text_templates import begins_blank, may_be_blank
from abs_shield.text.value_shapes import is_address, is_code
from abs_shield.text.verbs import VerbEffect
from abs_shield.text.wildcards import (
    is_condition,
    is_null_word,
    is_system_account,
    is_whole_set,
    is_word_for_all,
    selects_all,
)

_KEY_MEMBERS = (("name",), ("key",), ("field",), ("attribute",), ("property",), ("column",))
_POINTER_MEMBERS = (("path",), ("from",))
"""Members of a JSON Patch that point into a document."""
_VALUE_MEMBERS = frozenset("value values operator op comparison".split())
_MAX_KEYS = 20  # members of a pair such as `{"name", "value"}`, which has few
_MAX_NAME_LENGTH = 256  # a longer value is prose, not the name of a created thing
_MAX_DESCRIPTION = 300  # the first sentences say what the tool does
# Excludes every character that a wildcard, a path or an address needs.
_PLAIN = re.compile(r"[0-9A-Za-z_ -]{1,256}")
_MAX_OTHER_VALUES = 200  # other values of a call; thousands of values are data
MentionCheck = Callable[[Mapping[str, Any], SessionRecord], bool]
"""
Return whether the run mentions every judged value of a call verbatim.

Its arguments are those of the call, and the record of the session.
"""


def _never_vouches(text: str, kind_words: frozenset[str]) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """The judged arguments of one tool."""

    tool: Tool
    action: ToolAction
    parameters: Parameters

    def judged_arguments(self, arguments: Mapping[str, Any]) -> Iterator[Argument]:
        """Return the leaves whose values must come from the run, among the first 10,000 leaves."""
        return self.classify_leaves(self.find_unmentioned(arguments), arguments)

    def prepare_mention_check(
        self, names: tuple[str, ...], kinds: Callable[[SessionRecord], frozenset[str]]
    ) -> MentionCheck | None:
        """
        Return a fast check that the run mentions every judged value, for calls of plain scalars.

        Args:
            names: The names of the call's arguments.
            kinds: Returns the kinds of entities that a session's tools identify.

        Returns:
            The check; None if no fast check is possible for these names.
        """
        names_by_check = self.parameters.group_by_check(names)
        guarded = [(name, self.parameters.at((name,))) for name in names_by_check.guarded]
        # The fast check cannot tell whether a value occurs verbatim.
        if names_by_check.lacks_target or any(parameter.must_be_seen for _, parameter in guarded):
            return None
        judged, may_be_blanks, user_values, writes = (
            names_by_check.judged,
            names_by_check.blanks,
            names_by_check.user_values,
            self._writes,
        )

        def mentions_all(arguments: Mapping[str, Any], record: SessionRecord) -> bool:
            if guarded and not _are_plain(guarded, arguments):
                return False
            for name in may_be_blanks:
                leaf = arguments[name]
                if type(leaf) is str and begins_blank(leaf) and may_be_blank(leaf.strip()):
                    return False
            mentions = record.mentions
            user_chunks, labelled = mentions.user_chunks, mentions.has_labels
            if labelled and _has_user_value(user_values, arguments, user_chunks):
                return False
            values = set()
            for name, kind_words in judged:
                leaf = arguments[name]
                if leaf in values or (writes and type(leaf) is str and is_rooted(leaf)):
                    return False  # one value under two names, or possibly the end of a path
                values.add(leaf)
                # The kinds of all tools are needed only for a value that a user labelled.
                if leaf in user_chunks and (
                    not labelled
                    or mentions.fits_label(leaf, kind_words)
                    or not mentions.is_called_one_of(leaf, kinds(record) - kind_words)
                ):
                    continue
                text = leaf if type(leaf) is str else scalar_text(leaf)
                if (
                    text
                    and not mentions.vouches(text, kind_words)
                    and self._needs_mention(name, leaf, text)
                ):
                    return False
            return True

        return mentions_all

    @property
    def _writes(self) -> bool:
        return self.tool.destructive or self.action.writes

    def _needs_mention(self, name: str, leaf: Any, text: str) -> bool:
        """Return whether a value looks like one that must come from the run."""
        parameter = self.parameters.at((name,))
        if text in parameter.defaults:
            return False
        argument = classify_argument((name,), leaf, text, parameter)
        return argument is not None or self.is_free_text(text, parameter)

    @staticmethod
    def is_free_text(text: str, parameter: Parameter) -> bool:
        """Return whether a value under an identifier's name is too long to be judged as one."""
        return not parameter.declared and is_free_text(text, parameter.judged, parameter.name)

    def find_unmentioned(
        self,
        arguments: Mapping[str, Any],
        vouches: Vouches = _never_vouches,
        *,
        max_user_values: int = 0,
    ) -> list[UnmentionedLeaf]:
        """
        Return the leaves of judged parameters that *vouches* rejects, among the first 10,000.

        Args:
            arguments: The arguments of the call.
            vouches: Returns whether the run mentions a value, so that no further check is needed.
            max_user_values: Most leaves to compare with a value that the user stated.
        """
        unmentioned: list[UnmentionedLeaf] = []
        values: set[str] = set()
        writes = self._writes
        for path, leaf in leaves(arguments, most=MOST_JUDGED):
            parameter = self.parameters.at(path)
            # A blank to fill in is wrong in other parameters, too.
            judged = parameter.is_judged or is_unfilled_blank(leaf, parameter)
            if (
                max_user_values > 0
                and not judged
                and parameter.may_be_user_value
                and isinstance(leaf, str)
            ):
                judged = looks_like_user_value(leaf)
                max_user_values -= judged
            text = scalar_text(leaf) if judged else None
            if not text:
                continue
            # These are judged even if the run mentions the value.
            strict = parameter.must_be_seen or text in values
            strict = strict or (parameter.guard == "target" and may_be_group(text))
            strict = strict or (writes and is_rooted(text))
            if strict or not vouches(text, parameter.entity_words):
                unmentioned.append(UnmentionedLeaf(path, leaf, text, parameter))
            # If the value occurs again, it may be of another kind there.
            values.add(text)
        for name, value in arguments.items():
            if isinstance(value, Mapping):
                unmentioned += self._object_keys(name, value, vouches)
        return unmentioned

    def _object_keys(
        self, name: str, value: Mapping[str, Any], vouches: Vouches
    ) -> Iterator[UnmentionedLeaf]:
        """Return the keys of an object in a target that are identifiers themselves."""
        parameter = self.parameters.at((name,))
        if not parameter.names_target:
            return
        for key in map(str, islice(value, MOST_JUDGED)):
            is_id = is_token(key) if parameter.declared else is_code(key) or is_address(key)
            vouched = not parameter.must_be_seen and vouches(key, parameter.entity_words)
            if is_id and not vouched and not schema_at(self.tool.parameters, (name, key)):
                yield UnmentionedLeaf((name, key), key, key, parameter)

    def find_incomparable_targets(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        """Return the names of targets whose values cannot be compared with anything."""
        for path, leaf in leaves(arguments, most=MOST_JUDGED):
            if leaf is not None and not isinstance(leaf, bool) and scalar_text(leaf) is None:
                candidates = (self.parameters.at(path), self.parameters.at(path[:1]))
                targets = [parameter.name for parameter in candidates if parameter.names_target]
                if targets and not candidates[0].is_guarded:
                    yield targets[0]

    def guarded_leaves(self, arguments: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
        """Return the leaves of guarded parameters, except those the allowlist or schema admits."""
        if not self.parameters.may_be_guarded:
            return
        for path, leaf in leaves(arguments, most=MOST_JUDGED):
            parameter = self.parameters.at(path)
            if not parameter.is_guarded or (isinstance(leaf, str) and leaf in parameter.defaults):
                continue
            # A null member counts as left out; a null in a list takes the place of a thing.
            left_out = leaf is None and not isinstance(path[-1], int)
            if not left_out and not any(admits(leaf) for admits in parameter.allow):
                yield path, leaf
        for name, value in arguments.items():
            empty = isinstance(value, (Mapping, list)) and not value
            if empty and self.parameters.at((name,)).guard == "selector":
                yield (name,), "{}"

    def classify_leaves(
        self, unmentioned: Iterable[UnmentionedLeaf], arguments: Mapping[str, Any]
    ) -> Iterator[Argument]:
        """Return the leaves whose values must come from the run, with the kind of each value."""
        texts: frozenset[str] | None = None
        for path, leaf, text, parameter in unmentioned:
            if not text.strip() or text in parameter.defaults:
                continue
            argument = classify_argument(path, leaf, text, parameter)
            # `{"name": "tag:Name", "value": ...}` names a column, not a thing.
            if argument is None or (len(path) > 1 and _is_key(path, arguments)):
                continue
            if names_file(path) and is_creation_command(arguments):
                continue
            if not parameter.declared and self._sends_content(path, arguments):
                continue
            if any(admits(leaf) for admits in parameter.allow):
                continue
            is_user_value = argument.judged == "user_value"
            if is_user_value or any(isinstance(step, int) for step in path):
                texts = _normalised_texts(arguments) if texts is None else texts
                is_key = is_list_key(path, text, arguments, texts)
                others = texts if is_user_value else frozenset()
                argument = argument._replace(is_list_key=is_key, other_values=others)
            yield argument

    def created_names(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        """Return the normalised names of the things that a call with *arguments* creates."""
        is_creation = is_creation_command(arguments)
        creates = bool(self.tool.creates) or self.action.creates or is_creation
        if creates or self.action.does in (VerbEffect.MAKE, VerbEffect.ACT):
            # The same number of leaves as for the entities of a write.
            for path, leaf in leaves(arguments, most=200):
                is_created = self._sends_content(path, arguments) or (
                    creates
                    and (self.parameters.at(path).creates or (is_creation and names_file(path)))
                )
                if is_created and (text := scalar_text(leaf)):
                    yield normal(text[:_MAX_NAME_LENGTH])

    def _sends_content(self, path: Path, arguments: Mapping[str, Any]) -> bool:
        return sends_content(path, arguments, self.tool, self.action)

    def names_entity(self, path: Path) -> bool:
        """Return whether leaves at *path* identify what the call acts on or creates."""
        return self.parameters.at(path).names_entity

    def is_free(self, path: Path) -> bool:
        """Return whether leaves at *path* are composed by the agent."""
        return self.parameters.at(path).free

    def is_open(self, path: Path) -> bool:
        """Return whether leaves at *path* are classified by their value, not by their name."""
        return self.parameters.at(path).judged == "open"

    def is_presented_credential(self, path: Path) -> bool:
        """Return whether leaves at *path* present a credential."""
        return self.parameters.at(path).credential == "presented"

    def is_judged_by_name(self, path: Path) -> bool:
        """Return whether leaves at *path* are judged by their name alone."""
        return self.parameters.at(path).judged in ("hard", "who", "soft", "public")


def _are_plain(guarded: Iterable[tuple[str, Parameter]], arguments: Mapping[str, Any]) -> bool:
    """Return whether a comparison covers all of each guarded value."""
    for name, parameter in guarded:
        if not _is_plain(arguments[name]):
            return False
        # The last digits of a longer number occur in the run, but are another number.
        if parameter.guard == "target" and may_be_group(str(arguments[name])):
            return False
    return True


def _has_user_value(
    names: Iterable[str], arguments: Mapping[str, Any], user_chunks: Collection[str]
) -> bool:
    """Return whether a value that the user's messages lack looks like one that a user states."""
    for name in names:
        leaf = arguments[name]
        if isinstance(leaf, str) and leaf not in user_chunks and looks_like_user_value(leaf):
            return True
    return False


def _normalised_texts(arguments: Mapping[str, Any]) -> frozenset[str]:
    texts = (scalar_text(leaf) for _, leaf in leaves(arguments, most=_MAX_OTHER_VALUES))
    return frozenset(normal(text[:_MAX_NAME_LENGTH]).strip() for text in texts if text)


def _is_plain(leaf: Any) -> bool:
    """Return whether a guarded value is a plain id that the fast check may compare."""
    # A condition looks like plain words.
    if isinstance(leaf, str):
        if _PLAIN.fullmatch(leaf) is None or is_condition(leaf):
            return False
        return not (
            is_whole_set(leaf)
            or selects_all(leaf)
            or is_word_for_all(leaf)
            or is_null_word(leaf)
            or is_system_account(leaf)
        )
    return type(leaf) is int


def _is_key(path: Path, arguments: Mapping[str, Any]) -> bool:
    """Return whether a leaf is the key of a pair: ``{"name": "tag:Name", "values": []}``."""
    words = name_words(name_of(path))
    if words not in _KEY_MEMBERS and words not in _POINTER_MEMBERS:
        return False
    parent = parent_of(path, arguments)
    if words in _POINTER_MEMBERS:
        # A JSON Patch has `op` beside its pointers.
        return isinstance(parent, Mapping) and "op" in parent
    return isinstance(parent, Mapping) and any(
        str(key).casefold() in _VALUE_MEMBERS for key in islice(parent, _MAX_KEYS)
    )


def compile_targets(
    tool: Tool,
    *,
    allow: tuple[Any, ...],
    authors: Iterable[Tool] = (),
    hidden: tuple[str, ...] = (),
) -> Targets:
    """
    Compile the judged arguments of *tool*.

    Args:
        tool: The tool's contract.
        allow: Values, or predicates of values, that need no mention in any argument.
        authors: The host's declarations of the tool, without a third party's description.
        hidden: Declared targets for which the model's schema has no parameter.
    """
    authors = (*authors,)
    action = _parse_action(tool, authors)
    admitted = tuple(map(compile_allow_entry, (*allow, *tool.allow)))
    schema = AuthorSchema(tool, authors)
    parameters = Parameters(tool=tool, action=action, allow=admitted, schema=schema, hidden=hidden)
    return Targets(tool=tool, action=action, parameters=parameters)


def _parse_action(tool: Tool, authors: tuple[Tool, ...]) -> ToolAction:
    """Return the action in the first description that states another one than the tool's name."""
    plain = parse_action(tool.name)
    # the author's own words first: another description may call a deletion a search
    texts = (*(author.description for author in reversed(authors)), tool.description)
    actions = (parse_described_action(tool.name, text[:_MAX_DESCRIPTION]) for text in texts)
    return next((action for action in actions if action != plain), plain)
