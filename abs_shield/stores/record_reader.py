"""Records of a log, read page by page so that no connection stays open, and around damage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, TypeVar

from abs_shield.stores.log_tables import Ledger, Query
from abs_shield.stores.record_bodies import Skipped, read_bodies
from abs_shield.stores.sealed_record import Damaged, SealedRow

_PAGE = 5_000  # some MB of records; an open cursor would delay pruning and forks for a whole export

T = TypeVar("T")


class RecordReader(ABC):
    """The records of a log; subclasses provide the connection."""

    @abstractmethod
    def _read_connection(self) -> AbstractContextManager[Ledger]:
        """Return a separate connection that reads everything appended so far."""

    def last_place(self) -> int:
        """Return the place of the newest record in the database; 0 for an empty log."""
        with self._read_connection() as ledger:
            return ledger.last_place()

    def rows(self, query: Query, *, skipped: Skipped | None = None) -> Iterator[SealedRow]:
        """
        Yield the matching records as stored, up to the newest one at the time of the call.

        With *skipped*, a damaged database is read around the damage: *skipped* is called with
        each stretch that cannot be read.

        Args:
            query: Which records.
            skipped: Called with each stretch.
        """
        up_to, after = None, query.after
        while True:
            try:
                # fixed at the first page, or a busy log would never end
                if up_to is None:
                    up_to = self.last_place()
                wanted = replace(query, after=after, up_to=up_to)
                with self._read_connection() as ledger:
                    page = list(ledger.positioned_rows(wanted, limit=_PAGE))
            except Damaged:
                if skipped is None:
                    raise
                yield from self._rows_around(replace(query, after=after), skipped)
                return
            yield from (positioned.row for positioned in page)
            if len(page) < _PAGE:
                return
            after = page[-1].place

    def _rows_around(self, query: Query, skipped: Skipped) -> Iterator[SealedRow]:
        """Yield rows around damage, by bisection down to the single places that cannot be read."""
        with self._read_connection() as ledger:
            todo = [(query.after or 0, ledger.last_assigned_place())]
        while todo:
            after, up_to = todo.pop()
            with self._read_connection() as ledger:
                try:
                    # filtered by place alone, because an index may be damaged, too
                    page = list(ledger.positioned_rows(Query(after=after, up_to=up_to)))
                except ledger.errors as error:
                    if not ledger.is_damage(error):
                        raise
                    if up_to - after > 1:
                        middle = (after + up_to) // 2
                        todo += [(middle, up_to), (after, middle)]
                    else:
                        skipped(Damaged(f"the record at place {up_to} cannot be read: {error}"))
                    continue
            yield from (positioned.row for positioned in page if query.admits(positioned.row))

    def _read(
        self, query: Query, make: Callable[[Any], T], skipped: Skipped | None
    ) -> Iterator[tuple[SealedRow, T]]:
        for row in self.rows(query, skipped=skipped):
            for body in read_bodies([row], make, skipped):
                yield row, body
