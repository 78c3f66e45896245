"""The packed tables of an index answer as dicts do, in a fraction of their memory."""

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
def test_places_are_a_dict_in_which_the_first_number_stays(steps: list[tuple[list[int], bool]]):
    """Whenever its keys were moved to the arrays."""
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


def test_places_forget_the_older_half() -> None:
    """By their numbers, not by their keys."""
    places = PackedTable()
    for number, key in enumerate((9, 2, 7, 4, 5)):
        places.put(key, number)
    places.drop_older_half()

    assert {7: 2, 4: 3, 5: 4} == dict(places.items())


@given(STEPS)
def test_chunks_are_a_dict_in_order(steps: list[tuple[list[int], bool]]) -> None:
    """Older ones are text, and are yielded behind newer ones."""
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


def test_separators_stay_with_their_letters_when_others_are_forgotten() -> None:
    """Unused ones are dropped."""
    spellings = SpellingTable()
    for number, (letters, codes) in enumerate((("ab", b"1"), ("cd", b"2"), ("ef", b"2"))):
        spellings.put(letters, number, codes)
    spellings.drop_older_half()

    assert [None, (1, b"2"), (2, b"2")] == [spellings.get(one) for one in ("ab", "cd", "ef")]
    spellings.put("gh", 3, b"1")
    assert (3, b"1") == spellings.get("gh")


def test_fields_keep_at_least_as_many_of_the_newest_values_as_they_should() -> None:
    """Their names stay with them, those of older ones too."""
    fields = FieldTable(most=300)
    for n in range(1_000):
        fields.add(f"v{n}", (f"f{n % 3}",))
        fields.enforce_limit()
    fields.add("v999", ("f0", "more"))

    assert 300 <= len(fields) <= 600
    assert [("f0", "more"), (f"f{700 % 3}",)] == [fields.get("v999"), fields.get("v700")]
    assert ["v999", "v998", "v997"] == [*islice(reversed(fields), 3)]


def test_a_long_run_says_of_every_id_where_it_stood_first() -> None:
    """Also of those that were mentioned before the last hundred messages."""
    session = Session()
    for n in range(600):
        session.tool_result("find", {"id": f"tx-{n:04}", "note": f"Parcel {n} of Ann {n % 7} Li"})
        session.tool_result("find", {"id": f"tx-{n // 2:04}"})

    origins = [session.origin(f"tx_{n:04}") for n in (0, 1, 250, 599)]
    assert [1, 3, 501, 1199] == [origin and origin.version for origin in origins]
    assert session.origin("Parcel 3") is not None
    assert session.origin("Parcel 601") is None


def test_a_long_session_keeps_a_few_bytes_for_each_byte_it_has_seen() -> None:
    """Each of 1,000 messages has words and ids of its own; it was 14."""
    texts = [f"Order ord-{n:05} for {n * 7919:x} {n * 104_729:x} {n * 1_299_709:x}. " * 3
            for n in range(1_000)]  # fmt: skip
    Session().user(texts[0])

    assert 10 > _held(lambda session: [session.user(text) for text in texts]) / sum(map(len, texts))


def test_an_empty_session_takes_little() -> None:
    """It shares its empty tables with every other one."""
    assert 1_500 > _held(lambda session: [Session() for _ in range(200)]) / 201


def _held(fill: Callable[[Session], object]) -> int:
    """Bytes of a session, and of what *fill* returns."""
    Session()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    session = Session()
    held = fill(session)
    size = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert held is not None
    return size
