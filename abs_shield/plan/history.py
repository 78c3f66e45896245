"""What the calls of a run did to which entity: the newest writes, what was made and removed."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from abs_shield.core.digest import digest_of
from abs_shield.plan.creating import names_file
from abs_shield.plan.names import by_name, is_place
from abs_shield.plan.parameters import Parameter
from abs_shield.plan.proposal import Plans
from abs_shield.plan.result_ids import entity_text, identifiers, numbers
from abs_shield.plan.spellings import Spellings
from abs_shield.plan.statements import made_in
from abs_shield.plan.tool import ToolPlan
from abs_shield.plan.values import is_token
from abs_shield.plan.verbs import Deed, commanded, same_noun
from abs_shield.session import Executed
from abs_shield.session.session_record import SessionRecord
from abs_shield.text.failure import tells_failure
from abs_shield.text.leaves import Path, data_of, leaves, name_of
from abs_shield.text.names import name_words, of_what
from abs_shield.text.normal import normal
from abs_shield.text.shape import is_address, is_code
from abs_shield.text.verbs import Does

_ENDING = frozenset(
    "delete remove cancel destroy erase purge drop terminate discard void trash revoke rm "
    "rmdir".split()
)
_GENERIC = frozenset("id uuid guid number no num name key code ref reference".split())
_NUMBERS = (("number",), ("no",), ("num",), ("ref",), ("reference",))
_OF_WHAT_IS_THERE = (Does.CHANGE, Does.UNMAKE)
_PLACES = frozenset("index row line position count offset nth number page top".split())
"""Words of parameters by which the next thing is met when the first one is gone."""
_FILES = frozenset("file path filename filepath folder directory dir".split())
_LEAST_CONTENT = 4
_LEAST_NAMED = 2
_MOST_WRITES = 256
_MOST_NEW = 8
"""Identifiers in the result of one making call; a list of more is something that was found."""
_MOST_REMOVED = 10_000
_MOST_MADE = 10_000
_MOST_ENDED = 100
_MOST_LEAVES = 200
_LONGEST = 64
_MOST_TEXT = 16 * 1024

Reads = Callable[[Executed, Plans], None]


class Spelt(Protocol):
    """Return the spelling in which an identifier is compared."""

    def __call__(self, text: str, /, *, number: bool = False) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """
    One write: what it did, to which entities, with which other values.

    Attributes:
        place: Counts the run's writes from 0.
        entities: Parameter name to the identifiers that it held.
        own: Those of the names that name the noun itself.
        values: Path to every value that does not name the entity.
        returned: Identifiers that its result held.
        numbers: Numbers in its result that may be the identifier of its entity.
        at: Seconds on the session's clock.
        turn: How many user messages came before.
        call_id: Id of the call; None where it had none.
    """

    tool: str
    deed: Deed
    place: int
    entities: Mapping[str, frozenset[str]]
    own: frozenset[str]
    values: Mapping[Path, Any]
    returned: frozenset[str]
    numbers: frozenset[str]
    arguments: Mapping[str, Any]
    at: float
    turn: int
    call_id: str | None = None

    def meets(self, other: Write) -> frozenset[str]:
        """
        Give the identifiers on which *other* came back to the entity of this write.

        Every identifier that both name has to be the same: a shared group with another member
        is no shared entity. Where they share no name, or only that of a group, an id that this
        write returned counts.
        """
        returned = self.returned | self.numbers
        common = self.entities.keys() & other.entities.keys()
        if common:
            met = [self.entities[name] & other.entities[name] for name in common]
            if not all(met):
                return frozenset()
            same = frozenset().union(*met)
            if self._is_of(same) and other._is_of(same):
                return same
            return returned & own_entities(other) if self.deed.opens else frozenset()
        known = returned.union(*self.entities.values())
        return known & frozenset().union(*other.entities.values())

    def has_content_of(self, other: Write) -> bool:
        """
        Whether neither names an entity, and all that this write says *other* had said too.

        What is called by its content, "lunch with Mia at noon", is known by it.
        """
        if self.entities or other.entities or not _has_content(self.values):
            return False
        return all(
            path in other.values and other.values[path] == value
            for path, value in self.values.items()
        )

    def _is_of(self, values: frozenset[str]) -> bool:
        """Whether *values* name what this write undoes, where it says so: a group is not enough."""
        if self.deed.does is not Does.UNMAKE or not self.own:
            return True
        return not values.isdisjoint(own_entities(self))

    def brought(self, other: Write) -> bool:
        """Whether this write returned an id that was new, and *other* names it as its own."""
        new = self.returned - frozenset().union(*self.entities.values())
        return len(new) <= _MOST_NEW and not new.isdisjoint(own_entities(other))


class History:
    """
    The writes of one session, kept up with its executed calls; each is read once.

    Sub-agents share what was made and removed with the run that started them. ``lost`` says that
    calls of the run were forgotten before they were read.
    """

    def __init__(self) -> None:
        self._read = self._heard = 0
        self._place = 0
        self.writes: deque[Write] = deque(maxlen=_MOST_WRITES)
        self.spent: set[int] = set()
        self.removed: OrderedDict[str, Write] = OrderedDict()
        self.ended: OrderedDict[bytes, Write] = OrderedDict()
        self.made: OrderedDict[str, None] = OrderedDict()
        self.spellings = Spellings()
        self.lost = False

    @classmethod
    def of(
        cls, record: SessionRecord, plans: Callable[[SessionRecord], Plans], *, owner: object
    ) -> History:
        """Return the history of a session up to now, as its tools of *owner* read it."""
        if record.parent is None:
            known = record.derive(cls, owner=owner)
            if known._is_up_to_date(record):
                return known
        above = None if record.parent is None else cls.of(record.parent, plans, owner=owner)
        with record.lock:
            return cls._up_to_now(record, plans(record), owner=owner, above=above)

    @classmethod
    def _up_to_now(
        cls, record: SessionRecord, plans: Plans, *, owner: object, above: History | None
    ) -> History:
        history = record.derive(cls, owner=owner)
        if above is not None:
            history.removed, history.made = above.removed, above.made
            history.ended, history.spellings = above.ended, above.spellings
        new = record.execution_count - history._read
        newest = record.newest(new)
        history.lost = history.lost or len(newest) < new or len(history.made) >= _MOST_MADE
        for executed in newest:
            history._try(history._take, executed, plans)
        below = record.child_execution_count - history._heard
        for executed in record.newest(below, of_children=True):
            history._try(history._learn, executed, plans)
        history._heard = record.child_execution_count
        history._read = record.execution_count
        return history

    def _is_up_to_date(self, record: SessionRecord) -> bool:
        read = (self._read, self._heard)
        return read == (record.execution_count, record.child_execution_count)

    @property
    def place(self) -> int:
        """How many writes there were."""
        return self._place

    def _try(self, read: Reads, executed: Executed, plans: Plans) -> None:
        """Read a call; one of which something breaks when it is read is lost."""
        try:
            read(executed, plans)
        except Exception:  # an object of the host's
            self.lost = True

    def _take(self, executed: Executed, plans: Plans) -> None:
        plan = plans(executed.tool)
        value = data_of(executed.value)
        if executed.error or plan is None or tells_failure(value):
            return
        self._note_made(plan, executed.arguments)
        if executed.nested or not plan.writes:
            return
        write = write_of(
            plan, executed.arguments, place=self._place, at=executed.at, turn=executed.turn,
            spelt=self.spellings.learn, value=value, call_id=executed.call_id,
        )  # fmt: skip
        self._place += 1
        if write.deed.does is Does.UNMAKE:
            self.spent.update(old.place for old in self.writes if undoes(old, write))
            self.spent = {place for place in self.spent if place > self._place - _MOST_WRITES}
        self.writes.append(write)
        self._bury(write)

    def _learn(self, executed: Executed, plans: Plans) -> None:
        """A sub-agent's call: what it made and removed counts here, and contradicts nothing."""
        plan = plans(executed.tool)
        if executed.error or plan is None or tells_failure(data_of(executed.value)):
            return
        self._note_made(plan, executed.arguments)
        if plan.writes and not executed.nested:
            self._bury(
                write_of(
                    plan, executed.arguments, place=self._place, at=executed.at,
                    turn=executed.turn, spelt=self.spellings.learn, value=data_of(executed.value),
                )
            )  # fmt: skip

    def _note_made(self, plan: ToolPlan, arguments: Mapping[str, Any]) -> None:
        self.made.update(dict.fromkeys(plan.targets.made(arguments)))
        if plan.writes:
            for _, leaf in leaves(arguments, most=_MOST_LEAVES):
                if isinstance(leaf, str) and " " in leaf:
                    self.made.update(dict.fromkeys(map(normal, made_in(leaf[:_MOST_TEXT]))))
        while len(self.made) > _MOST_MADE:
            self.made.popitem(last=False)

    def _bury(self, write: Write) -> None:
        named = sole_entities(write)
        if write.deed.does is Does.MAKE:
            for value in (*own_entities(write), *write.returned):
                self.removed.pop(value, None)
            for key in [key for key, old in self.ended.items() if same_noun(old.deed, write.deed)]:
                del self.ended[key]
        elif write.deed.verb in _ENDING and not write.deed.object:
            kept = replace(
                write, arguments={}, values={}, returned=frozenset(), numbers=frozenset()
            )
            for value in named:
                self.removed[value] = kept
            while len(self.removed) > _MOST_REMOVED:
                self.removed.popitem(last=False)
            if not write.entities and _has_content(write.values):
                self.ended[ending(write)] = kept
                while len(self.ended) > _MOST_ENDED:
                    self.ended.popitem(last=False)


