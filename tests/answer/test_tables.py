"""Texts that are tables are read as records, and each cell belongs to its row."""

from __future__ import annotations

import pytest

from abs_shield.answer.checks.hard import hard
from abs_shield.answer.evidence.collect import evidence_from, evidence_of
from abs_shield.answer.evidence.tables import MOST_CELLS, tabled
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.extraction.claims import claims_of
from abs_shield.session import Session

HEAD = ("order", "name", "qty", "total", "due")
ROWS = [
    ("O-17", "Mia Li", "3", "54.20", "2031-02-03"),
    ("O-18", "Ed Ray", "12", "7.80", "2031-03-05"),
]
TABLES = {
    "commas": "\n".join(map(",".join, [HEAD, *ROWS])),
    "commas and blanks": "\r\n".join(map(", ".join, [HEAD, *ROWS])),
    "tabs": "\n".join(map("\t".join, [HEAD, *ROWS])) + "\n\n",
    "semicolons": "\n".join(map(";".join, [HEAD, *ROWS])),
    "pipes": "\n".join(map("|".join, [HEAD, *ROWS])),
    "markdown": "\n".join(
        f"| {' | '.join(row)} |" for row in [HEAD, ("---", ":--", "--:", ":-:", "---"), *ROWS]
    ),
    "quotes": "\n".join(",".join(f'"{cell}"' for cell in row) for row in [HEAD, *ROWS]),
}
RECORDS = [
    {"order": "O-17", "name": "Mia Li", "qty": 3, "total": "54.20", "due": "2031-02-03"},
    {"order": "O-18", "name": "Ed Ray", "qty": 12, "total": "7.80", "due": "2031-03-05"},
]


def _evidence(result: object) -> Evidence:
    session = Session()
    session.user("What did it cost?")
    session.tool_result("list_orders", result)
    return evidence_of(session)


def _misses(answer: str, evidence: Evidence) -> list[str]:
    scored = hard(claims_of(answer), evidence, answer=answer)
    return [miss.text for one in scored for miss in getattr(one, "missing", ())]


@pytest.mark.parametrize("form", TABLES)
def test_a_table_is_its_rows(form):
    """Whatever stands between its cells."""

    assert tabled(TABLES[form]) == RECORDS


@pytest.mark.parametrize("form", TABLES)
def test_a_cell_belongs_to_its_row(form):
    """What stands in another row is said of another record."""
    evidence = _evidence(TABLES[form])

    assert [] == _misses("Order O-17 costs $54.20, order O-18 costs $7.80.", evidence)
    assert ["February 3"] == _misses("Order O-18 is due on February 3.", evidence)
    assert ["$54.21"] == _misses("Order O-17 costs $54.21.", evidence)


def test_a_table_inside_a_result_is_opened():
    """A file's content is a table as well; what a call was given stays as it was."""
    evidence = _evidence({"file": "orders.csv", "content": TABLES["commas"]})
    (piece,) = evidence_from(TABLES["tabs"])

    assert ["2031-03-05"] == _misses("Order O-17 is due on 2031-03-05.", evidence)
    assert "[1].total: 7.80" in piece.text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Dear Mia, hello\nIt costs 5, or 6",
        "Roses are red, violets are blue\nSugar is sweet, and so are you",
        "Hello, Mia\nYou owe 20 dollars, please pay",
        "total,54.20\ntax,3.10",
        "a,b,c\n1,2\n3,4,5",
        "a,a\n1,2",
        "It rains.\nIt snows on 3 days.",
        "id,total",
        '"a,b\n1,2',
    ],
)
def test_other_text_is_no_table(text):
    """Prose, lists of values, and rows of another length."""

    assert tabled(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n" + "1,2\n" * MOST_CELLS,
        "|" * 200_000 + "\n1",
        '"' * 200_000 + "\n1,",
        "a," * 100_000 + "\n1",
        "- - " * 50_000 + "|\n1|2",
        "a\x00b,c\n1,2",
    ],
)
def test_hostile_tables_stay_texts(text):
    """What is too large, or broken, is read as it is written."""

    assert tabled(text) is None or "\x00" in text
    assert evidence_from([text]).pieces[0].text
