"""Export of labels, joined with their decisions, as JSONL."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from abs_shield.cli.output_file import open_output
from abs_shield.core import Subject
from abs_shield.stores.durable import DurableStore
from abs_shield.stores.record_bodies import Skipped
from abs_shield.stores.sealed_record import Damaged
from abs_shield.text.safe_display import quantity


def export_labels(
    store: DurableStore, path: str, *, skipped: Skipped, inputs: Iterable[str] = ()
) -> None:
    """
    Write a line for each labelled call: ``{session_id, run_id, call_id, decision_id, label}``.

    A call without an id is written under its decision's id, as in recorded runs.

    Args:
        store: The decision log.
        path: The file, which appears when it is complete; ``-`` is the standard output.
        skipped: Called with the error of each unreadable record, which is left out.
        inputs: Input files, which must not be overwritten.
    """
    unmatched: list[str] = []
    lines = (json.dumps(entry) + "\n" for entry in _labelled(store, unmatched, skipped))
    with open_output(None if path == "-" else path, inputs=inputs, option="--export") as file:
        for line in lines:
            file.write(line.encode())
    if unmatched:
        print(
            f"{quantity(len(unmatched), 'label')} left out: the decision is no longer kept, or is"
            " not about a call",
            file=sys.stderr,
        )


def _labelled(
    store: DurableStore, unmatched: list[str], skipped: Skipped
) -> Iterator[dict[str, Any]]:
    for label in store.labels(skipped=skipped).values():
        try:
            decision = store.get(label.decision_id)
        except Damaged as error:
            skipped(error)
            continue
        if decision is None or decision.subject is not Subject.CALL:
            unmatched.append(label.decision_id)
            continue
        yield {
            "session_id": decision.session_id,
            "run_id": decision.run_id,
            "call_id": decision.call_id or decision.id,
            "decision_id": decision.id,
            "label": label.truth.value,
        }