def ending(write: Write) -> bytes:
    """Return what tells the end of one thing from another's, where no identifier does."""
    return digest_of(write.tool, write.arguments)


def write_of(
    plan: ToolPlan,
    arguments: Mapping[str, Any],
    *,
    place: int,
    at: float,
    turn: int,
    spelt: Spelt,
    value: Any = None,
    call_id: str | None = None,
) -> Write:
    """Read one call as a write; *spelt* says how an identifier is spelt in this run."""
    entities: dict[str, set[str]] = {}
    found = list(leaves(arguments, most=_MOST_LEAVES))
    for path, leaf in found:
        text, parameter = entity_text(leaf), plan.targets.parameters.at(path)
        if text and _is_entity(leaf, text, parameter, plan):
            named = spelt(text, number=parameter.field.number)
            entities.setdefault(name_of(path), set()).add(named)
    for name in [name for name in entities if _is_set(name, entities, plan)]:
        del entities[name]
    own = frozenset(name for name in entities if _names_noun(name, plan.deed))
    return Write(
        tool=plan.name,
        deed=_done(plan.deed, arguments),
        place=place,
        entities={name: frozenset(values) for name, values in entities.items()},
        own=own,
        values={
            path: _measured(leaf, plan.targets.parameters.at(path))
            for path, leaf in found
            if name_of(path) not in (own or entities)
        },
        returned=frozenset(map(spelt, identifiers(value))),
        numbers=frozenset(numbers(value, plan.deed)) if plan.deed.opens else frozenset(),
        arguments=arguments,
        at=at,
        turn=turn,
        call_id=call_id,
    )


