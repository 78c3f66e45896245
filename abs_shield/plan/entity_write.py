"""A write of a run: what a call changed, and which entity it acts on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from abs_shield.core.digest import digest_of
from abs_shield.plan.parameter_values import is_token
from abs_shield.plan.tool_action import ToolAction, have_same_noun
from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import Path, name_of
from abs_shield.text.verbs import VerbEffect

_POSITION_WORDS = frozenset("index row line position count offset nth number page top".split())
"""Words of parameters whose values are positions, which move when an object is removed."""
_FILE_WORDS = frozenset("file path filename filepath folder directory dir".split())
_MIN_CONTENT_LENGTH = 4  # a shorter text, such as `yes`, is in many calls
_MAX_NEW_IDS = 8
"""Identifiers in the result of one creating call; a longer list is a search result."""


class Write(NamedTuple):
    """
    One write: its action, its entities and its other values.

    Attributes:
        tool: The tool's name.
        action: Its action.
        position: Index of the write among the writes of the run, from 0.
        entities: Parameter name to the identifiers in its value.
        subject_names: The names in `entities` that belong to the action's own noun.
        values: Path to every value that does not identify the entity.
        returned: Identifiers in its result.
        numbers: Numbers in its result that may be the identifier of its entity.
        arguments: All its arguments.
        at: Time of the call, in seconds on the session's clock.
        turn: Number of user messages before it.
        call_key: Id of the decision about it, or else of the call; None if it has neither.
    """

    tool: str
    action: ToolAction
    position: int
    entities: Mapping[str, frozenset[str]]
    subject_names: frozenset[str]
    values: Mapping[Path, Any]
    returned: frozenset[str]
    numbers: frozenset[str]
    arguments: Mapping[str, Any]
    at: float
    turn: int
    call_key: str | None = None

    def shared_identifiers(self, other: Write) -> frozenset[str]:
        """
        Return the identifiers by which *other* acts on the entity of this write; empty if none.

        If both have parameters of the same name, the values of every such parameter must overlap,
        as a shared group with another member is not a shared entity. If they have no common name,
        or only that of a group, an id in the result of this write is enough.
        """
        returned = self.returned | self.numbers
        common = self.entities.keys() & other.entities.keys()
        if common:
            shared = [self.entities[name] & other.entities[name] for name in common]
            if not all(shared):
                return frozenset()
            values = frozenset().union(*shared)
            if self._covers_subject(values) and other._covers_subject(values):
                return values
            return returned & subject_entities(other) if self.action.is_undoable else frozenset()
        # Without a common name, both may have the same id under different names. The result of a
        # removal also names what belonged to the removed thing, such as a payment's recipient.
        names_subject = self.action.does is VerbEffect.UNMAKE and self.subject_names
        own = subject_entities(self) if names_subject else returned.union(*self.entities.values())
        return own & frozenset().union(*other.entities.values())

    def repeats_content_of(self, other: Write) -> bool:
        """
        Return whether neither write identifies an entity and *other* has all values of this one.

        An object without an id, such as "lunch with Mia at noon", is identified by its content.
        """
        if self.entities or other.entities or not has_content(self.values):
            return False
        return all(
            path in other.values and other.values[path] == value
            for path, value in self.values.items()
        )

    def _covers_subject(self, values: frozenset[str]) -> bool:
        """
        Return whether *values* include the subject of a removal, not only its group.
        """
        if self.action.does is not VerbEffect.UNMAKE or not self.subject_names:
            return True
        return not values.isdisjoint(subject_entities(self))

    def returns_id_of(self, other: Write) -> bool:
        """Return whether this write returned a new id that *other* uses as its subject."""
        new = self.returned - frozenset().union(*self.entities.values())
        return len(new) <= _MAX_NEW_IDS and not new.isdisjoint(subject_entities(other))


def arguments_key(write: Write) -> bytes:
    """Return a digest of a removal's tool and arguments, for removals without an identifier."""
    return digest_of(write.tool, write.arguments)


def has_content(values: Mapping[Path, Any]) -> bool:
    """Return whether values identify an object: they have a text, and no position in a list."""
    names = [name_words(name_of(path)) for path in values]
    if any(not _POSITION_WORDS.isdisjoint(words) for words in names):
        return False
    return any(
        isinstance(value, str) and len(value) >= _MIN_CONTENT_LENGTH for value in values.values()
    )


def undoes(first: Write, then: Write) -> bool:
    """Return whether *then* undoes what *first* created or changed, on the same entity."""
    return (
        first.action.is_undoable
        and then.action.does is VerbEffect.UNMAKE
        and (
            first.returns_id_of(then)
            or (
                _may_undo(first, then)
                and (bool(first.shared_identifiers(then)) or then.repeats_content_of(first))
            )
        )
    )


def _may_undo(first: Write, then: Write) -> bool:
    """
    Return whether both act on one kind of thing; a change counts only if both have a noun.
    """
    comparable = first.action.does is not VerbEffect.CHANGE or bool(
        first.action.noun and then.action.noun
    )
    return comparable and have_same_subject(first, then)


def have_same_subject(first: Write, then: Write) -> bool:
    """
    Return whether two writes act on one kind of thing.

    For a verb without a noun, the names and texts of its arguments say what it acts on:
    `deploy(service="web")` acts on a service, but not on a cache or an alert.
    """
    one, other = (write.action.noun or write.action.object for write in (first, then))
    if bool(one) == bool(other):
        return have_same_noun(first.action, then.action)
    bare, noun = (first, other) if other else (then, one)
    kinds = {word for name in bare.entities for word in name_words(name)}
    kinds |= _FILE_WORDS if names_file_argument(bare) else set()
    texts = {str(value).casefold() for value in bare.values.values() if isinstance(value, str)}
    return noun[-1] in kinds | texts


def names_file_argument(write: Write) -> bool:
    """Return whether an argument of a write names a file or a folder."""
    return any(not _FILE_WORDS.isdisjoint(name_words(name)) for name in write.entities)


def subject_entities(write: Write) -> frozenset[str]:
    """Return the identifiers of the action's subject; all identifiers if it has no own names."""
    names = write.subject_names or write.entities.keys()
    return frozenset().union(*(write.entities[name] for name in names))


def unambiguous_entities(write: Write) -> frozenset[str]:
    """Return the identifiers of the action's subject; none if that is ambiguous."""
    # If the values have another token, either may be the subject.
    others = any(is_token(value) for value in write.values.values())
    clear = bool(write.subject_names) or (len(write.entities) == 1 and not others)
    return subject_entities(write) if clear else frozenset()
