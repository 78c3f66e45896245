"""Quoted YAML scalars of several lines are decoded as a YAML parser does."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.text.yaml_scalars import decode_folded_scalars

TEXTS = st.text(st.sampled_from("ab \n'\"\\:-#é\u2019\U0001f600\t1"), max_size=120)


@given(text=TEXTS, width=st.integers(8, 40), unicode=st.booleans())
def test_a_folded_scalar_has_its_text_again(text: str, width: int, unicode: bool) -> None:
    written = yaml.safe_dump([{"name": text, "x": 1}], width=width, allow_unicode=unicode)
    scalar = written.removeprefix("- name: ").removesuffix("\n  x: 1\n")

    if "\n" in scalar and scalar[0] in "\"'":
        quote = scalar[0]
        assert f"- name: {quote}{text}{quote}\n  x: 1\n" == decode_folded_scalars(written)


@given(text=TEXTS, width=st.integers(8, 40), unicode=st.booleans())
def test_in_place_each_word_keeps_its_offset(text: str, width: int, unicode: bool) -> None:
    written = yaml.safe_dump([{"name": text, "x": 1}], width=width, allow_unicode=unicode)
    in_place = decode_folded_scalars(written, in_place=True)

    assert len(written) == len(in_place)
    assert decode_folded_scalars(written).split() == in_place.split()


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ('- plan: "June 13: Hiking\\\n    \\ at Diamond Head\\nJune 14: Pearl Harbor"', "Diamond"),
        ('street: "Z\\xFCrichbergstra\\xDF\\\n  e 12, 3rd floor"', "3rd"),
        ("note: 'Ann''s team\n  meets on 3 May'", "May"),
    ],
)
def test_a_word_after_a_fold_keeps_its_offset(written: str, word: str) -> None:
    in_place = decode_folded_scalars(written, in_place=True)

    assert written.index(word) == in_place.index(word)


@pytest.mark.parametrize(
    "text",
    [
        'path: "C:\\new\\temp"\nsize: 3',
        'He said: "Come\nback" and left',
        '"Come\n  back"',
        'Ann Lee of the sales team wrote to Bob: "Come\n  back"',
        "a: 'It''s here\nb: 'there'",
        'a: "never closed\n  b: 1',
    ],
    ids=["one line", "shallow", "no key", "prose", "not deeper", "open"],
)
def test_other_text_is_unchanged(text: str) -> None:
    assert text == decode_folded_scalars(text)


def test_half_of_a_pair_of_surrogates_stays_an_escape() -> None:
    text = 'a: "\\ud83d\\\n  b"'

    assert 'a: "\\ud83db"' == decode_folded_scalars(text)
