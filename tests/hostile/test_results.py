"""Results of tools: huge, deep, broken, or with attributes that raise."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from abs_shield import Shield, ToolCall, shield, shielded
from abs_shield.core import LAYER_NAMES
from abs_shield.replay import replay
from abs_shield.session.call_states import TOO_LARGE
from abs_shield.session.session_record import mentions_of
from tests.hostile.cases import Unequal, Unlistable, Unmeasurable, Unreadable, cyclic, nested
from tests.hostile.entry_points import written


@dataclass
class Unfielded:
    """A record with a field that raises when it is read."""

    field: int = 1

    def __getattribute__(self, name: str) -> Any:
        if name == "field":
            raise RuntimeError("no field")
        return object.__getattribute__(self, name)


class Unattributed:
    """An object whose attributes all raise."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


RESULTS: dict[str, Callable[[], Any]] = {
    "10 MB of text": lambda: "x" * 10_000_000,
    "10 MB of ids": lambda: "tx_9 " * 2_000_000,
    "200,000 numbers": lambda: [*range(200_000)],
    "100,000 keys": lambda: {f"k{n}": n for n in range(100_000)},
    "5,000 lists": lambda: nested(5_000),
    "5,000 lists, raw": lambda: "[" * 5_000 + "]" * 5_000,
    "100,000 brackets": lambda: "[" * 100_000,
    "JSON in JSON in JSON": lambda: nested(14, lambda inner: json.dumps([inner])),
    "an object that holds itself": cyclic,
    "NaN": lambda: {"n": float("nan")},
    "10,000 digits": lambda: 10**10_000,
    "10,000 digits, raw": lambda: '{"n": ' + "9" * 10_000 + "}",
    "a lone surrogate": lambda: "\ud800",
    "terminal escapes": lambda: "\x1b[2J\x1b]0;x\x07",
    "the longest ligatures": lambda: "\ufdfa" * 100_000,
    "holes of templates": lambda: "<id>{x}[y]" * 50_000,
    "numbers in groups": lambda: "12 " * 100_000,
    "words with colons": lambda: "a: b\n" * 100_000,
    "our own feedback": lambda: {"status": "blocked", "tool": "x", "problems": [],
                                 "retryable": True, "attempts_left": 1},
    "no text": Unreadable,
    "no comparing": lambda: {"a": Unequal()},
    "no items": lambda: Unlistable(a=1),
    "no length": lambda: Unmeasurable("x"),
    "no field": Unfielded,
    "no attributes": Unattributed,
}  # fmt: skip
OBJECTS = {"no text", "no comparing", "no items", "no length", "no field", "no attributes"}
UNWRITTEN = OBJECTS | {"5,000 lists", "an object that holds itself", "10,000 digits"}

every_result = pytest.mark.parametrize("made", RESULTS.values(), ids=RESULTS)


def make_shield(value: Any, mode: str) -> Shield:
    firewall = Shield(shield.configure(mode=mode), hooks=None)

    def look(order_id: str) -> object:
        """Look an order up."""
        return value

    shielded(firewall)(look)
    return firewall


@pytest.mark.parametrize("mode", ["strict", "audit"])
@every_result
def test_every_result_is_returned_unchanged(made: Callable[[], Any], mode: str) -> None:
    """The caller receives the same object, and every layer judges the next call."""
    value = made()
    firewall = make_shield(value, mode)
    with firewall.session() as session:
        session.user("Look at tx_12345.")

        assert value is firewall.dispatch("look", {"order_id": "tx_12345"})
        after = firewall.check_call(ToolCall("look", {"order_id": "tx_12345"}))

    assert ("CLEAN", False, ()) == (after.verdict, after.blocked, after.errors)
    assert set(LAYER_NAMES) == set(after.coverage)


@every_result
def test_the_stored_part_of_a_result_is_bounded(made: Callable[[], Any]) -> None:
    """The index is bounded, and a result larger than one message is replaced by a marker."""
    value = made()
    firewall = make_shield(value, "strict")
    with firewall.session() as session:
        session.user("Look at tx_12345.")
        firewall.dispatch("look", {"order_id": "tx_12345"})
        (kept,) = session.executed

    index = mentions_of(session)._index._index
    assert (
        sum(
            map(
                len,
                (*index._exact, *index._pairs, index._spellings.parts, index._spellings.squeezed),
            )
        )
        <= 40_000
    )
    assert kept.value is value or kept.value is TOO_LARGE


@every_result
def test_run_tool_calls_answers_with_text_for_every_result(made: Callable[[], Any]) -> None:
    """The content is a string even if the result cannot be converted to text."""
    firewall = make_shield(made(), "strict")
    call = {"id": "c", "function": {"name": "look", "arguments": '{"order_id": "tx_12345"}'}}
    with firewall.session() as session:
        session.user("Look at tx_12345.")
        (answer,) = firewall.run_tool_calls({"role": "assistant", "tool_calls": [call]})
        (other,) = asyncio.run(
            firewall.arun_tool_calls({"role": "assistant", "tool_calls": [call]})
        )

    assert isinstance(answer["content"], str)
    assert isinstance(other["content"], str)


@pytest.mark.parametrize("name", [*sorted(RESULTS.keys() - UNWRITTEN)])
def test_replay_judges_calls_after_every_result(name: str, tmp_path: Path) -> None:
    """A call after a recorded result is judged by every layer, without errors."""
    call = {"function": {"name": "look", "arguments": {"order_id": "tx_12345"}}}
    value = RESULTS[name]()
    content = value if isinstance(value, str) else json.dumps(value)
    run = {
        "run_id": "r",
        "tools": [{"name": "look", "parameters": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Look at tx_12345."},
            {"role": "assistant", "tool_calls": [{"id": "1", **call}]},
            {"role": "tool", "tool_call_id": "1", "content": content},
            {"role": "assistant", "tool_calls": [{"id": "2", **call}]},
        ],
    }
    judged = [*replay([written(tmp_path / "runs.jsonl", run)])]

    assert [set(LAYER_NAMES)] * 2 == [set(each.decision.coverage) for each in judged]
    assert [()] * 2 == [each.decision.errors for each in judged]


class Wordless(Exception):
    """An exception whose `__str__` raises."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_an_exception_that_cannot_be_formatted_reaches_the_caller(mode: str) -> None:
    """The answer of `run_tool_calls` has the name of its type."""
    firewall = Shield(shield.configure(mode=mode), hooks=None)

    @shielded(firewall)
    def look() -> None:
        """Look."""
        raise Wordless

    with firewall.session() as session, pytest.raises(Wordless):
        look()
    (answer,) = firewall.run_tool_calls([{"name": "look", "arguments": "{}"}], session=session)

    assert [True, True] == [call.error for call in session.executed]
    assert "Wordless" in answer["content"]
