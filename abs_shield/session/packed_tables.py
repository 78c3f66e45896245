"""Compact tables of first positions: new entries in a dict, older ones in sorted arrays."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, filterfalse

from abs_shield.session.recent_text import At

LEAST = 64
"""Entries that stay in a dict, which is faster; in larger tables only a fraction stays there."""
_FRACTION = 16  # packing copies the whole table, so a sixteenth of the keys must be new
_LATEST = (1 << 30) - 1
"""The last event version that fits into 32 bits with its level; later ones count as this one."""
_KEY, _PACKED = 110, 24
"""Approximate bytes of a key in a dict and in arrays."""
_SHIFT = 32  # bits of the number of the separators; the higher bits have the position
_SEPARATOR = "\x1f"
"""Separates chunks; no chunk contains it."""


def pack(at: At) -> int:
    """
    Return a position as one number; a later version is a larger number.

    >>> unpack(pack(At(2, 7)))
    At(level=2, version=7)
    """
    return min(at.version, _LATEST) << 2 | at.level


def unpack(number: int | None) -> At | None:
    """Return the position of a number; None for None."""
    return None if number is None else At(number & 3, number >> 2)


def memory_of(*tables: dict[str, int] | PackedTable | SpellingTable | ChunkTable) -> int:
    """Return the approximate bytes of all tables."""
    packed = sum(table.packed_count for table in tables if not isinstance(table, dict))
    return _KEY * sum(map(len, tables)) - (_KEY - _PACKED) * packed


class PackedTable:
    """
    A table from hashed keys to the number with which each was first added.

    It takes 12 bytes per key, or 16 if `wide`; a dict takes 70. Other threads may read while one
    writes.

    >>> places = PackedTable()
    >>> places.add([1, 2], 7)
    >>> places.pack_all()
    >>> places.add([2, 3], 8)
    >>> [places.get(key) for key in (1, 2, 3, 4)], 3 in places
    ([7, 7, 8, None], True)
    """

    __slots__ = ("_new", "_old")

    def __init__(self, *, wide: bool = False) -> None:
        self._new: dict[int, int] = {}
        self._old: tuple[array[int], array[int]] = _NO_WIDE if wide else _NONE

    def add(self, keys: Iterable[int], number: int) -> None:
        """Add keys; an existing key keeps its number."""
        # `set.difference` with a dict iterates over the smaller set; a view would iterate over all
        self._new.update(dict.fromkeys(set(keys).difference(self._new), number))

    def put(self, key: int, number: int) -> None:
        """Add one key; an existing key keeps its number."""
        self._new.setdefault(key, number)

    def get(self, key: int) -> int | None:
        """Return the number of a key; None if it is absent."""
        # in this order, as another thread may move a key from the dict to the arrays
        new, (keys, numbers) = self._new, self._old
        if keys:
            place = bisect_left(keys, key)
            if place < len(keys) and keys[place] == key:
                return numbers[place]
        return new.get(key)

    def set(self, key: int, number: int) -> None:
        """Set the number of a key."""
        keys, numbers = self._old
        place = bisect_left(keys, key)
        if place < len(keys) and keys[place] == key:
            numbers[place] = number
        else:
            self._new[key] = number

    def __contains__(self, key: int) -> bool:
        if key in self._new:
            return True
        keys = self._old[0]
        if not keys:
            return key in self._new
        place = bisect_left(keys, key)
        return place < len(keys) and keys[place] == key

    def isdisjoint(self, candidates: Collection[int]) -> bool:
        """Return whether none of *candidates* is in the table."""
        if not self._new.keys().isdisjoint(candidates):
            return False
        return not self._old[0] or not any(map(self.__contains__, candidates))

    def find_absent(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the texts whose hashes are not in the arrays."""
        keys = self._old[0]
        for chunk in chunks:
            key = hash(chunk)
            place = bisect_left(keys, key)
            if place == len(keys) or keys[place] != key:
                yield chunk

    def __len__(self) -> int:
        """Return the number of keys; an old key that was added again counts twice."""
        return len(self._new) + len(self._old[0])

    @property
    def packed_count(self) -> int:
        """Number of keys in arrays, which take a fraction of the memory."""
        return len(self._old[0])

    @property
    def needs_packing(self) -> bool:
        """Return whether the dict has so many keys that they should move to the arrays."""
        size = len(self._new)
        return size > LEAST and size > len(self._old[0]) // _FRACTION

    def pack_all(self) -> None:
        """Move every key to the arrays."""
        new, (keys, numbers) = self._new, self._old
        # With mostly new keys, sorting all of them is simpler and as fast.
        if len(new) > len(keys):
            self._store({**new, **self._packed_items()})
        elif new:
            more, counted, start = array("q"), array(numbers.typecode), 0
            for key in sorted(new):
                place = bisect_left(keys, key, start)
                if place == len(keys) or keys[place] != key:
                    more += keys[start:place]
                    more.append(key)
                    counted += numbers[start:place]
                    counted.append(new[key])
                    start = place
            # a sum of arrays, unlike an array that grew, has no unused memory
            self._old = more + keys[start:], counted + numbers[start:]
            self._new = {}

    def drop_older_half(self) -> None:
        """Drop the half with the smallest numbers."""
        items = self._packed_items() if not self._new else {**self._new, **self._packed_items()}
        oldest = sorted(items, key=items.__getitem__)[: len(items) // 2]
        for key in oldest:
            del items[key]
        self._store(items)

    def replace(self, numbers: Mapping[int, int]) -> None:
        """Replace the number of every key as *numbers* maps it."""
        self._store({key: numbers[number] for key, number in self.items()})

    def items(self) -> Iterator[tuple[int, int]]:
        """Yield every key with its number, in arbitrary order."""
        self.pack_all()
        return zip(*self._old, strict=True)

    def _packed_items(self) -> dict[int, int]:
        return dict(zip(*self._old, strict=True))

    def _store(self, items: dict[int, int]) -> None:
        keys = sorted(items)
        numbers = array(self._old[1].typecode, [*map(items.__getitem__, keys)])
        self._old = (array("q", keys), numbers)
        self._new = {}


_NONE: tuple[array[int], array[int]] = (array("q"), array("I"))
_NO_WIDE: tuple[array[int], array[int]] = (array("q"), array("Q"))
"""Shared by all tables without packed keys; nothing is added to them."""


class SpellingTable:
    """
    A table from letters and digits to their first position, and their separators there.

    Equal separators are stored once, as most ids of a run have the same.
    """

    __slots__ = ("_codes", "_numbers", "_places")

    def __init__(self) -> None:
        self._places = PackedTable(wide=True)
        self._numbers: dict[bytes, int] = {}
        self._codes: list[bytes] = []

    def put(self, letters: str, at: int, codes: bytes) -> None:
        """Add letters with their separators; existing letters keep theirs."""
        number = self._numbers.get(codes)
        if number is None:
            number = self._numbers[codes] = len(self._codes)
            self._codes.append(codes)
        self._places.put(hash(letters), at << _SHIFT | number)

    def get(self, letters: str) -> tuple[int, bytes] | None:
        """Return the position of letters, and their separators; None if they are absent."""
        entry = self._places.get(hash(letters))
        if entry is None:
            return None
        return entry >> _SHIFT, self._codes[entry & (1 << _SHIFT) - 1]

    def __contains__(self, key: int) -> bool:
        return key in self._places

    def isdisjoint(self, candidates: Collection[int]) -> bool:
        """Return whether none of *candidates* is in the table."""
        return self._places.isdisjoint(candidates)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def packed_count(self) -> int:
        """Number of keys in arrays, which take a fraction of the memory."""
        return self._places.packed_count

    @property
    def needs_packing(self) -> bool:
        """Return whether the dict has so many keys that they should move to the arrays."""
        return self._places.needs_packing

    def pack_all(self) -> None:
        """Move every key to the arrays."""
        self._places.pack_all()

    def drop_older_half(self) -> None:
        """Drop the older half, and separators that are no longer used."""
        self._places.drop_older_half()
        low = (1 << _SHIFT) - 1
        # Renumbered without gaps.
        used = sorted({number & low for _, number in self._places.items()})
        place = {number: n for n, number in enumerate(used)}
        self._places.replace(
            {number: number & ~low | place[number & low] for _, number in self._places.items()}
        )
        self._codes = [self._codes[number] for number in used]
        self._numbers = {codes: n for n, codes in enumerate(self._codes)}


class ChunkTable:
    """
    A table from chunks to the version of their first occurrence; older chunks are one long text.

    >>> chunks = ChunkTable()
    >>> chunks.update({"a": 1, "b": 1})
    >>> chunks.pack_all()
    >>> chunks.update({"c": 2})
    >>> [*reversed(chunks)], chunks.get("a"), chunks.find_new(["c", "a", "d", "d"])
    (['c', 'b', 'a'], 1, ['d'])
    """

    __slots__ = ("_new", "_old", "_texts")

    def __init__(self) -> None:
        self._new: dict[str, int] = {}
        self._old = PackedTable()
        self._texts: list[str] = []

    def find_new(self, tokens: Iterable[str]) -> list[str]:
        """Return those of *tokens* that are not in the table, each once."""
        fresh = [*filterfalse(self._new.__contains__, dict.fromkeys(tokens))]
        return [*self._old.find_absent(fresh)] if fresh and self._texts else fresh

    def update(self, fresh: Mapping[str, int]) -> None:
        """Add chunks that are not in the table."""
        self._new.update(fresh)

    def get(self, chunk: str) -> int | None:
        """Return the number of a chunk; None if it is absent."""
        number = self._new.get(chunk)
        return self._old.get(hash(chunk)) if number is None and self._texts else number

    def set(self, chunk: str, number: int) -> None:
        """Set the number of a chunk; add it if it is absent."""
        if self._texts and chunk not in self._new and hash(chunk) in self._old:
            self._old.set(hash(chunk), number)
        else:
            self._new[chunk] = number

    def __contains__(self, chunk: object) -> bool:
        return chunk in self._new or (bool(self._texts) and hash(chunk) in self._old)

    def isdisjoint(self, tokens: Collection[str]) -> bool:
        """Return whether none of *tokens* is in the table."""
        if not self._new.keys().isdisjoint(tokens):
            return False
        return not self._texts or self._old.isdisjoint([*map(hash, tokens)])

    def __len__(self) -> int:
        return len(self._new) + len(self._old)

    def __reversed__(self) -> Iterator[str]:
        older = (reversed(text.split(_SEPARATOR)) for text in reversed(self._texts))
        return chain(reversed(self._new), chain.from_iterable(older))

    @property
    def packed_count(self) -> int:
        """Number of chunks in arrays, which take a fraction of the memory."""
        return len(self._old)

    @property
    def needs_packing(self) -> bool:
        """Return whether the dict has so many chunks that they should become text."""
        size = len(self._new)
        return size > LEAST and size > len(self._old) // _FRACTION

    def pack_all(self) -> None:
        """Move every chunk to the text."""
        new = self._new
        if new:
            for chunk, number in new.items():
                self._old.put(hash(chunk), number)
            self._texts = [_SEPARATOR.join((*self._texts, *new))]
            self._old.pack_all()
            self._new = {}

    def drop_older_half(self) -> None:
        """Drop the older half."""
        every = [*reversed(self)][: len(self) - len(self) // 2]
        left = {chunk: self.get(chunk) or 0 for chunk in reversed(every)}
        self._new, self._old, self._texts = left, PackedTable(), []


class FieldTable:
    """
    A table from the values of results to the names of their fields, oldest first.

    >>> fields = FieldTable(most=100)
    >>> fields.add("w-7", ("order_id",))
    >>> fields.add("w-7", ("order_id", "id"))
    >>> fields.get("w-7"), fields.get("w-8"), [*reversed(fields)]
    (('order_id', 'id'), (), ['w-7'])
    """

    __slots__ = ("_most", "_names", "_numbers", "_values")

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._values = ChunkTable()
        self._names: list[tuple[str, ...]] = []
        self._numbers: dict[tuple[str, ...], int] = {}

    def get(self, value: str) -> tuple[str, ...]:
        """Return the field names of a value."""
        number = self._values.get(value)
        return () if number is None else self._names[number]

    def add(self, value: str, names: tuple[str, ...]) -> None:
        """Set the field names of a value."""
        number = self._numbers.get(names)
        if number is None:
            number = self._numbers[names] = len(self._names)
            self._names.append(names)
        self._values.set(value, number)

    @property
    def held_bytes(self) -> int:
        """Approximate memory in bytes."""
        return memory_of(self._values)

    def enforce_limit(self) -> None:
        """Drop the older half once there are more than twice as many values as the bound."""
        if self._values.needs_packing:
            self._values.pack_all()
        if len(self._values) > 2 * self._most:
            self._values.drop_older_half()
            left = [(value, self.get(value)) for value in reversed(self._values)]
            self._values, self._names, self._numbers = ChunkTable(), [], {}
            for value, names in reversed(left):
                self.add(value, names)

    def __len__(self) -> int:
        return len(self._values)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._values)
