"""A model that writes one id for every call: open calls are bounded, and found in constant time."""

from __future__ import annotations

import pytest

from abs_shield import Session, Shield, ToolCall, shield
from abs_shield.session.active_calls import ActiveCall
from abs_shield.session.call_states import CallStates
from abs_shield.session.session_record import record_of
from tests.hostile.steps import steps

LOOK = {"name": "look", "parameters": {"type": "object", "properties": {"page": {}}}}


@pytest.fixture
def firewall() -> Shield:
    made = Shield(shield.configure(), hooks=None)
    made.register(LOOK)
    return made


def check(firewall: Shield, count: int, page) -> Session:
    session = firewall.session()
    session.user("Please look at everything.")
    for number in range(count):
        call = ToolCall("look", {"page": page(number)}, id="call_0")
        firewall.check_call(call, session=session)
    return session


@pytest.mark.parametrize("page", [int, lambda number: {"of": [number]}])
def test_a_call_takes_as_many_steps_as_the_one_before_it(firewall: Shield, page) -> None:
    """The open calls of one id are not compared one by one."""
    check(firewall, 20, page)  # the first call compiles the tool, which is not counted

    assert steps(lambda: check(firewall, 400, page)) < 2.2 * steps(
        lambda: check(firewall, 200, page)
    )


def test_the_calls_under_one_id_are_bounded(firewall: Shield) -> None:
    """The number of stored calls is the same as for different ids."""
    calls = record_of(check(firewall, 1_100, int)).calls

    assert 1_000 == calls.open_calls["call_0"].stored_count


def states(*calls: tuple[str, str, object], most: int = 1_000) -> CallStates:
    made = CallStates(most)
    for call_id, decision_id, page in calls:
        made.open(call_id, ActiveCall(decision_id, "look", {"page": page}))
    return made


@pytest.mark.parametrize("count", [3, 300])
def test_the_newest_equal_call_is_found(count: int) -> None:
    """In JSON 2 equals 2.0, and the Shield does not run a call twice."""
    pages = states(*(("c", f"d{number}", number) for number in range(count)), ("c", "d", 2))
    call = ToolCall("look", {}, "c")
    taken = [pages.find_decision(call, {"page": 2.0}, runs=True) for _ in range(3)]
    pages.suspend("c", "d2")

    assert ["d", "d2", None] == taken
    assert "d2" == pages.find_decision(call, {"page": 2}, runs=True)


@pytest.mark.parametrize("count", [3, 300])
def test_a_closed_call_is_not_open(count: int) -> None:
    """`close` removes the call of the decision, or else the oldest one."""
    pages = states(*(("c", f"d{number}", number) for number in range(count)))
    pages.close("c", "d1")
    pages.close("c", "unknown")
    call = ToolCall("look", {}, "c")

    assert [None, None, "d2"] == [pages.find_decision(call, {"page": page}) for page in range(3)]
    assert "c" in pages.open_calls
    for _ in range(count - 2):
        pages.close("c")
    assert "c" not in pages.open_calls


def test_a_call_beyond_the_bound_is_still_open() -> None:
    """Only its arguments are dropped; its result is still expected."""
    pages = states(*(("c", f"d{number}", number) for number in range(9)), most=4)
    for _ in range(8):
        pages.close("c")
    last = [pages.is_open("c", f"d{number}") for number in range(9)]
    pages.close("c")

    assert [False] * 8 + [True] == last
    assert "c" not in pages.open_calls


def test_a_repeated_id_drops_its_own_calls() -> None:
    """Calls of other ids are stored as long as one id has several."""
    pages = states(("a", "1", 1), *(("c", f"d{n}", n) for n in range(9)), ("b", "2", 1), most=4)

    assert {"a": 1, "c": 2, "b": 1} == {
        k: calls.stored_count for k, calls in pages.open_calls.items()
    }


def test_arguments_without_a_hash_are_found() -> None:
    """Arguments without a hash are compared one by one."""
    odd = [bytearray([number]) for number in range(20)]
    pages = states(*(("c", f"d{number}", value) for number, value in enumerate(odd)))

    assert "d7" == pages.find_decision(ToolCall("look", {}, "c"), {"page": bytearray([7])})


@pytest.mark.parametrize(
    ("first", "second"), [(1, True), (False, 0), ([1], [True]), ({"a": 0}, {"a": False})]
)
def test_true_is_not_the_same_call_as_one(firewall: Shield, first, second) -> None:
    """Each is logged: the tool tells them apart."""
    session = firewall.session()
    session.user("Please look at it.")
    for page in (first, second, second):
        firewall.check_call(ToolCall("look", {"page": page}, id="call_0"), session=session)

    assert 2 == len(session.decisions)
