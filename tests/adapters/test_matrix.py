"""The table of `docs/adapters.md` equals the outcome of the scenes."""

from __future__ import annotations

import pytest

from tests.adapters.matrix import INSTALLED, play_drivers, read_documented


@pytest.mark.skipif(
    not INSTALLED, reason="needs a framework, e.g. `pip install abs-shield[openai]`"
)
def test_the_documented_table_equals_the_outcome_of_the_scenes():
    """Each cell is compared for every framework that is installed."""
    page = read_documented()
    wrong = [row for row in play_drivers() if page.get(row[0], {}).get(row[1]) != row[2]]
    assert [] == wrong


def test_no_cell_is_empty():
    """Each adapter plays each scene, or has a reason why it cannot."""
    assert all(cell for message in read_documented().values() for cell in message.values())
