"""The newest chunks of a table by their length and kind of characters."""

from __future__ import annotations

from itertools import islice

from abs_shield.session.packed_tables import ChunkTable

_Chunk = tuple[int, str]
"""A chunk after its place in the order of first occurrence."""
_CHUNK_BYTES = 150  # of a chunk of 12 characters with its place


class ChunksByShape:
    """
    The newest chunks of a table, from which those similar to a value are looked up.

    A chunk is read from the table once, when somebody asks for similar ones: most runs never do.
    Chunks may be added to the table, but not removed.

    Args:
        table: Chunks in order of their first occurrence.
        most: Number of newest chunks that are searched.

    >>> similar = ChunksByShape({"tx_1": 0, "order": 0, "tx_77": 0, "tx_12345": 0}, most=4_000)
    >>> similar.find("tx_12", 2)
    ['tx_77', 'tx_1']
    """

    __slots__ = ("_chunks", "_count", "_held", "_most", "_table")

    def __init__(self, table: dict[str, int] | ChunkTable, *, most: int) -> None:
        self._table = table
        self._most = most
        # by kind, then by length, since most tables have no chunk of the kind that is asked for
        self._chunks: dict[int, dict[int, list[_Chunk]]] = {}
        self._count = self._held = 0

    @property
    def held_bytes(self) -> int:
        """Approximate memory in bytes."""
        return self._held * _CHUNK_BYTES

    def find(self, text: str, most_off: int) -> list[str]:
        """Return the chunks of the same kind and about the same length, newest first."""
        if len(self._table) != self._count:
            self._read()
        of_kind = self._chunks.get(_kind(text))
        if of_kind is None:
            return []
        found: list[_Chunk] = []
        for length in range(len(text) - most_off, len(text) + most_off + 1):
            found += of_kind.get(length, ())
        found.sort(reverse=True)
        oldest = self._count - self._most
        return [chunk for place, chunk in found if place >= oldest]

    def _read(self) -> None:
        """Read the chunks that were added to the table."""
        count = len(self._table)
        new = count - self._count
        if self._held + new > 2 * self._most:  # else chunks that are too old would fill memory
            self._chunks.clear()
            self._held, new = 0, min(count, self._most)
        newest = [*islice(reversed(self._table), new)]
        for place, chunk in enumerate(reversed(newest), count - new):
            of_kind = self._chunks.setdefault(_kind(chunk), {})
            of_kind.setdefault(len(chunk), []).append((place, chunk))
        self._count = count
        self._held += new


def _kind(chunk: str) -> int:
    """Return a number that is equal for all chunks of one shape: words, digits, codes, others."""
    return (0 if chunk.isalpha() else 1 if chunk.isdecimal() else 2) if chunk.isalnum() else 3
