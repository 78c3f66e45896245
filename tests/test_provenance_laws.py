"""Properties of provenance: mentioned values are no phantoms, the agent's text is no evidence."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield import Session, Shield, Tool, ToolCall, shield
from abs_shield.session import Limits

WORD = st.text("abcdefghijkmnpqrstuvwxyz", min_size=2, max_size=6)
IDS = st.builds(
    lambda head, mark, digits: f"{head}{mark}{digits}",
    WORD, st.sampled_from(["-", "_", "", "#", "/", "."]),
    st.text("123456789", min_size=4, max_size=8),
)  # fmt: skip
TEXT = st.text(max_size=60) | st.sampled_from(
    ["The end.", "好的。", "نعم", "ок\u0301", "\u200b\u200e", "{x}-<y>", "\ufdfa", '{"a": [1']
)
GLUE = st.sampled_from([" ", ". ", ", ", "。", "\n", " (", "：", " – ", "「"])
EVENTS = st.lists(
    st.tuples(st.sampled_from(["user", "system", "assistant", "tool", "error"]), TEXT), max_size=6
)
REFUND = Tool(
    name="refund", parameters={"type": "object", "properties": {"order_id": {"type": "string"}}}
)
FIREWALL = Shield(
    shield.configure(mode="audit", tools=[REFUND], layers=["phantom_target"]), hooks=None
)


def play(session, events):
    """Add events to a session; tools are called without arguments."""
    for n, (role, text) in enumerate(events):
        if role in ("tool", "error"):
            session.tool_result(f"look{n}", {"text": text}, error=role == "error")
        else:
            getattr(session, role)(text)


def finding_codes(session, value):
    """Return the codes of the findings of `phantom_target` on a call with this id."""
    call = ToolCall("refund", {"order_id": value})
    return [finding.code for finding in FIREWALL.check_call(call, session=session).findings]


def open_session(**limits):
    return Session(limits=Limits(**limits)) if limits else Session()


@given(value=IDS, before=GLUE, after=GLUE, earlier=EVENTS, later=EVENTS)
def test_more_conversation_never_makes_a_phantom(value, before, after, earlier, later):
    """A value that the user mentioned stays mentioned, whatever other messages there are."""
    session = open_session()
    play(session, earlier)
    session.user(f"take{before}{value}{after}now")
    play(session, later)

    assert [] == finding_codes(session, value)


@given(value=IDS, other=IDS, before=GLUE, after=GLUE)
def test_a_task_in_the_system_text_is_judged_as_a_users(value, other, before, after):
    """Without a user message, the system text is the task and mentions the same values."""
    text = f"Please take{before}{value}{after}now."
    user, system = open_session(), open_session()
    user.user(text)
    system.system(text)

    assert [] == finding_codes(system, value)
    assert finding_codes(user, other) == finding_codes(system, other)


FORMS = st.sampled_from(
    [
        str.upper, str.lower, str.title, lambda v: f" {v} ", lambda v: f"\n{v}\n",
        lambda v: v.replace("-", "_"), lambda v: v.replace("_", "-"),
        lambda v: v.replace("-", " "), lambda v: v.replace("-", ""),
        lambda v: v[:1] + "\u200b" + v[1:], lambda v: "\u200b" * 300 + v,
        lambda v: "".join(chr(ord(c) + 0xFEE0) for c in v),
    ]
)  # fmt: skip


@given(value=IDS, form=FORMS, user_text=st.booleans())
def test_reformatting_never_changes_the_verdict(value, form, user_text):
    """Case, separators, blanks, invisible and full-width letters do not change a value."""
    session = open_session()
    session.user(f"Please take {value} now." if user_text else "Please take it now.")

    assert (
        finding_codes(session, value)
        == finding_codes(session, form(value))
        == ([] if user_text else ["unseen"])
    )


@given(value=IDS, events=EVENTS)
def test_the_agents_own_text_is_no_evidence(value, events):
    """A value is unseen if only the agent's text, calls, their echoes or errors have it."""
    session = open_session()
    session.user("Please take it now.")
    play(session, [(role, text) for role, text in events if role != "user"])
    assert ["unseen"] == finding_codes(session, value) or session.origin(value)
    has_origin = session.origin(value) is not None
    session.assistant(f"I take {value}.")
    call = {"id": "c1", "name": "get", "arguments": {"order_id": value}}
    session.add([{"role": "assistant", "tool_calls": [call]}])
    session.add(
        [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": f"Done: {value}"},
        ]
    )
    session.tool_result("put", f"no such thing: {value}", error=True)

    assert has_origin == (session.origin(value) is not None)