def _done(named: Deed, arguments: Mapping[str, Any]) -> Deed:
    """What a call does: as the tool's name says, or, where that only acts, as an argument says."""
    told = commanded(arguments) if named.does is Does.ACT else None
    return named if told is None else replace(told, noun=told.noun or named.noun)


def _is_entity(leaf: Any, text: str, parameter: Parameter, plan: ToolPlan) -> bool:
    """Whether a leaf says which thing is meant: by its name, its value, or the tool's noun."""
    if parameter.names_entity:
        return True
    if parameter.free or len(text) > _LONGEST:
        return False
    said, noun = of_what(parameter.name) - {"name"}, frozenset(plan.deed.noun)
    if said and said <= noun:  # `set_budget(budget=100)` sets it
        return plan.deed.verb != "set" or said != frozenset(plan.deed.noun[-len(said) :])
    if noun and name_words(parameter.name) in _NUMBERS and plan.deed.does in _OF_WHAT_IS_THERE:
        return True  # `close_issue(number=519)`
    if not noun and names_file((parameter.name,)):
        return True  # `rm(file_name=...)`
    by_value = parameter.judged in ("open", "number")
    return by_value and isinstance(leaf, str) and (is_code(leaf) or is_address(leaf))


def _is_set(name: str, entities: Collection[str], plan: ToolPlan) -> bool:
    """Whether a place is what is set of something else: ``update_location(item_id, location)``."""
    if len(entities) < _LEAST_NAMED or plan.deed.does is not Does.CHANGE or not is_place(name):
        return False
    return name_words(name)[-1:] == plan.deed.noun[-1:] and by_name(name) != "hard"


