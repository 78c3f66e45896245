"""Writes of a run by entity: the newest writes, and which entities were created and removed."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from abs_shield.core.digest import digest_of
from abs_shield.plan.created_entities import names_file, parse_created_names
from abs_shield.plan.parameter_names import classify_name, is_place
from abs_shield.plan.parameter_values import is_token
from abs_shield.plan.proposal import Plans
from abs_shield.plan.result_ids import entity_text, find_identifiers, find_new_ids
from abs_shield.plan.spellings import EntitySpellings
from abs_shield.plan.tool_action import ToolAction, have_same_noun, parse_action_argument
from abs_shield.plan.tool_parameters import Parameter
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.policy.policy import MOST_WINDOW_CALLS
from abs_shield.session import Executed
from abs_shield.session.session_record import SessionRecord
from abs_shield.text.failure_results import is_failure_result
from abs_shield.text.identifier_words import name_words, subject_words
from abs_shield.text.json_leaves import Path, json_data, leaves, name_of
from abs_shield.text.normal_form import normal
from abs_shield.text.value_shapes import is_address, is_code
from abs_shield.text.verbs import VerbEffect

_REMOVING_VERBS = frozenset(
    "delete remove cancel destroy erase purge drop terminate discard void trash revoke rm "
    "rmdir".split()
)
_GENERIC_WORDS = frozenset("id uuid guid number no num name key code ref reference".split())
_NUMBER_NAMES = (("number",), ("no",), ("num",), ("ref",), ("reference",))
_ON_EXISTING = (VerbEffect.CHANGE, VerbEffect.UNMAKE)
_POSITION_WORDS = frozenset("index row line position count offset nth number page top".split())
"""Words of parameters whose values are positions, which move when an object is removed."""
_FILE_WORDS = frozenset("file path filename filepath folder directory dir".split())
_MIN_CONTENT_LENGTH = 4  # a shorter text, such as `yes`, is in many calls
_MIN_ENTITIES = 2  # a place is a value only if something else is the entity
_MAX_NEW_IDS = 8
"""Identifiers in the result of one creating call; a longer list is a search result."""
_MAX_REMOVED = 10_000  # the oldest are dropped, so that a write to them has no finding
_MAX_CREATED = 10_000  # with more names the history is incomplete
_FORGOT_CALLS = "older calls of this run were dropped to stay within its limits"
# removals without an identifier; each further one is compared with all of them
_MAX_REMOVED_CONTENTS = 100
_MAX_LEAVES = 200  # leaves of a write's arguments that are read; more are data
_MAX_ID_LENGTH = 64  # a SHA-256 digest in hexadecimal; longer texts are prose
_MAX_TEXT_LENGTH = 16 * 1024  # a creating statement is near the beginning of a script

_Reader = Callable[[Executed, Plans], None]


class NormaliseId(Protocol):
    """A function that returns the spelling with which an identifier is compared."""

    def __call__(self, text: str, /, *, number: bool = False) -> str: ...


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
        # Without a common name, both may have the same id under different names.
        own = returned.union(*self.entities.values())
        return own & frozenset().union(*other.entities.values())

    def repeats_content_of(self, other: Write) -> bool:
        """
        Return whether neither write identifies an entity and *other* has all values of this one.

        An object without an id, such as "lunch with Mia at noon", is identified by its content.
        """
        if self.entities or other.entities or not _has_content(self.values):
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


class WriteHistory:
    """
    The writes of one session, updated with its executed calls; each call is read once.

    Sub-agents share created and removed entities with the run that started them.

    Attributes:
        writes: The newest writes, oldest first.
        undone: Positions of the writes that a later write undid.
        removed: Identifier of a removed entity to the write that removed it.
        removed_contents: `arguments_key` of a removal without an identifier to that write.
        created: Normalised names of created entities, in their order.
        spellings: The first spelling of each entity.
        incomplete_reason: Why a call of the run was not read, or is not stored; empty if all are.
        has_failed: Whether a call was not read because of an error.
    """

    def __init__(self) -> None:
        self._read = self._children_read = 0
        self._count = 0
        self.writes: deque[Write] = deque(maxlen=MOST_WINDOW_CALLS)
        self.undone: set[int] = set()
        self.removed: OrderedDict[str, Write] = OrderedDict()
        self.removed_contents: OrderedDict[bytes, Write] = OrderedDict()
        self.created: OrderedDict[str, None] = OrderedDict()
        self.spellings = EntitySpellings()
        self.incomplete_reason = ""
        self.has_failed = False

    @classmethod
    def of(
        cls, record: SessionRecord, plans: Callable[[SessionRecord], Plans], *, owner: object
    ) -> WriteHistory:
        """Return the up-to-date history of a session, read with the tools of *owner*."""
        # The usual case first: an up-to-date history can be read without a lock.
        if record.parent is None:
            history = record.derive(cls, owner=owner)
            if history._is_up_to_date(record):
                return history
        # The parent's history comes first, as locks are acquired from the top down.
        parent = None if record.parent is None else cls.of(record.parent, plans, owner=owner)
        with record.lock:
            return cls._update(record, plans(record), owner=owner, parent=parent)

    @classmethod
    def _update(
        cls, record: SessionRecord, plans: Plans, *, owner: object, parent: WriteHistory | None
    ) -> WriteHistory:
        history = record.derive(cls, owner=owner)
        if parent is not None:
            history.removed, history.created = parent.removed, parent.created
            history.removed_contents, history.spellings = parent.removed_contents, parent.spellings
        new = record.execution_count - history._read
        newest = record.newest(new)
        # Calls that were dropped before they were read may have created or removed anything.
        if len(newest) < new or len(history.created) >= _MAX_CREATED:
            history.incomplete_reason = history.incomplete_reason or _FORGOT_CALLS
        for executed in newest:
            history._read_safely(history._add_call, executed, plans)
        below = record.child_execution_count - history._children_read
        for executed in record.newest(below, of_children=True):
            history._read_safely(history._add_child_call, executed, plans)
        history._children_read = record.child_execution_count
        history._read = record.execution_count
        return history

    def _is_up_to_date(self, record: SessionRecord) -> bool:
        read = (self._read, self._children_read)
        return read == (record.execution_count, record.child_execution_count)

    @property
    def write_count(self) -> int:
        """Number of writes so far."""
        return self._count

    def _read_safely(self, read: _Reader, executed: Executed, plans: Plans) -> None:
        """Read a call; if that raises, record that the history is incomplete, and why."""
        try:
            read(executed, plans)
        except Exception as error:  # caught here, so that it is not raised again for each call
            self.has_failed = True
            self.incomplete_reason = f"a call of this run could not be read: {type(error).__name__}"

    def _add_call(self, executed: Executed, plans: Plans) -> None:
        plan = plans(executed.tool)
        value = json_data(executed.value)
        # A failed call has changed nothing.
        if executed.error or plan is None or is_failure_result(value):
            return
        self._add_created(plan, executed.arguments)
        # A nested call may create things, but its writes contradict no call of the agent.
        if executed.nested or not plan.writes:
            return
        write = build_write(
            plan, executed.arguments, position=self._count, at=executed.at, turn=executed.turn,
            normalise_id=self.spellings.add, value=value,
            call_key=executed.decision_id or executed.call_id,
        )  # fmt: skip
        self._count += 1
        if write.action.does is VerbEffect.UNMAKE:
            self.undone.update(
                earlier.position for earlier in self.writes if undoes(earlier, write)
            )
            # Positions of writes that are no longer stored are not needed.
            self.undone = {
                position for position in self.undone if position > self._count - MOST_WINDOW_CALLS
            }
        self.writes.append(write)
        self._update_removed(write)

    def _add_child_call(self, executed: Executed, plans: Plans) -> None:
        """Add the entities that a sub-agent's call created or removed, but not its write."""
        plan = plans(executed.tool)
        if executed.error or plan is None or is_failure_result(json_data(executed.value)):
            return
        self._add_created(plan, executed.arguments)
        if plan.writes and not executed.nested:
            self._update_removed(
                build_write(
                    plan, executed.arguments, position=self._count, at=executed.at,
                    turn=executed.turn, normalise_id=self.spellings.add,
                    value=json_data(executed.value),
                )
            )  # fmt: skip

    def _add_created(self, plan: ToolPlan, arguments: Mapping[str, Any]) -> None:
        self.created.update(dict.fromkeys(plan.targets.created_names(arguments)))
        if plan.writes:
            for _, leaf in leaves(arguments, most=_MAX_LEAVES):
                # A statement has at least two words.
                if isinstance(leaf, str) and " " in leaf:
                    self.created.update(
                        dict.fromkeys(map(normal, parse_created_names(leaf[:_MAX_TEXT_LENGTH])))
                    )
        while len(self.created) > _MAX_CREATED:
            self.created.popitem(last=False)

    def _update_removed(self, write: Write) -> None:
        entities = unambiguous_entities(write)
        if write.action.does is VerbEffect.MAKE:
            # An entity that is created again is no longer removed.
            for value in (*subject_entities(write), *write.returned):
                self.removed.pop(value, None)
            for key in [
                key
                for key, old in self.removed_contents.items()
                if have_same_noun(old.action, write.action)
            ]:
                del self.removed_contents[key]
        # `remove_user(from group)` removes a membership, not the user.
        elif write.action.verb in _REMOVING_VERBS and not write.action.object:
            # Without its values, which may be large and are no longer compared.
            tombstone = write._replace(
                arguments={}, values={}, returned=frozenset(), numbers=frozenset()
            )
            for value in entities:
                self.removed[value] = tombstone
            while len(self.removed) > _MAX_REMOVED:
                self.removed.popitem(last=False)
            if not write.entities and _has_content(write.values):
                self.removed_contents[arguments_key(write)] = tombstone
                while len(self.removed_contents) > _MAX_REMOVED_CONTENTS:
                    self.removed_contents.popitem(last=False)


