"""The memory after hostile names and values is bounded in bytes, not only in entries."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield
from abs_shield.session import Session
from abs_shield.session.session_record import record_of

MEGABYTE = 1 << 20


def firewall() -> Shield:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    return Shield(
        shield.configure(mode="strict", tools=[Tool(name="act", parameters=schema)]), hooks=None
    )


def check_calls(guard: Shield, *calls: ToolCall) -> Session:
    session = guard.session()
    session.user("Please act.")
    for call in calls:
        guard.check_call(call, session=session)
    return session


def test_long_names_of_arguments_are_not_cached() -> None:
    """The caches of a tool have no name of more than 10,000 characters."""
    guard = firewall()
    check_calls(guard, *(ToolCall("act", {f"{n}" + "x" * 10_000: n}) for n in range(20)))
    parameters = guard.registry["act"].plan.targets.parameters

    assert [] == [name for name in parameters.top if len(name) > 10_000]
    assert [] == [names for names in parameters._names_by_check if len("".join(names)) > 10_000]


def test_the_arguments_of_blocked_calls_are_not_stored() -> None:
    """A session keeps only the hash of a blocked call without an id."""
    calls = [ToolCall("act", {"n": f"{n}" + "x" * MEGABYTE}) for n in range(5)]
    session = check_calls(firewall(), *calls)

    assert sum(map(len, record_of(session).calls._blocked)) < 1_000


def test_a_long_call_id_is_truncated() -> None:
    """The id of a call in a decision has at most 1,024 characters."""
    session = check_calls(firewall(), ToolCall("act", {}, "c\x1b[2J" * MEGABYTE))

    assert [1_024] == [len(decision.call_id or "") for decision in session.decisions]
    assert len(session.decisions[0].to_json()) < 10_000


def test_the_coverage_of_a_decision_is_immutable() -> None:
    """Decisions share their coverage, so a change of one would change the other."""
    one, other = check_calls(firewall(), *[ToolCall("act", {"n": 1})] * 2).decisions
    with pytest.raises(TypeError, match="copy it"):
        one.coverage.clear()  # type: ignore[attr-defined]

    assert 6 == len(one.coverage) == len(other.coverage)
