"""The table of `docs/adapters.md` says what the scenes show."""

from __future__ import annotations

import pytest

from tests.adapters.matrix import INSTALLED, documented, played


@pytest.mark.skipif(not INSTALLED, reason="no framework is installed")
def test_the_page_says_what_is_shown():
    """Every cell of every framework that is installed here."""
    page = documented()
    wrong = [row for row in played() if page.get(row[0], {}).get(row[1]) != row[2]]
    assert [] == wrong


def test_no_cell_is_empty():
    """Each adapter plays each scene, or says why it cannot."""
    assert all(cell for message in documented().values() for cell in message.values())
