"""A run file contains the feedback in place of a withheld result."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from abs_shield import ResultBlocked, Shield, Tool, ToolCall, ToolProfile, shield, shielded
from abs_shield.core.messages import decode_json
from abs_shield.replay.run_judging import Firewalls, judge_run
from abs_shield.replay.run_reader import runs
from abs_shield.replay.toolsets import Toolsets
from abs_shield.session.call_states import is_feedback
from abs_shield.testing import no_shield

PRICED = ToolProfile(required_fields=["price"], has_network_io=False)
GOOD, MADE_UP = {"price": 5}, {"answer": "id_777"}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "runs.jsonl"


@pytest.fixture
def shop(file):
    """Return a strict Shield that records, and a tool that returns its argument."""
    tools = [
        Tool(name="quote", profile=PRICED, read_only=True),
        Tool(name="ping", profile=ToolProfile(has_network_io=False), read_only=True),
    ]
    policy = shield.configure(mode="strict", layers=[], tools=tools)
    firewall = Shield(policy, hooks=None, record=file)

    @shielded(firewall)
    def quote(value: dict) -> dict:
        return value

    @shielded(firewall)
    def ping() -> None:
        return None

    return firewall


def contents(file) -> list:
    """Return the contents of the tool messages of a run file."""
    lines = file.read_text().splitlines()
    messages = [m for line in lines for m in json.loads(line)["messages"] if m["role"] == "tool"]
    return [decode_json(message["content"]) for message in messages]


def add_call(firewall, value, call_id=None) -> None:
    """Dispatch one call as a host does."""
    with suppress(ResultBlocked):
        firewall.dispatch("quote", {"value": value}, call_id=call_id)


def which(file) -> list[bool]:
    """Return which results were withheld."""
    return [is_feedback(content, "withheld") for content in contents(file)]


def test_the_feedback_is_written(shop, file) -> None:
    """The message has the feedback, not the value."""
    message = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {
        "name": "quote", "arguments": json.dumps({"value": MADE_UP})}}]}  # fmt: skip
    with shop.session() as session:
        [answer] = shop.run_tool_calls(message)
        session.add([message, answer])

    assert [json.loads(answer["content"])] == contents(file)
    assert "withheld" == contents(file)[0]["status"]


@pytest.mark.parametrize("ids", [("c1", "c2", "c3", "c4"), (None,) * 4, ("c1",) * 4])
def test_each_result_has_its_own(shop, file, ids) -> None:
    """Calls may have ids, no ids, or reused ids."""
    values = [GOOD, MADE_UP, GOOD, MADE_UP]
    with shop.session():
        for value, call_id in zip(values, ids, strict=True):
            add_call(shop, value, call_id)

    assert [False, True, False, True] == which(file)


def test_a_continued_session(shop, file) -> None:
    """A later line has only the new results."""
    for value in (MADE_UP, GOOD, MADE_UP):
        with shop.session("s1"):
            add_call(shop, value)

    assert [True, False, True] == which(file)


def test_a_missing_value_is_not_a_withheld_one(shop, file) -> None:
    """None, a failed call and a call without a result are not withheld."""
    with shop.session():
        add_call(shop, MADE_UP)
        shop.dispatch("ping", {})
        shop.check_result(ToolCall("quote", {}, "c7"), "down", elapsed_ms=1.0, error=True)
        with shop.guard(ToolCall("quote", {}, "c8")):
            pass

    assert [True, False, False, False] == which(file)
    assert ["null", "down", "null"] == contents(file)[1:]


def test_a_value_is_never_replaced(shop, file) -> None:
    """The result of an unjudged call is written, next to a withheld one."""
    with shop.session():
        add_call(shop, MADE_UP)
        with no_shield():
            add_call(shop, MADE_UP)

    assert [True, False] == which(file)
    assert MADE_UP == contents(file)[1]


def test_audit_writes_the_value(file) -> None:
    """Nothing was withheld."""
    policy = shield.configure(mode="audit", tools=[Tool(name="quote", profile=PRICED)])
    firewall = Shield(policy, hooks=None, record=file)
    with firewall.session():
        firewall.check_result(ToolCall("quote", {}, "c1"), MADE_UP, elapsed_ms=1.0)

    assert [MADE_UP] == contents(file)


def test_a_replay_reads_it_as_a_call_that_ran(shop, file) -> None:
    """Its value is unknown, and the feedback is not evidence."""
    with shop.session():
        add_call(shop, MADE_UP, "c1")
    [run] = runs([str(file)], Toolsets())
    firewalls = Firewalls(shield.configure())
    [judged] = judge_run(run, firewalls.of(run))
    session = firewalls.of(run).session(run.session_id)

    assert (True, False) == (judged.executed, judged.refused)
    assert [(None, False)] == [(ran.value, ran.error) for ran in session.executed]
    assert session.origin("schema_mismatch") is None
