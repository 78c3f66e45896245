"""Blanks of a form are distinguished from other text in brackets."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.text.text_templates import LONGEST, is_blank
from tests.rows import each_row

BLANKS = [
    "<order_id>", "<your name>", "[Your Name]", "[Your Company]", "{user_id}", "{{customer_email}}",
    "{{ customer_email }}", "<API_KEY>", "[Customer Name]", "[insert link]", "[Enter your reason]",
    "[[order_id]]", "<<order_id>>",
    "<placeholder>", "[TBD]", "REPLACE_WITH_YOUR_KEY", "[Insert name here]",
    "insert the reason here", "Insert date here.", "insert_value_here", "(insert name here)",
    "<note>", "[Note]", "<my note>", "YOUR_ORDER_ID", "INSERT_TEXT_HERE",
    "  <order id>  ", "<recipient's e-mail address>", "[Start Date]", "<用户_ID>",
]  # fmt: skip


@pytest.mark.parametrize("text", BLANKS)
def test_a_blank(text):
    """A text that only names what to fill in is a blank."""
    assert is_blank(text, "note")


BLANKS_WHERE_JUDGED = [
    "[ID]", "<email>", "{amount}", "<name>", "<key>", "<date>", "[Your order]", "${ORDER_ID}",
    "${order_id}",
]  # fmt: skip


@pytest.mark.parametrize("text", BLANKS_WHERE_JUDGED)
def test_a_blank_where_a_value_has_to_come_from_somewhere(text):
    """Free text may hold a tag of one word, and a program's own variable."""
    assert is_blank(text, "user_id", judged=True)
    assert not is_blank(text, "note")


VALUES = [
    "Insert coin here", "insert here", "Insert disc 2 here.", "[Insert coin]", "[Your invoice]",
    "ADD_TO_CART", "INSERT_ROW", "YOUR", "[[1, 2]]", "<<", "<Insert>", "[Enter]",
    "", "Mia", "<b>", "<br>", "<br/>", "<div>", "</name>", "<div id='name'>", "<p>Hello</p>",
    "<address>", "List<int>", "<T>", "<noreply@x.org>", "Mia Li <mia@x.org>", "<https://x.org>",
    "<@U123>", "<#C123|general>", "<!channel>", "[x]", "[ ]", "[INST]", "[URGENT]", "[draft]",
    "[Team Meeting]", "[a-z]", "[0-9]+", "[name](https://x.org)", "Hello {name}", "[1, 2]",
    "{}", "[]", '{"name": "Mia"}', "{a,b}", "$.store.book[0].name", "${HOME}", "$HOME", "%PATH%",
    "<Enter>", "<Ctrl-C>", "<stdin>", "<lambda>", "<none>", "<unknown name>", "[no note]",
    "[No Date]", "[Reset password]", "[Sent from my phone]", "[Reply by email]", "[Click here]",
    "{{ states('sensor.name') }}", "{{ steps.trigger.id }}", "<!-- note -->",
    "${{ secrets.TOKEN }}",
    "SELECT [Order Id] FROM t", "Insert the note, then come here with it", "I am here", "HERE",
    "<order_id> and <user_id>", "x < y_id > z", "[2026-11-20]", "<3",
]  # fmt: skip


@each_row("text", VALUES)
def test_a_value(text):
    """Tags, mentions, keys, notices, patterns, variables and text around brackets."""
    assert not is_blank(text, "note")


def test_only_short_text_is_a_blank():
    """A longer text in brackets is prose."""
    assert is_blank("<" + "your " * 10 + "name>", "note")
    assert not is_blank("<" + "your " * LONGEST + "name>", "note")


FIRST = ["", "insert ", "insert name ", "insert_", "<", "[", "{{ "]
REPEATED = [
    "_", "-", "a_", "_-", "a-", "[<", "[", "<", "{", "{{", "'_", "insert_", "here_", "YOUR_",
    "_HERE", "INSERT_", "\u2019-",
]  # fmt: skip


@each_row(("first", "part"), product(FIRST, REPEATED))
def test_long_repetitions_are_not_blanks(first, part):
    """Repeated separators, which could be read in many ways, are read once."""
    text = (first + part * LONGEST)[:LONGEST]

    assert LONGEST == len(text)
    assert not is_blank(text, "note")


@given(st.text(alphabet="a_- ", max_size=LONGEST - 12), st.sampled_from("_- "))
def test_insert_and_here_may_enclose_six_words(between, separator):
    """One to six words between `insert` and `here`, with any separators, are a blank."""
    text = f"insert{separator}name{separator}{between}{separator}here"
    words = between.replace("_", " ").replace("-", " ").split()

    assert (len(words) <= 5 and len(text) <= LONGEST) == is_blank(text, "note")


@given(st.text(alphabet="<>[]{}()_- anINSERThereYOU", max_size=LONGEST))
def test_any_text_over_a_short_alphabet_is_read(text):
    """Space around a text changes nothing."""
    assert is_blank(text, "note") == is_blank(text.strip(), "note")