def arguments_key(write: Write) -> bytes:
    """Return a digest of a removal's tool and arguments, for removals without an identifier."""
    return digest_of(write.tool, write.arguments)


def build_write(
    plan: ToolPlan,
    arguments: Mapping[str, Any],
    *,
    position: int,
    at: float,
    turn: int,
    normalise_id: NormaliseId,
    value: Any = None,
    call_key: str | None = None,
) -> Write:
    """
    Build the write of one call.

    Args:
        plan: The compiled tool.
        arguments: The arguments of the call.
        position: Index of the write among the writes of the run, from 0.
        at: Time of the call, in seconds on the session's clock.
        turn: Number of user messages before it.
        normalise_id: Returns the spelling of an identifier in this run.
        value: The result; None if the call has none yet.
        call_key: Id of the decision about it, or else of the call.
    """
    entities: dict[str, set[str]] = {}
    argument_leaves = list(leaves(arguments, most=_MAX_LEAVES))
    for path, leaf in argument_leaves:
        text, parameter = entity_text(leaf), plan.targets.parameters.at(path)
        if text and _is_entity(leaf, text, parameter, plan):
            normalised = normalise_id(text, number=parameter.field.number)
            entities.setdefault(name_of(path), set()).add(normalised)
    # A list, as entries are deleted while it is read.
    for name in [name for name in entities if _is_assigned_place(name, entities, plan)]:
        del entities[name]
    own = frozenset(name for name in entities if _names_subject(name, plan.action))
    return Write(
        tool=plan.name,
        action=_resolve_action(plan.action, arguments),
        position=position,
        entities={name: frozenset(values) for name, values in entities.items()},
        subject_names=own,
        values={
            path: _normalise_number(leaf, plan.targets.parameters.at(path))
            for path, leaf in argument_leaves
            if name_of(path) not in (own or entities)
        },
        returned=frozenset(map(normalise_id, find_identifiers(value)))
        if value is not None
        else frozenset(),
        numbers=frozenset(find_new_ids(value, plan.action))
        if value is not None and plan.action.is_undoable
        else frozenset(),
        arguments=arguments,
        at=at,
        turn=turn,
        call_key=call_key,
    )


