"""The tables of a harvest in the flywheel's file: catches, labels, and how far logs are read."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from abs_shield.core.label import Label
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.conversion import LONGEST_NAME, with_label
from abs_shield.flywheel.database import restored
from abs_shield.text.show import escaped

UNGROUPED = ""
"""The gap of a catch that is not in a group yet."""
NO_GAP = "-"
"""The gap of a catch that is not a fault of the model, such as a false alarm."""
_AT_ONCE = 500

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

    # How far logs are read -----------------------------------------------------------------------

    def chains(self, writers: Iterable[str] | None = None) -> dict[str, int]:
        """Return the number of the last record that was harvested of each chain."""
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
        """Return how far a log was read; empty for a new one."""
        row = self._connection.execute("SELECT body FROM harvests WHERE log = ?", (log,)).fetchone()
        return restored(row[0], dict, "the progress of a harvest") if row else {}

    def save_progress(self, log: str, body: Mapping[str, Any]) -> None:
        """Save how far a log was read."""
        self._connection.execute(
            "INSERT OR REPLACE INTO harvests VALUES (?, ?)", (log, json.dumps(body))
        )

    # Decisions, catches, labels ------------------------------------------------------------------

    def count(self, tally: Tally) -> None:
        """Add decisions to those of their subject, tool and day."""
        self._connection.executemany(
            "INSERT INTO tallies VALUES (?, ?, ?, ?) ON CONFLICT (subject, tool, day)"
            " DO UPDATE SET decisions = decisions + excluded.decisions",
            [(*key, count) for key, count in tally.items()],
        )

    def replace(self, catches: Iterable[Catch], decision_ids: Iterable[str]) -> int:
        """Write the catches of decisions in place of earlier ones; return how many are new."""
        before = self._connection.executemany(
            "DELETE FROM catches WHERE decision_id = ?", [(one,) for one in decision_ids]
        ).rowcount
        written = list(catches)
        self.write(written)
        return len(written) - max(0, before)

    def write(self, catches: Iterable[Catch]) -> None:
        """Write catches, to be grouped."""
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
        """Return the labels of decisions, each with its note, by the decision's id."""
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
        Save a label, unless a newer one is there; return whether it was saved.

        Of one chain the last label is the newest; of several, the one with the latest time.
        """
        key = escaped(label.decision_id, limit=LONGEST_NAME)
        row = self._connection.execute(
            "SELECT truth, at, writer FROM labels WHERE decision_id = ?", (key,)
        ).fetchone()
        new = (label.truth.value, label.at, writer)
        if row is not None and (row == new or (label.at < row[1] and writer != row[2])):
            return False
        note = escaped(label.note, limit=LONGEST_NAME)
        self._connection.execute("INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?)",
                                 (key, *new, note))  # fmt: skip
        return True

    def relabel(self, decision_id: str, truth: str) -> list[Catch]:
        """Put a label on the catches of a decision; return them."""
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