def _measured(leaf: Any, parameter: Parameter) -> Any:
    """A value as its schema has it: what is measured is no whole number, though JSON writes 21."""
    return float(leaf) if parameter.measures and type(leaf) is int else leaf


def _has_content(values: Mapping[Path, Any]) -> bool:
    """Whether values tell one thing from another: a text, and no place in a list."""
    names = [name_words(name_of(path)) for path in values]
    if any(not _PLACES.isdisjoint(said) for said in names):
        return False
    return any(isinstance(value, str) and len(value) >= _LEAST_CONTENT for value in values.values())


def undoes(first: Write, then: Write) -> bool:
    """Whether *then* takes back what *first* made or changed, on the same entity."""
    return (
        first.deed.opens
        and then.deed.does is Does.UNMAKE
        and (
            first.brought(then)
            or (
                _of_one_kind(first, then)
                and (bool(first.meets(then)) or then.has_content_of(first))
            )
        )
    )


def _of_one_kind(first: Write, then: Write) -> bool:
    """Whether both are done to one kind of thing; what is only set may be unset any time."""
    named = first.deed.does is not Does.CHANGE or bool(first.deed.noun and then.deed.noun)
    return named and of_one_noun(first, then)


def of_one_noun(first: Write, then: Write) -> bool:
    """
    Whether two writes are done to one kind of thing.

    A verb without a noun is done to what its arguments are called after: `deploy(service="web")`
    to a service, and to no cache or alert of it.
    """
    one, other = (write.deed.noun or write.deed.object for write in (first, then))
    if bool(one) == bool(other):
        return same_noun(first.deed, then.deed)
    bare, noun = (first, other) if other else (then, one)
    kinds = {word for name in bare.entities for word in name_words(name)}
    kinds |= _FILES if names_any_file(bare) else set()
    said = {str(value).casefold() for value in bare.values.values() if isinstance(value, str)}
    return noun[-1] in kinds | said


def names_any_file(write: Write) -> bool:
    """Whether an argument of a write says which file or folder is meant."""
    return any(not _FILES.isdisjoint(name_words(name)) for name in write.entities)


def own_entities(write: Write) -> frozenset[str]:
    """Give the identifiers of what the verb is done to; of all, where no name says which."""
    names = write.own or write.entities.keys()
    return frozenset().union(*(write.entities[name] for name in names))


def sole_entities(write: Write) -> frozenset[str]:
    """Give the identifiers of what the verb is done to; none where several might be meant."""
    others = any(is_token(value) for value in write.values.values())
    clear = bool(write.own) or (len(write.entities) == 1 and not others)
    return own_entities(write) if clear else frozenset()


def _names_noun(name: str, deed: Deed) -> bool:
    said = frozenset(name_words(name)) - _GENERIC
    return not said or not said.isdisjoint(deed.noun)
