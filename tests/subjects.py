"""The decisions of a store, told apart by what they are about."""

from __future__ import annotations

from abs_shield import Decision
from abs_shield.core import Subject
from abs_shield.stores import Store


def about_calls(store: Store) -> list[Decision]:
    """Return the decisions about calls, oldest first; those about results are left out."""
    return [decision for decision in store.decisions() if decision.subject is Subject.CALL]


def about_answers(store: Store) -> list[Decision]:
    """Return the decisions about answers, oldest first."""
    return [decision for decision in store.decisions() if decision.subject is Subject.ANSWER]
