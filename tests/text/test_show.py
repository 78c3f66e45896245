"""Any text of a model is shown on one short line without control characters."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.text.safe_display import LINE, escaped, shown

ATTACKS = ["\x1b[31m", "\r\n", "\u202e", "\u2066", "\u2028", "\u2029", "\x85", "\x00", "\u200b"]
TEXT = st.text() | st.lists(st.sampled_from([*ATTACKS, "a", "é", "订"])).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=8,
)


@given(TEXT)
def test_no_control_character_gets_through(text: str) -> None:
    """Control, format, surrogate, private and unassigned characters are all escaped."""

    assert not {unicodedata.category(c) for c in escaped(text)} & {
        *("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    }


@given(TEXT)
def test_an_escaped_text_is_encodable(text: str) -> None:
    """A lone surrogate does not break the file that it is written to."""

    assert escaped(text).encode("utf-8").decode("utf-8") == escaped(text)


@given(JSON)
def test_every_value_is_shown_on_one_short_line(value: Any) -> None:
    """Any JSON value is one line; a cut one ends in dots."""
    line = shown(value, limit=20)

    assert [line] == line.splitlines()
    assert len(line) <= 20 * len("\\U0010ffff") + 5


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_are_escaped_and_readable(attack: str) -> None:
    """An attack is shown as its escapes, with the words around it."""

    assert f"a{attack.encode('unicode_escape').decode()}b".replace("\\[", "[") == escaped(
        f"a{attack}b"
    )


@pytest.mark.parametrize("text", ["refund", "é ü 订单", "a\\b", "naïve 🙂", ""])
def test_printable_text_is_unchanged(text: str) -> None:
    """Printable text of any script is not escaped."""

    assert text == escaped(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("x" * LINE, "x" * LINE), ("x" * (LINE + 1), "x" * LINE + "..."), ("x" * 10**7, None)],
)
def test_a_long_text_is_cut(text: str, expected: str | None) -> None:
    """Text over the limit is cut, and dots say so."""

    assert (expected or "x" * LINE + "...") == escaped(text)


class _Odd:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("tx_9", '"tx_9"'),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        (5, "5"),
        (-5, "-5"),
        (1.5, "1.5"),
        ({}, "an object of 0 members"),
        ({"a": 1}, "an object of 1 member"),
        ([1, 2], "a list of 2 items"),
        ((1,), "a list of 1 item"),
        (_Odd(), "a value of type _Odd"),
        (b"x", "a value of type bytes"),
    ],
)
def test_values_are_shown_as_json(value: Any, expected: str) -> None:
    """Values are shown as JSON; other objects are shown by their type."""

    assert expected == shown(value)


def test_a_huge_integer_is_named_by_its_size() -> None:
    """Python itself refuses to print it."""

    assert shown(10**10_000) == "an integer of 33220 bits"
