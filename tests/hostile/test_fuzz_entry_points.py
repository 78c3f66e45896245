"""Fuzz tests: every entry point judges a call of any shape, or rejects it with a message."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from abs_shield import CallBlocked, Decision, Shield, ShieldError, Tool, ToolCall, rule, shield
from abs_shield.core.vocabularies import LAYER_NAMES, OPT_IN_NAMES
from tests.hostile.cases import ANY, Unequal, Unlistable, Unmeasurable, nested
from tests.hostile.test_fuzz_index import TOLD
from tests.hostile.test_fuzz_parser import JSON, MESSAGES, PIECES


class Textless:
    """An object whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


OBJECTS = st.sampled_from(
    [Textless(), Unequal(), Unlistable(a=1), Unmeasurable("x"), object(), b"\xff", {1, 2}, {1: 2},
     nested(200), 10**5000, float("nan"), range(3), Exception("x"), int, lambda: None]
)  # fmt: skip
VALUES = JSON | TOLD | OBJECTS
ARGUMENTS = (
    st.dictionaries(st.sampled_from(["value", "note", "number", "order_id", "ghost"]), VALUES)
    | PIECES
    | VALUES
)
NAMES = st.sampled_from(["act", "aсt", "create_order", "delete_order", ""]) | TOLD | VALUES
LOGPROBS = st.none() | VALUES | st.lists(st.none() | st.floats(), max_size=3)
IDS = st.none() | st.sampled_from(["c1", "c2", ""]) | TOLD
CALLS = st.builds(ToolCall, NAMES, ARGUMENTS, IDS, LOGPROBS)
SHAPES = CALLS | MESSAGES | OBJECTS | st.lists(CALLS | MESSAGES, max_size=4)


@rule(tool="*")
def careless(value: Any = None, call: Any = None, session: Any = None) -> bool:
    """This rule breaks on most of what it is given."""
    return len(value) < 5


def make_shield(mode: str, **declared: Any) -> Shield:
    tools = [Tool(name=name, parameters=ANY) for name in ("act", "create_order", "delete_order")]
    firewall = Shield(
        shield.configure(mode=mode, tools=tools, rules=[careless], **declared), hooks=None
    )
    for name in ("act", "create_order", "delete_order"):

        def run(**given: Any) -> Any:
            """Return back what came."""
            return given

        run.__name__ = name
        firewall.register(run)
    return firewall


EVERY = [*LAYER_NAMES, *OPT_IN_NAMES]
MODES = ("strict", "audit")
SHIELDS = [make_shield(mode, layers=EVERY) for mode in MODES]


def complete(decision: Decision, mode: str) -> bool:
    """Return whether a decision has all layers, is serialisable, and is allowed in audit."""
    assert set(EVERY) == set(decision.coverage)
    assert decision.to_json().encode()
    assert "\n" not in decision.explain()
    assert not (mode == "audit" and decision.blocked)
    return decision.would_block or decision.action != "block"


def assert_strict(firewall: Shield, blocked: CallBlocked) -> None:
    assert firewall.policy.mode == "strict"
    assert complete(blocked.decision, "strict")


def assert_one_line(error: ShieldError) -> None:
    assert "\n" not in str(error)


@given(st.lists(SHAPES, max_size=4), TOLD)
@example([ToolCall("act", {"value": Textless()})] * 2, "")
@example([ToolCall("act", {"value": nested(200)}), ToolCall("act", {"value": nested(200)})], "x")
def test_judging_never_raises(calls: list[Any], user_text: str) -> None:
    """Every layer judges a proposed call, a turn and a result of any shape."""
    for mode in MODES:
        firewall = make_shield(mode, layers=EVERY)  # one that has not seen which results are usual
        with firewall.session() as session:
            session.user(user_text)
            for call in calls:
                results = firewall.inspect_turn(call)
                results.append(firewall.check_call(call))
                assert all(complete(decision, mode) for decision in results)
                assert "CLEAN" == firewall.check_result(call, call, elapsed_ms=1).verdict


@given(NAMES, ARGUMENTS, IDS)
def test_dispatch_returns_or_raises_a_clear_error(
    name: Any, arguments: Any, call_id: str | None
) -> None:
    """A call runs, is blocked with its decision, or raises an error of one line."""
    for firewall in SHIELDS:
        with firewall.session() as session:
            session.user("Please act.")
            try:
                firewall.dispatch(name, arguments, call_id=call_id)
            except CallBlocked as blocked:
                assert_strict(firewall, blocked)
            except ShieldError as error:
                assert_one_line(error)
            except TypeError:  # Python's own, of keywords that are no text
                assert firewall.policy.mode == "audit"
            (decision,) = session.decisions
            assert complete(decision, firewall.policy.mode)


@given(SHAPES)
def test_a_message_is_answered_or_rejected(message: Any) -> None:
    """Every call of a message has an answer; an invalid message raises an error of one line."""
    for firewall in SHIELDS:
        with firewall.session() as session:
            session.user("Please act.")
            try:
                answers = firewall.run_tool_calls(message)
                also = asyncio.run(firewall.arun_tool_calls(message))
            except ShieldError as error:
                assert_one_line(error)
            else:
                assert len(answers) == len(also)
            assert all(complete(each, firewall.policy.mode) for each in session.decisions)


@given(st.dictionaries(st.sampled_from(["value", "note", "order_id"]), JSON), TOLD)
def test_judging_does_not_change_the_arguments(arguments: dict[str, Any], user_text: str) -> None:
    """The arguments of a call are the same before and after `check_call`."""
    before = copy.deepcopy(arguments)
    for firewall in SHIELDS:
        with firewall.session() as session:
            session.user(user_text)
            firewall.check_call(ToolCall("act", arguments))

    assert repr(before) == repr(arguments)
