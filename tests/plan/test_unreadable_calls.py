"""Executed calls that the history of writes cannot read."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Shield, Tool, ToolCall, shield
from abs_shield.plan import write_history


def test_error_while_a_call_is_read_is_an_error_of_the_next_missing_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is neither taken for forgotten calls nor passed over, and is raised only once."""

    def fail(*arguments: Any, **options: Any) -> None:
        raise ZeroDivisionError

    tools = [Tool(name="create_user"), Tool(name="refund")]
    guard = Shield(shield.configure(tools=tools), hooks=None)
    session = guard.session()
    session.user("Register usr_1.")
    monkeypatch.setattr(write_history, "build_write", fail)
    with guard.guard(ToolCall("create_user", {"user_id": "usr_1"}), session=session) as running:
        running.value = {"id": "usr_1"}
    refund = ToolCall("refund", {"transaction_id": "tx_99999"})
    for _ in range(2):
        decision = guard.check_call(refund, session=session)
        assert decision.errors == (
            "phantom_target could not run: a call of this run could not be read: ZeroDivisionError",
        )
    seen = ToolCall("refund", {"transaction_id": "usr_1"})
    assert not guard.check_call(seen, session=session).errors
