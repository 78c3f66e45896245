"""Input of growing size, one row for each public function: how it is built and used."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Any

from abs_shield import Shield, Target, Tool, ToolCall, shield
from tests.hostile.entrances import ANSWER, ENTRANCES, Action, firewall, replay_of
from tests.hostile.grammar import Input

MEGABYTE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Growing:
    """
    One entry point, and input for it of any size.

    Attributes:
        entrance: The public function.
        name: A description of the input.
        build: Returns the action to measure, for input of about the given number of bytes.
        small: The size at which a test counts steps; it also counts them at twice the size.
        factor: The allowed ratio of the steps at twice the size to those at the size.
        open: Why a megabyte is known to take more than a second; empty if it does not.
    """

    entrance: str
    name: str
    build: Callable[[int], Action]
    small: int = 20_000
    factor: float = 2.6
    open: str = ""


def text(piece: str) -> Callable[[int], str]:
    """Repeat a piece until the text has so many bytes."""
    return lambda size: piece * max(1, size // len(piece.encode()))


def checked(arguments: Callable[[int], Any], parameters: Any = None) -> Callable[[int], Action]:
    def build(size: int) -> Action:
        guard = firewall(parameters)
        session = guard.session()
        session.user("Please act on tx_12345 for Ann.")
        call = ToolCall("act", arguments(size))
        return lambda: guard.check_call(call, session=session)

    return build


def values(spell: Callable[[int], str]) -> Callable[[int], dict[str, Any]]:
    """Return arguments with as many values of an id as fit, up to the limit for one call."""
    width = len(json.dumps(spell(1_000)).encode())
    return lambda size: {"order_id": [spell(n) for n in range(min(9_990, size // width))]}


def guarded(spell: Callable[[int], str], wording: str, **declared: Any) -> Callable[[int], Action]:
    """Check a destructive call whose values are all mentioned in the user's text."""

    def build(size: int) -> Action:
        several = {"type": "array", "items": {"type": "string"}}
        tool = Tool(
            name="act", parameters={"properties": {"paths": several}}, destructive=True, **declared
        )
        guard = Shield(shield.configure(tools=[tool]), hooks=None)
        count = min(9_990, size // len(wording.format(spell(1_000))))
        session = guard.session()
        session.user(" ".join(wording.format(spell(n)) for n in range(count)))
        call = ToolCall("act", {"paths": [spell(n) for n in range(count)]})
        return lambda: guard.check_call(call, session=session)

    return build


def nested_paths(size: int) -> Action:
    """Return nested folders, each of which occurs in the user's text as often as it is deep."""
    guard = firewall()
    session = guard.session()
    session.user("a/" * (size // 4))
    paths = ["/" + "a/" * depth for depth in range(1, isqrt(size // 2))]
    call = ToolCall("act", {"order_id": paths})
    return lambda: guard.check_call(call, session=session)


def long_values(piece: str) -> Callable[[int], dict[str, Any]]:
    """Return arguments with values of an id of about the maximum compared length."""
    one = text(piece)(16_000)
    return lambda size: {"order_id": [f"{one}{n}" for n in range(size // 16_000)]}


def user_text(piece: str) -> Callable[[int], Action]:
    def build(size: int) -> Action:
        guard, words = firewall(), text(piece)(size)
        session = guard.session()

        def act() -> None:
            session.user(words)
            guard.check_call(ToolCall("act", {"order_id": ["tx_99999"]}), session=session)

        return act

    return build


def returned(piece: str) -> Callable[[int], Action]:
    """Read results that each have the maximum number of characters that is read."""

    def build(size: int) -> Action:
        guard, words = firewall(), text(piece)(size)
        session = guard.session()
        session.user("Please act on tx_12345 for Ann.")
        parts = [words[at : at + 200_000] for at in range(0, len(words), 200_000)]

        def act() -> None:
            for part in parts:
                session.tool_result("look", part)
                guard.check_result(ToolCall("act", {"value": 1}), part, elapsed_ms=1)
            guard.check_call(ToolCall("act", {"order_id": ["tx_99999"]}), session=session)

        return act

    return build


def answered(piece: str) -> Callable[[int], Action]:
    def build(size: int) -> Action:
        guard = firewall()
        session = guard.session()
        session.user("What do the orders come to?")
        session.tool_result("look", text(piece)(size))
        return lambda: guard.check_answer(ANSWER, session=session)

    return build


def registered(parameters: Callable[[int], Any]) -> Callable[[int], Action]:
    def build(size: int) -> Action:
        guard, schema = firewall(), parameters(size)
        return lambda: guard.register({"name": "described", "inputSchema": schema})

    return build


def run(record: Callable[[int], Any]) -> Callable[[int], Action]:
    return lambda size: replay_of(record(size))


def tools_of(size: int) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    tools = [{"name": f"tool_{n}", "parameters": schema} for n in range(size // 95)]
    return {"tools": tools, "messages": [*turn(0)]}


def other_tools_of(size: int) -> dict[str, Any]:
    """Return tools that each have their own schema."""
    result = tools_of(size)
    for n, tool in enumerate(result["tools"]):
        tool["parameters"] = {"type": "object", "properties": {f"a_{n}": {"type": "string"}}}
    return result


def turn(n: int) -> Iterator[dict[str, Any]]:
    call = {"id": f"c{n}", "function": {"name": "tool_1", "arguments": "{}"}}
    yield {"role": "assistant", "tool_calls": [call]}
    yield {"role": "tool", "tool_call_id": f"c{n}", "content": "x"}


def turns_of(size: int) -> dict[str, Any]:
    state = [{"role": "user", "content": "Please act."}]
    return {"messages": state + [each for n in range(size // 190) for each in turn(n)]}


def branches(size: int) -> dict[str, Any]:
    some = [{"type": "object", "required": [f"k{n}"]} for n in range(300)]
    return {"type": "object", "properties": {"value": {"items": {"anyOf": some[: size // 100]}}}}


def properties(size: int) -> dict[str, Any]:
    known = {f"parameter_{n}": {"type": "string"} for n in range(size // 40)}
    return {"type": "object", "properties": known, "additionalProperties": False}


def found(entrance: str, name: str, *, open: str = "", **row: Any) -> Growing:
    """Return a row for the worst input that a search found for one public function."""
    result, one = ENTRANCES[entrance], Input(**row)
    return Growing(entrance=entrance, name=name, build=lambda size: result(one, size), small=8_000,
                   open=open)  # fmt: skip


CALL, RESULT = "check_call", "session.tool_result, check_result"
BUSY = "about a second on a machine that is busy"
EACH_CALL = "linear: 6,000 calls a megabyte, of which each is judged in a quarter of a millisecond"
GROWING = [
    Growing(entrance=CALL, name="Cyrillic values",
            build=checked(values(lambda n: "Заказ " + "абвгдежзик"[n % 10] * (n // 10 % 9 + 1)
                                + "лмнопрстуф"[n // 90 % 10] * (n // 900 + 1)))),
    Growing(entrance=CALL, name="paths",
            build=checked(values(lambda n: f"/srv/a/b/c/d/e/f/g/h/{n}/x"))),
    Growing(entrance=CALL, name="e-mails", build=checked(values(lambda n: f"ann{n}@example.org"))),
    Growing(entrance=CALL, name="one long value",
            build=checked(lambda n: {"order_id": ["a_" * (n // 2)]})),
    # the values of a smaller call are still cached in their normal form
    Growing(entrance=CALL, name="values of accents", build=checked(long_values("\u0315\u0300")),
            small=128_000),
    Growing(entrance=CALL, name="values of ligatures", build=checked(long_values("\ufdfa")),
            small=64_000),
    Growing(entrance=CALL, name="values that must be seen", open=BUSY,
            build=guarded(lambda n: f"/srv/a{n}", "{}",
                         targets={"paths": Target(must_be_seen=True)})),
    Growing(entrance=CALL, name="parents of what was said", open=BUSY,
            build=guarded(lambda n: f"/srv/a{n}", "{}/x.csv")),
    Growing(entrance=CALL, name="folders in folders", build=nested_paths, small=40_000),
    Growing(entrance=CALL, name="patterns in what was said",
            build=guarded(lambda n: f"/srv/a{n}/*.log", "{}/x.csv")),
    Growing(entrance=CALL, name="wrong items before branches",
            build=checked(lambda n: {"value": [{}] * (n // 4)}, branches(20_000)), small=100),
    Growing(entrance=CALL, name="misspelt names", build=checked(
        lambda n: {f"paramter_{k}": "x" for k in range(n // 20)}, properties(40_000)), small=1_000,
            open=BUSY),
    Growing(entrance="register", name="a tool of many parameters", build=registered(properties)),
    # accents are sorted in runs, so that the steps of small texts go in stairs
    *[Growing(entrance="session.user", name=f"a text of {piece!r}", build=user_text(piece),
              small=160_000 if piece == "\u0315\u0300" else 20_000)
      for piece in ("\ufdfa", "\u0315\u0300", "①", "tx_1 ", "+49 30 1234567 ", "Привет мир ",
                    "a日", "#", "<a>", "{a", "named 1-")],
    *[Growing(entrance=RESULT, name=f"a result of {piece!r}", build=returned(piece),
              open=BUSY if piece in ("1,", "\ufdfa") else "")
      for piece in ("tx_1 ", '{"a":1},', "1,", "\ufdfa")],
    *[Growing(entrance="check_answer", name=f"evidence of {piece!r}", build=answered(piece),
              small=8_000, open=BUSY if piece == "word " else "")
      for piece in ("1,", "1\t", "| x1 | 2 | 3 |\n", "word ", "id:12345/")],
    Growing(entrance="replay", name="tools of one run", build=run(tools_of)),
    Growing(entrance="replay", name="messages of one run", build=run(turns_of), open=BUSY),
    found("check_call", "rows of dates and codes", pieces=("2024-01-02 ", "é", "id is ", "nil"),
          tail="1", numbered=True, shape="rows", width=12),
    found("schema: compile", "properties of two letters", pieces=("a",), width=2),
    found("schema: check", "branches of items", pieces=("ö²é",), head="한", numbered=True,
          shape="list", schema="nest"),
    found("inspect_turn", "calls with codes and Hangul", pieces=("Ú+", "한", "tx_99999"),
          head="tx_99999", numbered=True, open=EACH_CALL),
    found("inspect_turn", "equal calls with long values", pieces=("2", "①", "2"), shape="nest",
          width=400),
    found("guard", "rows of numbered holes", pieces=("òÁ", "{x}", "  "), head=".", tail="utf8",
          numbered=True, shape="rows", width=400),
    found("dispatch, decorated call", "rows of numbered holes", pieces=("òÁ", "{x}", "  "),
          head=".", tail="utf8", numbered=True, shape="rows", width=400),
    found("check_result", "trees of codes", pieces=("Ú+", "한", "tx_99999"), head="tx_99999",
          numbered=True, shape="nest", open=BUSY),
    found("ids of results", "text that is written from right to left", pieces=("n", "\u202e", "Ï"),
          tail="´", width=400),
    found("check_answer", "claims of numbered holes", pieces=("òÁ", "{x}", "  "), head=".",
          tail="w", numbered=True),
    found("check_answer: evidence", "documents of two digits", pieces=("0",), width=2),
    found("replay", "calls with a tab and an address", pieces=("\t", "\x87"), head="\\",
          tail="http://a.b/", numbered=True, width=400, open=BUSY),
    found("nearest names", "Hangul and accents", pieces=("ö²é",), head="한", numbered=True),
    found("MCP listing", "tools of two letters", pieces=("a",), width=2),
    Growing(entrance="replay", name="tools with schemas of their own", build=run(other_tools_of)),
]  # fmt: skip
