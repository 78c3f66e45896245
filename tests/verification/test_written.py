"""Faster writers have the same output as the standard ones."""

from __future__ import annotations

import json

import regex
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.policy import ToolProfile
from abs_shield.verification.result_view import is_small, writers

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


@given(JSON)
def test_it_writes_what_json_writes(value):
    """In both forms that the engine needs: as a result is read, and as arguments are compared."""
    usual = writers(repr, ordered=False)
    sorted_ = writers(repr, separators=(",", ":"), ordered=True)
    for write, write_sorted in zip(usual, sorted_, strict=True):
        assert json.dumps(value) == write(value)
        assert json.dumps(value, sort_keys=True, separators=(",", ":")) == write_sorted(value)


def test_a_recursive_value_is_not_small():
    """A value that contains itself is left to the standard encoder, which detects it."""
    value = {}
    value["self"] = value

    assert not is_small(value)


@given(st.text('ab.*"_ \n', max_size=3), st.text('ab.*"_ \n', max_size=12))
def test_a_plain_pattern_is_found_as_an_expression_is(pattern, text):
    """The pattern may be a plain text or an expression."""
    try:
        expected = regex.search(pattern, text) is not None
    except regex.error:
        return
    (search,) = ToolProfile(response_patterns=[pattern]).searches

    assert expected == bool(search(text, timeout=1.0))
