"""Shapes, spellings and words of a text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abs_shield.text.failure_results import is_failure_result
from abs_shield.text.labelled_values import labelled_values
from abs_shield.text.language import language
from abs_shield.text.name_forms import bare_place, foreign_names
from abs_shield.text.normal_form import alphanumerics, chunks, normal, parts, remove_accents
from abs_shield.text.path_steps import cut_positions, is_misspelt_path
from abs_shield.text.separatorless import SeparatorlessText
from abs_shield.text.spelling_variants import forms
from abs_shield.text.text_templates import template_values, templates
from abs_shield.text.value_shapes import (
    is_address,
    is_code,
    is_date_or_time,
    is_placeholder,
    is_quantity,
)

SHAPES = [
    (is_address, "mia@x.org https://x.org/a www.x.org 123e4567-e89b-12d3-a456-426614174000", True),
    (is_address, "mia x.org https 1.2.3", False),
    (is_code, "HAT170 #W2378156 00418837 21190000441718 card_4242 8f14e45f", True),
    (is_code, "Paris us-east-1 1500 1080p gpt-4o 20240115 1726560000 v2.1.0", False),
    (is_date_or_time, "2024-05-20 5/20/2024 17:30 2024", True),
    (is_date_or_time, "tomorrow tx_2024 20th", False),
    (is_quantity, "1,200.50 30min 1080p 1280x720 v2.1.0 #ff0000 $20", True),
    (is_quantity, "tx_12 W549 twelve", False),
    (
        is_placeholder,
        "<id> TBD YOUR_ACCOUNT {{id}} ${ID} $ORDER_ID xxxx ??? your-email order_id_here",
        True,
    ),
    (is_placeholder, "add-user-flow put_item enter-room over-here your-name-film test_user", False),
    (is_placeholder, "ORD-7731 mia todos here Yourstone $hub.code <@U123>", False),
]


@pytest.mark.parametrize(
    ("shape", "value", "expected"),
    [(shape, value, expected) for shape, text, expected in SHAPES for value in text.split()],
)
def test_shapes(shape, value, expected):
    """The shape of a value."""
    assert expected == shape(value)


@pytest.mark.parametrize(
    ("value", "failed"),
    [
        ("Error: no such order", True),
        ("ValueError: wrong", True),
        ("Could not find it", True),
        ({"error": "denied"}, True),
        ({"success": False}, True),
        ({"isError": True}, True),
        ([{"errorCode": "X"}], True),
        ({"status_code": 404}, True),
        ({"status": "failed"}, True),
        ("404 Not Found", True),
        ("<html><head><title>502 Bad Gateway</title></head></html>", True),
        ("Gateway Timeout", True),
        ("Permission denied", True),
        ("Request timed out after 30 s", True),
        ("Order 7 not found.", True),
        ("The order doesn't exist", True),
        ({"type": "about:blank", "title": "Not Found", "status": 404, "detail": "No order"}, True),
        ({"title": "Out of credit", "status": 403, "type": "about:blank", "balance": 30}, True),
        ({"detail": "Not Found"}, True),
        ({"detail": [{"loc": ["query", "id"], "msg": "Field required", "type": "missing"}]}, True),
        ({"__type": "ResourceNotFoundException", "message": "Requested resource"}, True),
        ({"code": "NoSuchOrder", "message": "The order does not exist"}, True),
        ({"message": "Order not found"}, True),
        ({"code": 504, "message": "try later"}, True),
        ("The order was not found, but the price is 100", False),
        ("Order not found in the cache and so created", False),
        ("I could not look that up; it is about 100.", False),
        ("404 Elm Street", False),
        ("Locked", False),
        ("No orders found.", False),
        ({"message": "Order shipped", "code": "OK"}, False),
        ({"detail": "the price is 100"}, False),
        ({"detail": [{"sku": "A1"}]}, False),
        ({"code": 404, "message": "Blue shirt", "price": 10}, False),
        ({"title": "Not Found", "status": 7, "type": "novel"}, False),
        ({"title": "Invalid", "description": "A novel"}, False),
        ({"message": "Order not found", "price": 100}, False),
        ({"answer": "the price is 100"}, False),
        ("Refunded. No errors.", False),
        ({"errors": []}, False),
        ({"success": True, "status": "ok"}, False),
        ([], False),
        (None, False),
        (7, False),
    ],
)
def test_what_tells_a_failure(value, failed):
    """Errors in the shape of a result, as tools write them."""
    assert failed == is_failure_result(value)


@pytest.mark.parametrize(
    ("text", "is_english"),
    [
        ("Please refund my order", True),
        ("Can you find the hotel?", True),
        ("Bitte erstatte meine Bestellung", False),
        ("Quiero cancelar the booking", False),
        ("Отмени the booking, please, my friend", True),
        ("订单", False),
        ("Mia", False),
        ("", False),
    ],
)
def test_english(text, is_english):
    """A text with two words that only English has, and fewer of other languages, is English."""
    assert is_english == (language(text) == "english")


def test_normal_forms():
    """Case, width, digits, marks and hyphens have one normal form."""
    messages = ["ＴＸ－１", "tx\u20111", "t\u200bx-1", "TX-١", "tx\ufe63१"]

    assert {"tx-1"} == {normal(text) for text in messages}
    assert ("istanbul", "strasse") == (normal("İSTANBUL"), normal("Straße"))
    assert ["1", "2"] == chunks(normal("①②"))


def test_chunks_and_their_parts():
    """A chunk includes its inner punctuation; its parts are the words inside."""
    assert ["o'dea", "x.org/a_1"] == chunks("o'dea, (x.org/a_1).")
    assert {"x.org", "a_1", "a", "1", "x", "org"} == parts("x.org/a_1")
    assert "lodz" == remove_accents("łódź")


@given(st.text(max_size=60))
def test_a_normal_form_is_stable(text):
    """A normal form is its own, up to the blanks at borders."""
    once = normal(text)

    assert alphanumerics(once) == alphanumerics(normal(once))


WORDS = st.lists(
    st.from_regex(r"[a-z0-9]{1,6}([-_.][a-z0-9]{1,6}){0,2}", fullmatch=True), max_size=8
)


@given(WORDS, st.sampled_from([" ", ", ", "; ", "\n", " (", ". "]))
def test_tight_text_contains_its_own_words(phrase, mark):
    """The form without separators contains each word of the text."""
    tight = SeparatorlessText.of(normal(mark.join(phrase)))

    assert all(tight.holds(alphanumerics(word)) for word in phrase)
    assert len(tight.gaps) == len(tight.letters) + 1


@given(st.text(max_size=80))
def test_any_text_has_a_tight_form(text):
    """The form without separators has one gap for each letter and one for the end."""
    tight = SeparatorlessText.of(normal(text))

    assert len(tight.gaps) == len(tight.letters) + 1


def test_tight_text_holds_no_part_of_a_word():
    """Borders are separators; within one value no line and no sentence ends."""
    tight = SeparatorlessText.of("order 1z 999 aa1, 23. 45\nab_cd")

    assert [True, True, False, False, False, False] == [
        tight.holds(letters) for letters in ("1z999aa1", "abcd", "1z99", "aa123", "2345", "ab")
    ]


@given(st.text(max_size=40))
@example("2024-01-01")
def test_forms_of_anything(text):
    """Other spellings are chunks; a date has most, by the names of its month in many languages."""
    result = list(forms(normal(text)))

    assert len(result) < 3_000
    assert all(isinstance(chunk, str) for form in result for chunk in form)


def test_places():
    """The smallest part of a place, and a city's other name."""
    assert ["Oslo", "Rome", "Piazza di Pietra 26"] == [
        bare_place(place)
        for place in ("Oslo Airport (OSL), Norway", "Rome", "Piazza di Pietra 26, Roma")
    ]
    assert (["köln"], []) == (foreign_names("Cologne"), foreign_names("Springfield"))


def test_paths():
    """A path is cut at its separators; one changed step may be a misspelling."""
    assert ([15, 13], []) == (cut_positions("https://x.org/a/b"), cut_positions("https://x.org"))
    assert (True, False, False) == (
        is_misspelt_path("srv/mai/a", "srv/mia/a"),
        is_misspelt_path("srv/lib/a", "srv/mia/a"),
        is_misspelt_path("srv/mia/a", "srv/mia/a"),
    )


def test_labelled_lines():
    """``name: value``, as YAML and reports write it."""
    assert [("id_", "27"), ("To", "mia@x.org")] == list(
        labelled_values("id_: '27'\n- To: mia@x.org\nx")
    )


def test_prescribed_formats():
    """A format is read, filled and refused."""
    (result,) = templates("Ids look like RPT-{game}-{kind}.")

    assert ("7", "final") == template_values(result, "rpt-7-final")
    assert template_values(result, "rpt-7") is None
    assert [] == templates("<b>bold</b> and {x}")
