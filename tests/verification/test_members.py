"""The fast reader of flat objects returns the same as the general reader."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from abs_shield.verification import ToolProfile, VerificationEngine
from abs_shield.verification.numeric_fields import read_numbers
from abs_shield.verification.result_shape import kinds_of, members_of, shape_of
from abs_shield.verification.result_view import ResultView

NAMES = st.sampled_from(["", "a", "b", "a b", "q/z", "~", "é", "error", "n" * 200, "n" * 201])
SCALARS = (
    st.none() | st.booleans() | st.text(max_size=5) | st.floats() | st.integers()
    | st.sampled_from([10**150, -(10**150), 10**400, 1e150, -1e308, 1e308, 0, -0.0])
)  # fmt: skip
OBJECTS = st.dictionaries(NAMES, SCALARS | st.lists(SCALARS, max_size=2), max_size=6)


@given(OBJECTS)
def test_the_fast_reader_equals_the_general_reader(value):
    """Both return the same numbers and size, unless the fast reader declines the value."""
    members = members_of(value)
    assert members is not None
    read = members.read(value)
    numbers, size, whole = read_numbers(value)

    assert shape_of(value, members) == shape_of(value)
    if read is not None:
        assert (list(numbers.items()), size, whole) == (list(read[0].items()), *read[1:])


@given(OBJECTS)
def test_odd_values_are_left_to_the_closer_look(value):
    """A number that is not finite or too large, a list, or a name too long for a number."""
    members = members_of(value)
    odd = any(
        type(one) is list
        or (type(one) in (int, float) and (len(name) > 200 or not abs(one) < 1e150))
        for name, one in value.items()
    )

    assert members is not None
    assert not (odd and members.read(value) is not None)


@given(OBJECTS, st.lists(st.sampled_from(["a", "b", "q/z", "é", "gone"]), unique=True))
def test_its_types_are_those_of_its_fields(value, required):
    """Each required field that is there and not null, by its JSON type."""
    members = members_of(value)
    view = ResultView(value, latency_ms=300.0, profile=ToolProfile(required_fields=required))

    assert members is not None
    assert view.kinds == kinds_of(members, tuple(required))


def test_types_of_pointers_and_long_names_are_not_members():
    """The fast reader returns no type for a pointer or a very long name."""
    members = members_of({"a": 1, "n" * 201: 2})

    assert members is not None
    assert kinds_of(members, ("/a",)) is None
    assert kinds_of(members, ("n" * 201,)) is None


def test_results_on_which_no_signal_fires_share_no_signals():
    """Changes by the caller to one result do not change another."""
    engine = VerificationEngine()
    first, second = (
        engine.verify("search", result="it is there", execution_time_ms=300.0) for _ in range(2)
    )
    before = dict(second.signals)
    first.signals.clear()

    assert before == second.signals
    third = engine.verify("search", result="it is there", execution_time_ms=300.0)
    assert before == third.signals
