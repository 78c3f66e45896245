"""Every reader of a text reads each value of the table in every spelling."""

from __future__ import annotations

from decimal import Decimal

from abs_shield.answer.check_pipeline import checked
from abs_shield.answer.consistency_probes import ClozeGap, values_in
from abs_shield.session import Session
from abs_shield.text.exact_values import amount
from abs_shield.text.mentions import MentionKind, mentions
from abs_shield.text.tokens import tokens
from abs_shield.text.values.figure import (
    DATE,
    MONEY,
    NUMBER,
    TIME,
    Day,
    Figure,
    Minute,
    figures_agree,
)
from abs_shield.text.values.figure_reader import figures
from tests.rows import each_row

from .table import ROWS, Row

SENTENCE = "The sheet says {} at that place."
COUNTED = (MentionKind.NUMBER, MentionKind.MONEY, MentionKind.ID)
SUMS = [row for row in ROWS if row.kind in (NUMBER, MONEY)]


def test_the_table_is_large():
    """Three hundred values, and some eight spellings of each."""
    assert len(ROWS) >= 300
    assert sum(len(row.spellings) for row in ROWS) >= 2_300


def figure_of(row: Row) -> Figure:
    """Return the value of a row as a figure."""
    return Figure(row.kind, str(row.value), 0, 1, (row.value,), Decimal("0.000001"))


@each_row("row", ROWS)
def test_the_reader_finds_one_value(row):
    """Each spelling of a row has one figure, which equals the row's value."""
    for spelling in row.spellings:
        (value,) = figures(SENTENCE.format(spelling))
        assert value.kind == row.kind, spelling
        assert figures_agree(figure_of(row), value), spelling


@each_row("row", SUMS)
def test_the_words_of_a_text_have_its_number(row):
    """The scorer of words sees one number, by its value."""
    for spelling in row.spellings:
        (result,) = [one.figure for one in tokens(SENTENCE.format(spelling), most=99) if one.figure]
        assert float(row.value) in (result.value, result.other), spelling


@each_row("row", ROWS)
def test_a_probe_accepts_every_spelling(row):
    """A reply with any spelling of the value agrees."""
    (text,) = values_in(SENTENCE.format(row.spellings[0]))
    for spelling in row.spellings:
        assert ClozeGap("", text).agrees(spelling), spelling


@each_row("row", [row for row in SUMS if row.kind == NUMBER])
def test_a_policy_reads_the_number_of_an_argument(row):
    """An argument in grouped digits is an amount; words and units are not."""
    for spelling in row.spellings:
        read = amount(spelling)
        assert read is None or read == row.value, spelling


@each_row("row", SUMS)
def test_what_a_text_mentions_is_not_cut(row):
    """A number in digits is one mention, from its first digit to its last."""
    for spelling in row.spellings:
        digits = [place for place, one in enumerate(spelling) if one.isdigit()]
        if digits and any(one.isascii() for one in spelling):
            results = [
                one
                for one in mentions(spelling)
                if one.kind in (MentionKind.NUMBER, MentionKind.MONEY, MentionKind.ID)
            ]
            assert [True] == [one.start <= digits[0] and digits[-1] < one.end for one in results], (
                spelling
            )


def tool_text(row: Row) -> object:
    """Return a value as a tool returns it."""
    match row.value:
        case Day(year, month, day):
            return f"{year}-{month:02}-{day:02}"
        case Minute(minutes):
            return f"{minutes // 60:02}:{minutes % 60:02}"
        case _:
            return float(row.value)


@each_row("row", ROWS, size=10)
def test_an_answer_may_spell_what_a_tool_returned(row):
    """No figure of it is missed."""
    for spelling in row.spellings:
        session = Session()
        session.user("What does the sheet say?")
        session.tool_result("read_sheet", {"value": tool_text(row)})
        report = checked(SENTENCE.format(spelling), session=session)
        assert [] == [miss.text for claim in report.claims for miss in claim.missing], spelling


def test_kinds_of_the_table():
    """Each is in it."""
    assert {row.kind for row in ROWS} == {NUMBER, MONEY, DATE, TIME}
