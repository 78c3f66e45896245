"""The write of a call, extracted from its arguments and its result."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Protocol

from abs_shield.plan.created_entities import names_file
from abs_shield.plan.entity_write import Write
from abs_shield.plan.parameter_names import classify_name, is_place
from abs_shield.plan.result_ids import entity_text, find_identifiers, find_new_ids
from abs_shield.plan.tool_action import ToolAction, parse_action_argument
from abs_shield.plan.tool_parameters import Parameter
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.text.identifier_words import name_words, subject_words
from abs_shield.text.json_leaves import leaves, name_of
from abs_shield.text.value_shapes import is_address, is_code
from abs_shield.text.verbs import VerbEffect

_GENERIC_WORDS = frozenset("id uuid guid number no num name key code ref reference".split())
_NUMBER_NAMES = (("number",), ("no",), ("num",), ("ref",), ("reference",))
_ON_EXISTING = (VerbEffect.CHANGE, VerbEffect.UNMAKE)
_MIN_ENTITIES = 2  # a place is a value only if something else is the entity
MOST_LEAVES = 200  # leaves of a write's arguments that are read; more are data
_MAX_ID_LENGTH = 64  # a SHA-256 digest in hexadecimal; longer texts are prose


class NormaliseId(Protocol):
    """A function that returns the spelling with which an identifier is compared."""

    def __call__(self, text: str, /, *, number: bool = False) -> str: ...


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
    argument_leaves = list(leaves(arguments, most=MOST_LEAVES))
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
        action=resolve_action(plan.action, arguments),
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


def resolve_action(from_name: ToolAction, arguments: Mapping[str, Any]) -> ToolAction:
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


def _names_subject(name: str, action: ToolAction) -> bool:
    words = frozenset(name_words(name)) - _GENERIC_WORDS
    return not words or not words.isdisjoint(action.noun)
