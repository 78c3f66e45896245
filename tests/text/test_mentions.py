"""Entities in a text, by kind, in several languages, in linear time."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.text.mentions import MentionKind, mentions

CASES = [
    ("Refund tx_12345 and #9502127.", [("id", "tx_12345"), ("id", "#9502127")]),
    ("订单tx_12345谢谢", [("id", "tx_12345")]),
    ("注文ORD-12を確認", [("id", "ORD-12")]),
    ("mail mia.li+a@x-y.co.uk.", [("email", "mia.li+a@x-y.co.uk")]),
    ("请写信给mia@x.org。", [("email", "mia@x.org")]),
    ("see https://x.org/a?b=1.", [("url", "https://x.org/a?b=1")]),
    ("then www.y.org/z, ok", [("url", "www.y.org/z")]),
    ("open /etc/app/a.txt or src/main.py", [("path", "/etc/app/a.txt"), ("path", "src/main.py")]),
    ("call +49 30 1234567", [("phone", "+49 30 1234567")]),
    ("call (555) 123-4567 now", [("phone", "(555) 123-4567")]),
    ("paid $1,500.00 of 20 EUR", [("money", "$1,500.00"), ("money", "20 EUR")]),
    ("zahlte 1.500,00 €", [("money", "1.500,00 €")]),
    ("東京で5,000円払った", [("money", "5,000円")]),
    ("заплатил 1 200 ₽ 20.05.2024", [("money", "1 200 ₽"), ("date", "20.05.2024")]),
    ("on 2024-05-20 and 5/20/2024", [("date", "2024-05-20"), ("date", "5/20/2024")]),
    ("on May 20th, 2024 or 3 June", [("date", "May 20th, 2024"), ("date", "3 June")]),
    ("2024年5月20日に", [("date", "2024年5月20日")]),
    ("12.5% of 1,000 is 125", [("number", "12.5%"), ("number", "1,000"), ("number", "125")]),
    ("Please ask Dr. Ann O'Neil.", [("name", "Dr. Ann O'Neil")]),
    ("Please ask Capt. Ann O'Neil.", [("name", "Capt. Ann O'Neil")]),
    ("and José de la Cruz", [("name", "José de la Cruz")]),
    ("для Марии Ивановой", [("name", "Марии Ивановой")]),
    ("nothing to see here", []),
    ("", []),
]  # fmt: skip

HOSTILE = ["a.", "1,111", "/a", "a@", "+1 ", "www.", "-a1", "A'", "#", "may 1", "a.a@a", "\n "]


@pytest.mark.parametrize(("text", "mentioned"), CASES)
def test_what_is_mentioned(text, mentioned):
    """Kinds and texts come in their order."""
    assert mentioned == [(m.kind.value, m.text) for m in mentions(text)]


@pytest.mark.parametrize("kind", MentionKind)
def test_every_kind_has_a_case(kind):
    """No kind goes untested."""
    assert any(kind == text for _, result in CASES for text, _ in result)


@given(st.text() | st.lists(st.sampled_from(HOSTILE)).map("".join))
def test_mentions_have_their_offsets_and_do_not_overlap(text):
    """Each mention is the text between its offsets, and none overlaps the next."""
    results = mentions(text)

    assert all(text[m.start : m.end] == m.text for m in results)
    assert all(a.end <= b.start for a, b in pairwise(results))


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_long_texts_are_read_whole(piece):
    """The last word after 100,000 repetitions of any piece is found."""
    text = piece * 100_000 + " tx_9"

    assert "tx_9" in [m.text for m in mentions(text)][-1]
