"""A replay adds recorded results to the session without judging them."""

from __future__ import annotations

from abs_shield.core import Subject
from abs_shield.policy import Tool, configure
from abs_shield.policy.tool_profile import ToolProfile
from abs_shield.replay.run_judging import Firewalls, judge_run
from abs_shield.replay.run_reader import runs
from abs_shield.replay.toolsets import Toolsets

UNEXPECTED = '{"answer": "somewhere"}'
CALL = {"id": "c1", "name": "find_book", "arguments": {"title": "Emma"}}
MESSAGES = (
    {"role": "assistant", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "name": "find_book", "content": UNEXPECTED},
)


def test_a_result_that_breaks_its_profile_is_added_and_not_judged(written, a_run) -> None:
    """A run file has neither the latency of a call nor the earlier results of its tool."""
    profile = ToolProfile(required_fields=["copy"], has_network_io=False)
    tools = [Tool(name="find_book", profile=profile)]
    firewalls = Firewalls(configure(mode="strict", tools=tools))
    [run] = runs([written(a_run(*MESSAGES, session_id="s1"))], Toolsets())
    firewall = firewalls.of(run)
    [judged] = judge_run(run, firewall)

    assert judged.executed
    assert [] == [d for d in firewall.store.decisions() if d.subject is Subject.RESULT]
    assert {} == firewall.verification.snapshot()["results"]
    assert "tool" == firewall.session("s1").origin("somewhere").source