@given(value=IDS, events=EVENTS, filler=st.integers(0, 400))
def test_limits_cause_no_findings(value, events, filler):
    """With limits that are far too small, a mentioned value still has no finding."""
    session = open_session(keys=60, text=200, message=300)
    session.user(f"Please take {value} now.")
    play(session, events)
    session.user(" ".join(f"w{n}" for n in range(filler)))

    assert [] == finding_codes(session, value)


@given(value=IDS)
def test_sessions_do_not_share_mentions(value):
    """A value that one session mentions is unseen in another session of the same Shield."""
    one, other = open_session(), open_session()
    one.user(f"Please take {value} now.")
    other.user("Please take it now.")

    assert ([], ["unseen"]) == (finding_codes(one, value), finding_codes(other, value))


@given(value=IDS)
def test_parent_and_child_share_mentions(value):
    """Mentions of the parent count in the child, and results of the child in the parent."""
    parent = open_session()
    parent.user(f"Please take {value} now.")
    child = parent.child(agent="clerk")
    child.tool_result("look", {"id": f"{value}9"})

    assert ([], []) == (finding_codes(child, value), finding_codes(parent, f"{value}9"))


def test_concurrent_tasks_have_separate_sessions():
    """A hundred asyncio tasks on one Shield each see only their own session."""

    async def one(n):
        with FIREWALL.session() as session:
            session.user(f"Please take order-{n:04} now.")
            await asyncio.sleep(0)
            own = FIREWALL.check_call(ToolCall("refund", {"order_id": f"order-{n:04}"}))
            other = FIREWALL.check_call(ToolCall("refund", {"order_id": f"order-{n + 1:04}"}))
            return len(own.findings), len(other.findings)

    async def all_of_them():
        return await asyncio.gather(*(one(n) for n in range(100)))

    assert {(0, 1)} == set(asyncio.run(all_of_them()))


def test_a_call_is_judged_by_earlier_results_of_its_batch():
    """A value in the first call's result is mentioned when the second call is dispatched."""
    firewall = Shield(shield.configure(tools=[REFUND], layers=["phantom_target"]), hooks=None)

    def look() -> dict:
        """Look an order up."""
        return {"id": "order-7777"}

    firewall.register(look)
    calls = [ToolCall("look", {}, "a"), ToolCall("refund", {"order_id": "order-7777"}, "b")]
    with firewall.session() as session:
        session.user("Refund what you find.")
        proposed = firewall.inspect_turn(calls)
        firewall.dispatch("look", {}, call_id="a")
        dispatched = firewall.check_call(calls[1])

    assert ([0, 1], 0) == ([len(d.findings) for d in proposed], len(dispatched.findings))


@pytest.mark.slow
def test_threads_of_a_session_and_its_children_cause_no_errors():
    """Five threads create, update and delete in one tree of sessions; no layer raises."""
    tools = [
        Tool(name=name, parameters={"type": "object", "additionalProperties": True})
        for name in ("create_note", "delete_note", "update_note")
    ]
    firewall = Shield(shield.configure(mode="audit", tools=tools), hooks=None)
    parent = firewall.session()
    parent.user("Please write notes and tidy them up afterwards.")
    runs = [parent, *(parent.child(agent=f"clerk{n}") for n in range(4))]

    def work(run):
        number, session = run
        for n in range(100):
            for tool in ("create_note", "update_note", "delete_note"):
                call = ToolCall(tool, {"note_id": f"N-{number}{n:03}"})
                with firewall.guard(call, session=session) as guard:
                    guard.value = {"note_id": f"N-{number}{n:03}"}
        return [d.errors for d in session.decisions if d.errors]

    with ThreadPoolExecutor(5) as pool:
        assert [[]] * 5 == list(pool.map(work, enumerate(runs)))
