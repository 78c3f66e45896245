"""Selection of right calls, and joining the runs of a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from abs_shield.planting import Joined
from tests.planting.conftest import CALLS, messages, office

Read = Callable[..., Joined]


def run_of(result: Any = "ok", **labels: Any) -> dict[str, Any]:
    """Return a run of two calls, the second with this result."""
    calls = [CALLS[0], ("get_order", {"order_id": "ord_48213"}, result)]
    return office(messages=messages(calls), labels=labels)


@pytest.mark.parametrize(
    ("record", "right"),
    [
        (run_of(), [True, True]),
        (run_of(success=True), [True, True]),
        (run_of(success=None), [True, True]),
        (run_of(success=False), [False, False]),
        (run_of(attack="injection"), [False, False]),
        (run_of(failed_calls=[1]), [True, False]),
        (run_of(unfounded={"0": "TRUE: invented"}), [False, True]),
        (run_of(calls={"1": "hallucinated"}), [True, False]),
        (run_of(calls={"c0": "hallucinated", "1": "ok"}), [False, True]),
        (run_of("Error: no such order"), [True, False]),
        (run_of({"success": False}), [True, False]),
        (run_of(failed_calls="1", unfounded=7), [True, True]),
        (run_of(failed_calls=[[1], "1", None]), [True, False]),
    ],
)
def test_right_calls(read: Read, record: dict[str, Any], right: list[bool]) -> None:
    """Labels and results set a call aside."""

    assert right == [call.right for call in read(record).calls]


def test_a_result_that_says_error_sets_its_call_aside(read: Read) -> None:
    """A message that is marked as an error is enough."""
    record = run_of()
    record["messages"][-1]["error"] = True

    assert [True, False] == [call.right for call in read(record).calls]


def test_runs_of_a_session_are_joined(read: Read) -> None:
    """Call indexes continue, and values of the first run are seen in the second."""
    first = office(session_id="s", messages=messages(CALLS[:2]))
    second = office(
        session_id="s", messages=messages(CALLS[3:4], "Go on."), labels={"failed_calls": [0]}
    )
    run = read(first, second)

    assert [0, 1, 2] == [call.index for call in run.calls]
    assert {2} == run.set_aside.keys()
    assert run.run_text.precedes("ord_48213", run.calls[2].turn)


def test_an_invalid_label_of_a_call_is_an_error(read: Read) -> None:
    """The error names the field of the label."""
    with pytest.raises(ValueError, match=r"labels\.calls"):
        read(run_of(calls={"0": "wrong"}))
