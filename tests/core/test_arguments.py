"""Arguments are parsed as strict JSON within limits."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.core.call_arguments import DEPTH, SIZE, Malformed, read_arguments

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


def code(raw: Any) -> str:
    read = read_arguments(raw)
    assert isinstance(read, Malformed)
    return read.code


@pytest.mark.parametrize("raw", [None, "", "  \n", "{}", {}, b"{}", MappingProxyType({})])
def test_no_arguments(raw: Any) -> None:
    """None, an empty string and an empty object are equal."""

    assert read_arguments(raw) == {}


@given(st.dictionaries(st.text(), JSON))
def test_what_json_writes_is_read_back(value: dict[str, Any]) -> None:
    """Every JSON object is read as the object that it is."""

    assert value == read_arguments(json.dumps(value))


@given(st.text() | st.binary() | JSON)
def test_nothing_raises(raw: Any) -> None:
    """Any text and any JSON value give an object or the reason why they are malformed."""

    assert isinstance(read_arguments(raw), dict | Malformed)


@given(st.text(alphabet='{}[]":,\\ 0123456789eE.-truefalsn', max_size=300))
def test_nearly_valid_json_never_raises(raw: str) -> None:
    """Text of JSON's own characters gives an object or the reason why it is malformed."""

    assert isinstance(read_arguments(raw), dict | Malformed)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ('{"a": {"b": 1, "b": 1}}', "duplicate_key"),
        ('{"a": NaN}', "not_finite"),
        ('{"a": Infinity}', "not_finite"),
        ('{"a": -Infinity}', "not_finite"),
        ('{"a": 1e999}', "not_finite"),
        ('{"a": -1e999}', "not_finite"),
        ('{"a": ' + "9" * 5_000 + "}", "too_large"),
        ('{"a": "' + "x" * SIZE + '"}', "too_large"),
        ('{"a": "' + "é" * (SIZE // 2) + '"}', "too_large"),
        ('{"a": ' * 65 + "1" + "}" * 65, "too_deep"),
        ("[" * 1_000_000, "too_deep"),
        ('{"a": 1', "malformed_json"),
        ("{'a': 1}", "malformed_json"),
        ('{"a": 1,}', "malformed_json"),
        ('{"a": 01}', "malformed_json"),
        ('{"a": 1} {}', "malformed_json"),
        ('\ufeff{"a": 1}', "malformed_json"),
        ('{"a": "\n"}', "malformed_json"),
        ("hello", "malformed_json"),
        ("[1]", "wrong_type"),
        ('"{}"', "wrong_type"),
        ("null", "wrong_type"),
        ("5", "wrong_type"),
        (5, "wrong_type"),
        ([1], "wrong_type"),
        (True, "wrong_type"),
        (object(), "wrong_type"),
    ],
)
def test_what_is_refused(raw: Any, expected: str) -> None:
    """Everything that JSON forbids, or that is not an object, has its own code."""

    assert expected == code(raw)


def test_the_deepest_that_is_read() -> None:
    """Arguments nested to the bound are read."""

    assert isinstance(read_arguments('{"a": ' * DEPTH + "1" + "}" * DEPTH), dict)


def test_the_largest_that_is_read() -> None:
    """Arguments as large as the bound are read."""
    raw = '{"a": "' + "x" * (SIZE - 9) + '"}'

    assert (len(raw), isinstance(read_arguments(raw), dict)) == (SIZE, True)


def test_brackets_inside_strings_do_not_nest() -> None:
    """Brackets and escaped quotes inside strings do not count towards the depth."""
    value = {"a": '[{"\\' * 100}

    assert value == read_arguments(json.dumps(value))


@given(st.text())
def test_a_refusal_is_one_short_line(raw: str) -> None:
    """A refusal never quotes what the model wrote."""
    read = read_arguments("[" + raw)

    assert isinstance(read, Malformed)
    assert (read.detail.isprintable(), len(read.detail) < 80) == (True, True)


def test_an_object_is_not_copied() -> None:
    """An object is returned itself."""
    given_arguments = {"a": [1]}

    assert given_arguments is read_arguments(given_arguments)
