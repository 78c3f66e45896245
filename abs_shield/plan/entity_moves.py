"""Moves of a thing to another place, person or time, and replacements with other values."""

from __future__ import annotations

from collections.abc import Iterable

from abs_shield.plan.entity_write import Write
from abs_shield.plan.parameter_names import ENDS_OF_A_MOVE
from abs_shield.plan.result_ids import entity_text
from abs_shield.text.identifier_words import is_free_text_field, name_words
from abs_shield.text.normal_form import normal
from abs_shield.text.verbs import VerbEffect

_CALL_WORDS = frozenset("timestamp nonce request idempotency token key reason by at on".split())
"""Words of parameters for when, why and by whom a call is made."""


def is_move(first: Write, then: Write) -> bool:
    """
    Return whether two writes that undo each other are for two places, or two people.

    A volume that is detached from one machine and attached to another one is moved.
    """
    if {first.action.does, then.action.does} != {VerbEffect.MAKE, VerbEffect.UNMAKE}:
        return False
    one, other = _values_by_role(first), _values_by_role(then)
    return any(one[role] != other[role] for role in one.keys() & other.keys())


def is_replacement(removal: Write, then: Write, writes: Iterable[Write]) -> bool:
    """
    Return whether a call creates again, with other values, what an earlier turn had created.

    "75, not 72": `send_offer` of 72000, `withdraw_offer`, `send_offer` of 75000.

    Args:
        removal: The write that removed the thing.
        then: The write that creates it again.
        writes: The writes of the run before *then*.
    """
    if removal.action.does is not VerbEffect.UNMAKE or then.action.does is not VerbEffect.MAKE:
        return False
    return any(
        write.tool == then.tool
        and write.turn < removal.turn
        and write.arguments != then.arguments
        and write.shared_identifiers(then)
        for write in writes
    )


def _values_by_role(write: Write) -> dict[tuple[str, ...], str]:
    """Return the values of a write besides its entity, by the words of the parameter's name."""
    texts_by_role: dict[tuple[str, ...], list[str]] = {}
    for name, value in write.arguments.items():
        text = entity_text(value)
        role = tuple(word for word in name_words(name) if word not in ENDS_OF_A_MOVE | {"id"})
        if (
            text is not None
            and role
            and not is_free_text_field(name)
            and _CALL_WORDS.isdisjoint(role)
        ):
            texts_by_role.setdefault(role, []).append(normal(text))
    # A role with two values does not show the direction of the move.
    return {role: texts[0] for role, texts in texts_by_role.items() if len(texts) == 1}