def _resolve_action(from_name: ToolAction, arguments: Mapping[str, Any]) -> ToolAction:
    """Return the action in the tool's name or, if that is generic, in an argument."""
    from_argument = parse_action_argument(arguments) if from_name.does is VerbEffect.ACT else None
    return (
        from_name
        if from_argument is None
        else replace(from_argument, noun=from_argument.noun or from_name.noun)
    )


def _is_entity(leaf: Any, text: str, parameter: Parameter, plan: ToolPlan) -> bool:
    """Return whether a leaf identifies an entity: by its name, its value, or the tool's noun."""
    if parameter.names_entity:
        return True
    if parameter.free or len(text) > _MAX_ID_LENGTH:
        return False
    words, noun = subject_words(parameter.name) - {"name"}, frozenset(plan.action.noun)
    if words and words <= noun:  # `set_budget(budget=100)` sets it
        return plan.action.verb != "set" or words != frozenset(plan.action.noun[-len(words) :])
    if noun and name_words(parameter.name) in _NUMBER_NAMES and plan.action.does in _ON_EXISTING:
        return True  # `close_issue(number=519)`
    if not noun and names_file((parameter.name,)):
        return True  # `rm(file_name=...)`
    classify_value = parameter.judged in ("open", "number")
    return classify_value and isinstance(leaf, str) and (is_code(leaf) or is_address(leaf))


def _is_assigned_place(name: str, others: Collection[str], plan: ToolPlan) -> bool:
    """Return whether a place is the assigned value: ``update_location(item_id, location)``."""
    if (
        len(others) < _MIN_ENTITIES
        or plan.action.does is not VerbEffect.CHANGE
        or not is_place(name)
    ):
        return False
    return name_words(name)[-1:] == plan.action.noun[-1:] and classify_name(name) != "hard"


def _normalise_number(leaf: Any, parameter: Parameter) -> Any:
    """Return a value with the type of its schema: a ``number`` is a float even if it is whole."""
    return float(leaf) if parameter.measures and type(leaf) is int else leaf


def _has_content(values: Mapping[Path, Any]) -> bool:
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


def _names_subject(name: str, action: ToolAction) -> bool:
    words = frozenset(name_words(name)) - _GENERIC_WORDS
    return not words or not words.isdisjoint(action.noun)
