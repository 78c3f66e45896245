"""Sentences of several languages, and full stops that do not end one."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.text.sentences import sentence_spans, sentences

CASES = [
    ("One. Two! Three?", ["One.", "Two!", "Three?"]),
    ("Dr. Li paid $1.50. He left.", ["Dr. Li paid $1.50.", "He left."]),
    ("Capt. Miller met Rev. Ode. He left.", ["Capt. Miller met Rev. Ode.", "He left."]),
    ("Lt. Col. Ames and Messrs. Hay left.", ["Lt. Col. Ames and Messrs. Hay left."]),
    ("Yes, sir. It is open.", ["Yes, sir.", "It is open."]),
    ("Es ist in der Lindenstr. 4. Gut.", ["Es ist in der Lindenstr. 4.", "Gut."]),
    ("See Lowe et al. (2020). Li et al. 2021.", ["See Lowe et al. (2020).", "Li et al. 2021."]),
    ("It is by Lowe et al. Others agree.", ["It is by Lowe et al.", "Others agree."]),
    ("It works... really. See www.x.org now.", ["It works... really.", "See www.x.org now."]),
    ("Use v2.1.0. Mail a.b@x.org. Done", ["Use v2.1.0.", "Mail a.b@x.org.", "Done"]),
    ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
    ("Am 3. Mai kam Herr Dr. Wolf. Gut.", ["Am 3. Mai kam Herr Dr. Wolf.", "Gut."]),
    ("好的。谢谢！可以吗？", ["好的。", "谢谢！", "可以吗？"]),
    ("「はい。」と言った。次へ", ["「はい。」", "と言った。", "次へ"]),
    ("네. 감사합니다. 끝", ["네.", "감사합니다.", "끝"]),
    ("यह है। वह भी।", ["यह है।", "वह भी।"]),
    ("مرحبا؟ نعم۔ شكرا", ["مرحبا؟", "نعم۔", "شكرا"]),
    ("Привет! Ул. Ленина, д. 5. Пока.", ["Привет!", "Ул. Ленина, д. 5.", "Пока."]),
    ("- item one\n- item two. Done\n\nNext", ["- item one", "- item two.", "Done", "Next"]),
    ("ขอบคุณครับ ส่งวันนี้", ["ขอบคุณครับ ส่งวันนี้"]),
    (" \n ", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_sentences(text, expected):
    """A text falls into its sentences, stripped."""
    assert expected == sentences(text)


@given(st.text(alphabet="aA1 .!?\n。।\"')") | st.text())
def test_nothing_is_lost(text):
    """Together the sentences have every character except spaces, in order."""
    assert "".join(text.split()) == "".join("".join(sentences(text)).split())


@given(st.text(alphabet="aA1 .!?\n。") | st.text())
def test_places_are_in_order(text):
    """Each sentence ends before the next begins."""
    spans = list(sentence_spans(text))

    assert all(a[1] <= b[0] for a, b in pairwise(spans))
