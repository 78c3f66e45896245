"""Similar chunks are those that a search of the whole table would find."""

from random import Random
from string import ascii_lowercase, digits

import pytest

from abs_shield.session.chunks_by_shape import ChunksByShape
from abs_shield.session.packed_tables import ChunkTable
from abs_shield.session.recent_text import At
from abs_shield.session.token_index import SCALAR, TokenIndex

MOST = 50


def chunk_of(random: Random) -> str:
    """Return a word, a number, a code, or a code with punctuation."""
    letters = random.choice((ascii_lowercase, digits, ascii_lowercase + digits, digits + "ab-_"))
    return "".join(random.choices(letters, k=random.randint(1, 6)))


def shape_of(chunk: str) -> tuple[bool, bool, bool]:
    """Return what is equal for chunks of one kind."""
    return chunk.isalnum(), chunk.isalpha(), chunk.isdecimal()


@pytest.mark.parametrize("table", [{}, ChunkTable()], ids=["dict", "packed"])
def test_the_newest_similar_chunks_are_found(table: dict[str, int] | ChunkTable) -> None:
    """The chunks found are the newest ones of the kind and length, also between additions."""
    random = Random(7)
    similar, added = ChunksByShape(table, most=MOST), dict[str, int]()
    for n in range(300):
        fresh = {chunk_of(random): n for _ in range(random.randint(0, 40))}
        table.update({chunk: n for chunk in fresh if chunk not in added})
        added = {**added, **{chunk: n for chunk in fresh if chunk not in added}}
        if isinstance(table, ChunkTable) and not n % 7:
            table.pack_all()
        if random.random() < 0.5:
            value = chunk_of(random)
            newest = [*reversed(added)][:MOST]

            assert similar.find(value, 1) == [
                chunk
                for chunk in newest
                if shape_of(chunk) == shape_of(value) and abs(len(chunk) - len(value)) <= 1
            ]
    assert similar.held_bytes <= 2 * MOST * 150


def test_dropped_chunks_are_not_found() -> None:
    """After the oldest chunks of a full index were dropped, only the others are similar."""
    index = TokenIndex(keys=1_000, scan=100)
    index.add("tx_1 tx_2", At(SCALAR, 1))

    assert ["tx_2", "tx_1"] == index.find_similar("tx_3", SCALAR, most_off=0)
    for n in range(2, 30):
        index.add(" ".join(f"order_{n}_{m}" for m in range(100)), At(SCALAR, n))

    assert index.has_dropped
    assert [] == index.find_similar("tx_3", SCALAR, most_off=0)
    assert "order_29_99" == index.find_similar("order_77_77", SCALAR, most_off=0)[0]
