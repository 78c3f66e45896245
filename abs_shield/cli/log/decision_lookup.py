"""Lookup of a decision by its id or a prefix of it, and the count of unreadable records."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from abs_shield.cli.usage_errors import BadInput
from abs_shield.core import Decision
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.sealed_record import Damaged
from abs_shield.text.nearest import closest_spelling
from abs_shield.text.safe_display import escaped

_MOST_NEAR = 100  # neighbours among which a misspelt id is searched: one indexed query
_LISTED = 5  # enough to see where the ids differ


def find_decision(store: DurableStore, name: str) -> Decision:
    """
    Return the decision whose id is *name*, or the only one whose id starts with it.

    Raises:
        BadInput: No id matches, or several do.
        StoreError: The log cannot be read.
    """
    # every id begins with an empty text
    if not name:
        raise BadInput("the decision's id is empty; `abs-shield report` names some decisions")
    # a whole id first: it may be the beginning of another one
    if (decision := store.get(name)) is not None:
        return decision
    near = store.ids_near(name, most=_MOST_NEAR)
    matches = [match for match in near if match.startswith(name)]
    if len(matches) > 1:
        raise BadInput(_ambiguous_message(name, matches))
    if matches and (decision := store.get(matches[0])) is not None:
        return decision
    raise BadInput(_missing_message(name, near))


def describe_missing(store: DurableStore, name: str) -> str:
    """Describe an id that is not in the log, with the nearest one that is."""
    return _missing_message(name, store.ids_near(name, most=_MOST_NEAR))


def _ambiguous_message(name: str, matches: list[str]) -> str:
    listed = ", ".join(f"`{escaped(match)}`" for match in matches[:_LISTED])
    more = " and more" if len(matches) > _LISTED else ""
    return f"several decisions begin with `{escaped(name)}`: {listed}{more}; write more of the id"


def _missing_message(name: str, near: list[str]) -> str:
    likely = closest_spelling(name, near)
    hint = (
        f"did you mean `{escaped(likely)}`?"
        if likely
        else "`abs-shield report` names some, and every log line of a decision has its id"
    )
    return f"no decision `{escaped(name)}` is in the log; {hint}"


def length(store: DurableStore) -> int | None:
    """Return the number of decisions in a log; None if its database is damaged."""
    try:
        return len(store)
    except Damaged:
        return None


@dataclass(slots=True)
class DamagedRecords:
    """
    The unreadable records of a log.

    Attributes:
        first: The error of the first one; empty without any.
    """

    first: str = ""
    _messages: set[str] = field(default_factory=set)

    @property
    def count(self) -> int:
        """Number of unreadable records; repeated reads of one count once."""
        return len(self._messages)

    def add(self, error: Damaged) -> None:
        """Count a record; pass this method to a store as ``skipped``."""
        self._messages.add(str(error))
        self.first = self.first or str(error)

    def print_count(self) -> None:
        """Print the count on the standard error, if any."""
        if self.count:
            records = "1 record is" if self.count == 1 else f"{self.count:,} records are"
            line = f"{records} left out; first: {escaped(self.first, limit=500)}"
            print(line, file=sys.stderr)
