"""The harvest tables of the flywheel's file: catches, labels, and the progress of each log."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from abs_shield.core.label import Label
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.catch_conversion import LONGEST_NAME, with_label
from abs_shield.flywheel.flywheel_database import parse_row
from abs_shield.text.safe_display import escaped

UNGROUPED = ""
"""The gap of an ungrouped catch."""
NO_GAP = "-"
"""The gap of a catch that is not an error of the model, such as a false alarm."""
_AT_ONCE = 500  # older versions of SQLite accept 999 values in a statement

Tally = Counter[tuple[str, str, str]]
"""Decisions by subject, tool and day."""


class Book:
    """
    The tables of catches, labels and progress, within one transaction.

    Args:
        connection: What `database` yields.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    # Progress ------------------------------------------------------------------------------------

    def chains(self, writers: Iterable[str] | None = None) -> dict[str, int]:
        """Return the number of the last harvested record of each chain."""
        if writers is None:
            return dict(self._connection.execute("SELECT writer, seq FROM chains"))
        return {
            str(writer): int(seq)
            for some in _portions(writers)
            for writer, seq in self._connection.execute(
                f"SELECT writer, seq FROM chains WHERE writer IN ({_marks(some)})", some
            )
        }

    def save_chains(self, seqs: Mapping[str, int]) -> None:
        """Save the number of the last record of each chain."""
        self._connection.executemany("INSERT OR REPLACE INTO chains VALUES (?, ?)", seqs.items())

    def progress(self, log: str) -> dict[str, Any]:
        """Return the progress of a log; empty for a new one."""
        row = self._connection.execute("SELECT body FROM harvests WHERE log = ?", (log,)).fetchone()
        return parse_row(row[0], dict, "the progress of a harvest") if row else {}

    def save_progress(self, log: str, body: Mapping[str, Any]) -> None:
        """Save the progress of a log."""
        self._connection.execute(
            "INSERT OR REPLACE INTO harvests VALUES (?, ?)", (log, json.dumps(body))
        )

    # Decisions, catches, labels ------------------------------------------------------------------

    def count(self, tally: Tally) -> None:
        """Add counts of decisions by subject, tool and day."""
        self._connection.executemany(
            "INSERT INTO tallies VALUES (?, ?, ?, ?) ON CONFLICT (subject, tool, day)"
            " DO UPDATE SET decisions = decisions + excluded.decisions",
            [(*key, count) for key, count in tally.items()],
        )

    def replace(self, catches: Iterable[Catch], decision_ids: Iterable[str]) -> int:
        """Replace the catches of decisions; return the number of additional ones."""
        before = self._connection.executemany(
            "DELETE FROM catches WHERE decision_id = ?", [(one,) for one in decision_ids]
        ).rowcount
        written = list(catches)
        self.write(written)
        # SQLite's `rowcount` is -1 if nothing was executed
        return len(written) - max(0, before)

    def write(self, catches: Iterable[Catch]) -> None:
        """Write catches, not yet grouped."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO catches VALUES (?, ?, ?, ?, ?)",
            [(c.id, _seconds(c), c.decision_id, UNGROUPED, c.to_json()) for c in catches],
        )

    def catches(self, decision_id: str) -> list[Catch]:
        """Return the catches of a decision."""
        rows = self._connection.execute(
            "SELECT body FROM catches WHERE decision_id = ? ORDER BY id", (decision_id,)
        )
        return [Catch.from_json(body) for (body,) in rows]

    def labels(self, decision_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Return the label and the note of each decision, by its id."""
        return {
            row[0]: (row[1], row[2])
            for some in _portions(decision_ids)
            for row in self._connection.execute(
                "SELECT decision_id, truth, note FROM labels"
                f" WHERE decision_id IN ({_marks(some)})",
                some,
            )
        }

    def save_label(self, label: Label, writer: str) -> bool:
        """
        Save a label unless a newer one exists; return whether it was saved.

        Within one chain the last label is the newest; of several chains, the latest by time.
        """
        key = escaped(label.decision_id, limit=LONGEST_NAME)
        row = self._connection.execute(
            "SELECT truth, at, writer FROM labels WHERE decision_id = ?", (key,)
        ).fetchone()
        new = (label.truth.value, label.at, writer)
        # times of several hosts can be compared, those of one chain are in its own order
        if row is not None and (row == new or (label.at < row[1] and writer != row[2])):
            return False
        note = escaped(label.note, limit=LONGEST_NAME)
        self._connection.execute("INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?)",
                                 (key, *new, note))  # fmt: skip
        return True

    def relabel(self, decision_id: str, truth: str) -> list[Catch]:
        """Apply a label to the catches of a decision, and return them."""
        labelled = [with_label(catch, truth) for catch in self.catches(decision_id)]
        self.write(labelled)
        return labelled


def _seconds(catch: Catch) -> float:
    return datetime.fromisoformat(catch.timestamp).timestamp()


def _marks(values: list[str]) -> str:
    return ", ".join("?" * len(values))


def _portions(values: Iterable[str]) -> Iterator[list[str]]:
    every = list(values)
    for start in range(0, len(every), _AT_ONCE):
        yield every[start : start + _AT_ONCE]
