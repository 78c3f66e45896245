"""A recorded result is used without a judgement, because its call did not run here."""

from __future__ import annotations

from abs_shield.core import Subject
from abs_shield.policy import Tool, configure
from abs_shield.policy.tool_profile import ToolProfile
from abs_shield.replay.run_judging import Firewalls, judge_run
from abs_shield.replay.run_reader import runs
from abs_shield.replay.toolsets import Toolsets

STRANGE = '{"answer": "somewhere"}'
CALL = {"id": "c1", "name": "find_book", "arguments": {"title": "Emma"}}
MESSAGES = (
    {"role": "assistant", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "name": "find_book", "content": STRANGE},
)


def test_a_result_against_its_profile_is_taken_in_and_not_judged(written, a_run) -> None:
    """A run file tells neither its latency nor what came before it in that tool."""
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
