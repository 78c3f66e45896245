"""Rows and columns of a text are found in linear time."""

from __future__ import annotations

import pytest

from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.answer.evidence.text_rows import rows
from abs_shield.session import Session
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
def test_a_large_text_is_read_in_linear_time(text: str) -> None:
    """No line is searched twice, and no cell is counted from the start of a long row."""
    value = rows(text)

    assert 1_000 > steps(lambda: [value.field(text, at) for at in range(0, len(text), 50_000)])
    assert len(value.starts) <= 20_000


def test_a_value_has_the_name_of_its_column() -> None:
    """A value in a Markdown table belongs to the header of its column."""
    text = "| name | price |\n|:---|---:|\n| Alder | 349 |\n"
    value = rows(text)

    assert ("price", True) == (value.field(text, text.index("349")).strip(), value.is_table)


def test_a_value_far_into_a_long_line_has_no_field() -> None:
    """The field of the first line is not that of another line."""
    text = f"- amount: 50.0\n  note: {240 * 'x'} 1200\n- amount: 10.0\n  note: rent\n"
    value = rows(text)

    assert ("amount", "") == tuple(value.field(text, text.index(one)) for one in ("50", "1200"))


PAYMENTS = """- amount: 50.0
  date: '2031-03-01'
  subject: Aquila Premium
- amount: 10.0
  date: '2031-03-07'
  subject: Sushi dinner
"""


@pytest.mark.parametrize(
    ("text", "is_table"),
    [
        (PAYMENTS, True),
        ("- amount: 50.0\n- date: 2031\n", False),
        ("- The amount: 50.0, as agreed\n- The amount: 60.0, as agreed\n", False),
        ("- amount: 50.0\n  subject: Rent\n- 10.0 for dinner\n", False),
    ],
)
def test_a_list_of_objects_in_yaml(text: str, is_table: bool) -> None:
    """A list is a table if each item begins with the same field and has a second one."""
    assert is_table == rows(text).is_table


def test_amounts_of_a_list_in_yaml_belong_to_their_record() -> None:
    """The amount of another record does not support an answer."""

    def missing(answer: str) -> list[str]:
        session = Session()
        session.user("What did I pay?")
        session.tool_result("list_payments", PAYMENTS, call_id="c1")
        scored = hard(claims_of(answer), evidence_of(session), answer=answer)
        return [one.text for some in scored for one in getattr(some, "missing", ())]

    assert [] == missing("Aquila Premium took $50.00 on 2031-03-01.")
    assert ["$10.00"] == missing("Aquila Premium took $10.00 on 2031-03-01.")


def test_a_multi_line_text_names_no_record() -> None:
    """The continuation lines of a YAML text are not fields, whatever they contain."""
    text = (
        PAYMENTS
        + "  note: 'Please do\n    the following: {''amount'': ''All of it''}\n    ''x'': y'\n"
    )

    assert "Aquila Premium" in rows(text).names[0]
    assert not [name for name in rows(text).names[1] if "All of it" in name]


def test_lower_case_names_are_separate_records() -> None:
    """The price of butter does not support a claim about bread."""
    answer = "Bread costs 1.29 and butter costs 2.49."
    session = Session()
    session.user("What do they cost?")
    prices = [{"name": "bread", "price": 1.29}, {"name": "butter", "price": 2.49}]
    session.tool_result("list_prices", prices, call_id="c1")
    scored = hard(claims_of(answer), evidence_of(session), answer=answer)
    swapped = "Bread costs 2.49 and butter costs 1.29."
    wrong = hard(claims_of(swapped), evidence_of(session), answer=swapped)

    assert not any(getattr(some, "missing", ()) for some in scored)
    assert any(getattr(some, "missing", ()) for some in wrong)
