"""The packed tables of an index behave like dicts, with a fraction of their memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from abs_shield import Session
from abs_shield.session.packed_tables import ChunkTable, FieldTable, PackedTable, SpellingTable

KEYS = st.integers(0, 40)
STEPS = st.lists(st.tuples(st.lists(KEYS, max_size=12), st.booleans()), max_size=12)


@given(STEPS)
def test_a_packed_table_is_a_dict_that_keeps_the_first_number(steps: list[tuple[list[int], bool]]):
    """This holds whenever keys are moved to the arrays."""
    places, plain = PackedTable(), dict[int, int]()
    for number, (keys, settles) in enumerate(steps):
        places.add(keys, number)
        plain = dict.fromkeys(keys, number) | plain
        if settles:
            places.pack_all()

    assert [plain.get(key) for key in range(42)] == [places.get(key) for key in range(42)]
    assert [key in plain for key in range(42)] == [key in places for key in range(42)]
    assert plain == dict(places.items())
    assert len(plain) == len(places) == places.packed_count


def test_a_packed_table_drops_the_older_half() -> None:
    """The half with the smaller numbers is dropped."""
    places = PackedTable()
    for number, key in enumerate((9, 2, 7, 4, 5)):
        places.put(key, number)
    places.drop_older_half()

    assert {7: 2, 4: 3, 5: 4} == dict(places.items())


@given(STEPS)
def test_a_chunk_table_is_a_dict_in_order(steps: list[tuple[list[int], bool]]) -> None:
    """Older chunks are stored as text, and are iterated after newer ones."""
    chunks, plain = ChunkTable(), dict[str, int]()
    for number, (keys, settles) in enumerate(steps):
        fresh = chunks.find_new(map(str, keys))
        assert [*dict.fromkeys(str(key) for key in keys if str(key) not in plain)] == fresh
        chunks.update(dict.fromkeys(fresh, number))
        plain |= dict.fromkeys(fresh, number)
        if settles:
            chunks.pack_all()

    assert [*reversed(plain)] == [*reversed(chunks)]
    assert [plain.get(str(key)) for key in range(42)] == [chunks.get(str(n)) for n in range(42)]
    chunks.drop_older_half()
    assert [*islice(plain, len(plain) // 2, None)][::-1] == [*reversed(chunks)]


def test_letters_keep_their_separators_when_others_are_dropped() -> None:
    """Separators that are no longer used are dropped."""
    spellings = SpellingTable()
    for number, (letters, codes) in enumerate((("ab", b"1"), ("cd", b"2"), ("ef", b"2"))):
        spellings.put(letters, number, codes)
    spellings.drop_older_half()

    assert [None, (1, b"2"), (2, b"2")] == [spellings.get(one) for one in ("ab", "cd", "ef")]
    spellings.put("gh", 3, b"1")
    assert (3, b"1") == spellings.get("gh")


def test_a_field_table_keeps_the_newest_values() -> None:
    """At least the newest values up to the bound are stored, with their field names."""
    fields = FieldTable(most=300)
    for n in range(1_000):
        fields.add(f"v{n}", (f"f{n % 3}",))
        fields.enforce_limit()
    fields.add("v999", ("f0", "more"))

    assert 300 <= len(fields) <= 600
    assert [("f0", "more"), (f"f{700 % 3}",)] == [fields.get("v999"), fields.get("v700")]
    assert ["v999", "v998", "v997"] == [*islice(reversed(fields), 3)]


def test_a_long_run_has_the_origin_of_every_id() -> None:
    """The origin is the first mention, also for ids before the last hundred messages."""
    session = Session()
    for n in range(600):
        session.tool_result("find", {"id": f"tx-{n:04}", "note": f"Parcel {n} of Ann {n % 7} Li"})
        session.tool_result("find", {"id": f"tx-{n // 2:04}"})

    origins = [session.origin(f"tx_{n:04}") for n in (0, 1, 250, 599)]
    assert [1, 3, 501, 1199] == [origin and origin.version for origin in origins]
    assert session.origin("Parcel 3") is not None
    assert session.origin("Parcel 601") is None


def test_a_long_session_takes_a_few_bytes_for_each_byte_of_text() -> None:
    """Each of 1,000 messages has its own words and ids."""
    texts = [f"Order ord-{n:05} for {n * 7919:x} {n * 104_729:x} {n * 1_299_709:x}. " * 3
            for n in range(1_000)]  # fmt: skip
    Session().user(texts[0])

    assert 10 > _allocated_bytes(lambda session: [session.user(text) for text in texts]) / sum(
        map(len, texts)
    )


def test_an_empty_session_takes_little_memory() -> None:
    """Its empty tables are shared with all other sessions."""
    assert 1_500 > _allocated_bytes(lambda session: [Session() for _ in range(200)]) / 201


def _allocated_bytes(fill: Callable[[Session], object]) -> int:
    """Return the bytes of a session, and of the object that *fill* returns."""
    sizes = []
    for _ in range(3):
        Session()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        session = Session()
        held = fill(session)
        sizes.append(tracemalloc.get_traced_memory()[0] - before)
        tracemalloc.stop()
        assert held is not None
    # other threads of the process, and caches that grow once, can only add to it
    return min(sizes)
