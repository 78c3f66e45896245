"""Results of calls that state that an action was, or was not, performed."""

from __future__ import annotations

import pytest

from abs_shield.answer.evidence.undone_actions import undone


@pytest.mark.parametrize(
    "value",
    [
        False,
        "false",
        {"cancelled": False},
        {"success": "false"},
        {"accepted": False},
        {"status": 500},
        {"code": "E_DENIED", "reason": "fare rules"},
        "Booking cannot be cancelled: it has departed.",
        "The order was not cancelled.",
        "Not authorized",
        "Sorry, permission denied",
        {"message": "Cannot cancel booking AB1234"},
        {"message": "The request was rejected."},
        [{"message": "This booking can't be canceled any more."}],
    ],
)
def test_result_that_denies_the_action(value):
    """A flag, code or sentence of a result states that the call's action was not performed."""
    assert undone("cancel_booking", {}, value)


@pytest.mark.parametrize(
    ("tool", "value"),
    [
        ("cancel_booking", None),
        ("cancel_booking", ""),
        ("cancel_booking", []),
        ("cancel_booking", {"ok": True}),
        ("cancel_booking", {"cancelled": True, "refunded": False}),
        ("cancel_booking", "Booking cancelled. This cannot be undone."),
        ("cancel_booking", "Cancelled. A cancelled booking cannot be cancelled again."),
        ("cancel_booking", "Cancelled; the fee could not be refunded."),
        ("book_room", {"id": "R7", "cancelled": False, "note": "It cannot be cancelled."}),
        ("create_task", {"id": 1, "completed": False, "done": False}),
        ("create_task", {"id": 1, "code": "T-1", "status": "rejected items: none"}),
        ("do_it", {"message": "never better"}),
        ("svc_17", "It cannot be more done."),
    ],
)
def test_result_about_another_action(tool, value):
    """A result about other actions does not deny the call's action."""
    assert not undone(tool, {}, value)
