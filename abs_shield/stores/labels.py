"""The labelled decisions of a store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abs_shield.core import Decision, Subject
from abs_shield.core.label import Label


def labelled_decisions(store: Any, subject: Subject) -> Iterator[tuple[Decision, Label]]:
    """
    Yield each labelled decision about one kind of subject, with the newest label of it.

    Args:
        store: A store; one without labels, or without a way to find a decision, has none.
        subject: What the decisions are about.
    """
    read, get = getattr(store, "labels", None), getattr(store, "get", None)
    if read is None or get is None:
        return
    for decision_id, label in read().items():
        decision = get(decision_id)
        if decision is not None and decision.subject is subject:
            yield decision, label
