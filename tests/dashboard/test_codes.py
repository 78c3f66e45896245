"""Each code that the docs list has a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from abs_shield.dashboard.finding_texts import SENTENCES

PAGES = sorted((Path(__file__).parents[2] / "docs" / "layers").glob("*.md"))


def codes_in_table(page: Path) -> set[str]:
    """Return the codes in the first column of the table on a layer's page."""
    table = page.read_text(encoding="utf-8").partition("\n## Codes\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    return {code for row in rows for code in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_code_has_a_sentence(page: Path) -> None:
    """A code without one would be shown as its own name."""
    results = codes_in_table(page)

    assert (True, set()) == (bool(results), results - set(SENTENCES))


def test_no_sentence_is_left_over() -> None:
    """A sentence of a code that no page lists is removed with it."""
    listed: set[str] = set().union(*map(codes_in_table, PAGES))

    assert set() == set(SENTENCES) - listed
