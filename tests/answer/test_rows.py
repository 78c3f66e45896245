"""The rows of a text are found in linear time."""

from __future__ import annotations

import pytest

from abs_shield.answer.evidence.rows import rows
from tests.hostile.steps import steps


@pytest.mark.parametrize(
    "text",
    [
        "| a |\n|" + 500_000 * "-" + "x",
        "a,b\n" + 2 * ("1 " * 200_000 + ",2\n"),
        "|" * 300_000,
        "A: 1\n" * 100_000,
        "a: b\n\n" * 50_000,
    ],
    ids=["dashes", "long cells", "bars", "labels", "paragraphs"],
)
def test_a_large_text(text: str) -> None:
    """No line is searched twice, and no cell is counted from the start of a long row."""
    found = rows(text)

    assert 1_000 > steps(lambda: [found.field(text, at) for at in range(0, len(text), 50_000)])
    assert len(found.starts) <= 20_000


def test_the_columns_of_a_table() -> None:
    """Each value stands under its column's name."""
    text = "| name | price |\n|:---|---:|\n| Alder | 349 |\n"
    found = rows(text)

    assert ("price", True) == (found.field(text, text.index("349")).strip(), found.is_table)
