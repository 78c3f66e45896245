"""Sessions that continue after another one are detected, with bounded memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from abs_shield.replay.session_order import SessionKeys


@given(st.lists(st.integers(0, 40) | st.integers(0, 2**64 - 1), max_size=3_000))
def test_keys_are_remembered_as_in_a_set(keys):
    """A key is new once, also while the table grows."""
    remembered, calls = SessionKeys(), set()

    for key in keys:
        assert remembered.add(key) == ((key or 1) not in calls)
        calls.add(key or 1)


@given(st.lists(st.integers(0, 30), max_size=60))
def test_beyond_the_bound_only_the_first_keys_are_remembered(keys):
    """A key beyond the bound is reported as new, never as seen before."""
    remembered, calls = SessionKeys(most=5), set()

    for key in keys:
        new = remembered.add(key)
        assert new or (key or 1) in calls
        calls.add(key or 1)
    assert remembered.full == (len(calls) >= 5)
