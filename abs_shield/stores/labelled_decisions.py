"""Labelled decisions of a store, by subject."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abs_shield.core import Decision, Subject
from abs_shield.core.label import Label
from abs_shield.stores.record_bodies import Skipped
from abs_shield.stores.sealed_record import Damaged


def labelled_decisions(
    store: Any, subject: Subject, *, skipped: Skipped | None = None
) -> Iterator[tuple[Decision, Label]]:
    """
    Yield each labelled decision about one kind of subject, with its newest label.

    Args:
        store: A store; one without the methods `labels` and `get` yields nothing.
        subject: The subject of the decisions.
        skipped: Called with each record that cannot be read; if None, such a record raises.
    """
    read, get = getattr(store, "labels", None), getattr(store, "get", None)
    # a host's own store need not support labels
    if read is None or get is None:
        return
    labels = read() if skipped is None else read(skipped=skipped)
    for decision_id, label in labels.items():
        try:
            decision = get(decision_id)
        except Damaged as error:
            if skipped is None:
                raise
            skipped(error)
            continue
        if decision is not None and decision.subject is subject:
            yield decision, label
